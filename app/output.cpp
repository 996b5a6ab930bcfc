#include "app/output.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/text.h"

namespace receiptbench {
namespace {

constexpr double kSecondsBetweenDraws = 0.1;

bool isTerminal(int descriptor) {
    const char* kind = std::getenv("TERM");
    return ::isatty(descriptor) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

bool coloursOn(int descriptor) {
    const char* refused = std::getenv("NO_COLOR");
    return isTerminal(descriptor) && (refused == nullptr || *refused == '\0');
}

// Columns on a terminal, so that characters and not bytes count.
std::size_t columns(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

// A full disk behind a redirection ends no training: what is lost on stdout is said at the end (see
// outputArrived), what is lost on stderr was only talk.
void write(std::FILE* stream, const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stream);
}

}  // namespace

void printLine(const std::string& text) {
    write(stdout, text + "\n");
}

bool outputArrived() {
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

void printJson(const std::string& command, nlohmann::json content) {
    content["schema"] = "receiptbench-" + command;
    content["version"] = 1;
    printLine(content.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void printTable(const std::vector<std::vector<std::string>>& rows, bool head) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], columns(row[i]));
        }
    }
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            line += i + 1 < row.size() ? std::string(widths[i] - columns(row[i]) + 2, ' ') : "";
        }
        printLine(head && &row == &rows.front() ? bold(line) : line);
    }
}

void complain(const std::string& message, const std::string& remedy) {
    std::fflush(stdout);
    write(stderr, "receiptbench: " + message + "\n");
    if (!remedy.empty()) {
        write(stderr, "remedy: " + remedy + "\n");
    }
}

std::string bold(const std::string& text) {
    return coloursOn(STDOUT_FILENO) ? "\033[1m" + text + "\033[0m" : text;
}

std::string percent(const std::optional<double>& share) {
    return share ? fmt::format("{:.1f} %", 100 * *share) : "n/a";
}

std::string yesNo(bool value) {
    return value ? "yes" : "no";
}

TerminalProgress::TerminalProgress(const Context& context)
    : context_(context), terminal_(isTerminal(STDERR_FILENO)) {}

TerminalProgress::~TerminalProgress() {
    end();
}

void TerminalProgress::clearLine() {
    if (lineOpen_) {
        write(stderr, "\r\033[K");
        std::fflush(stderr);
        lineOpen_ = false;
    }
}

void TerminalProgress::end() {
    clearLine();
    if (!name_.empty() && !context_.quiet) {
        write(stderr,
              fmt::format("{}: {}\n", name_, formatDuration(Clock::system().seconds() - start_)));
    }
    name_.clear();
}

void TerminalProgress::stage(const std::string& name, std::int64_t steps) {
    end();
    name_ = name;
    steps_ = steps;
    done_ = first_ = 0;
    start_ = firstAt_ = Clock::system().seconds();
    drawn_ = 0;
    draw("", true);
}

void TerminalProgress::step(std::int64_t done) {
    if (first_ ==
        0) {  // the first step may hold start-up costs, or a resume's offset: not part of the rate
        first_ = done;
        firstAt_ = Clock::system().seconds();
    }
    done_ = done;
    draw("", false);
}

void TerminalProgress::draw(const std::string& suffix, bool force) {
    if (!terminal_ || context_.quiet || name_.empty()) {
        return;
    }
    const double now = Clock::system().seconds();
    if (!force && now - drawn_ < kSecondsBetweenDraws) {
        return;
    }
    drawn_ = now;
    std::string line = name_;
    if (steps_ > 0) {
        line += fmt::format(" {} of {}", done_, steps_);
    }
    if (done_ > first_ && steps_ > done_) {
        const double left = (now - firstAt_) / static_cast<double>(done_ - first_) *
                            static_cast<double>(steps_ - done_);
        line += fmt::format(", about {} left", formatDuration(left));
    }
    write(stderr, fmt::format("\r\033[K{}{}", line, suffix));
    std::fflush(stderr);
    lineOpen_ = true;
}

void TerminalProgress::note(const std::string& line) {
    if (context_.verbose) {
        say(line);
    }
}

void TerminalProgress::say(const std::string& line) {
    if (!context_.quiet) {
        clearLine();
        write(stderr, fmt::format("{}\n", printable(line)));
        draw("", true);
    }
}

void TerminalProgress::onStart(const std::string& run, const RunPlan& plan) {
    say(fmt::format("run {}: {}, microbatch {}, {}, {} threads", run, toString(plan.precision),
                    plan.microbatch, toString(plan.memoryFormat), plan.threads));
}

void TerminalProgress::onCheck(const GradientCheckResult& check) {
    say(
        fmt::format("gradient check: every layer within {:.1e} of full batch (allowed {:.0e}), "
                    "wrong normalisation {:.1e}",
                    check.worst().relativeL2, check.tolerance, check.wrongRelativeL2));
}

void TerminalProgress::onUpdate(const UpdateRecord& record) {
    step(record.update);
    if (context_.verbose) {
        say(fmt::format("update {}: loss {:.4f}, {} examples, peak {}{}", record.update,
                        record.loss, record.accepted, formatBytes(record.memory.total),
                        record.wasApplied ? "" : ", skipped: " + record.skipReason));
    }
}

void TerminalProgress::onCheckpoint(const std::string& file, double seconds) {
    if (context_.verbose) {
        say(fmt::format("checkpoint {} in {}", file, formatDuration(seconds)));
    }
}

void TerminalProgress::onMessage(const std::string& text) {
    if (text != "validating" || context_.verbose) {
        say(text);
    }
}

}  // namespace receiptbench
