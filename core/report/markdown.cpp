#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/report/report.h"

namespace receiptbench {
namespace {

using nlohmann::json;

// Text from files is shown as text: nothing in it may become Markdown or HTML.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : printable(text)) {
        if (std::string_view("\\`*_{}[]<>#|&!~").find(c) != std::string_view::npos) {
            out += '\\';
        }
        out += c;
    }
    return out;
}

std::string textOf(const json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? escaped(at->get<std::string>())
                                                 : std::string("n/a");
}

// Numbers may be stored as "nan" or be absent.
std::string number(const json& value, const char* pattern) {
    return value.is_number() ? fmt::format(fmt::runtime(pattern), value.get<double>())
                             : std::string("n/a");
}
std::string number(const json& object, const char* key, const char* pattern) {
    const auto at = object.find(key);
    return at == object.end() ? std::string("n/a") : number(*at, pattern);
}
std::string bytes(const json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_number() ? formatBytes(at->get<std::int64_t>())
                                                 : std::string("n/a");
}
std::int64_t integer(const json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_number() ? at->get<std::int64_t>() : 0;
}

class Table {
 public:
    Table(std::string& out, const std::vector<std::string>& head) : out_(out) {
        row(head);
        out_ += "|";
        for (std::size_t i = 0; i < head.size(); ++i) {
            out_ += "---|";
        }
        out_ += "\n";
    }
    void row(const std::vector<std::string>& cells) {
        out_ += fmt::format("| {} |\n", fmt::join(cells, " | "));
    }

 private:
    std::string& out_;
};

bool isOfKind(const json& run, const char* kind) {
    return run.value("kind", std::string()) == kind;
}

void contractPart(std::string& out, const json& report) {
    const auto& contract = report.at("contract");
    out += fmt::format(
        "Contract `{}`: {} examples per update, {} updates, image {}x{}, {} of width {}, {} at {}, "
        "seed {}.\n\n",
        report.at("contractHash").get<std::string>(), integer(contract, "examplesPerUpdate"),
        integer(contract, "updates"), integer(contract, "height"), integer(contract, "width"),
        textOf(contract.at("model"), "name"), integer(contract.at("model"), "width"),
        textOf(contract.at("optimizer"), "name"),
        number(contract.at("optimizer"), "learningRate", "{:g}"), integer(contract, "seed"));
    const auto& data = report.at("data");
    out += fmt::format(
        "Data: {} training and {} validation examples, {} files rejected. Split `{}`.\n\n",
        integer(data, "train"), integer(data, "validation"),
        data.value("rejects", json::array()).size(),
        data.value("splitDigest", std::string()).substr(0, 16));
}

void verdictPart(std::string& out, const json& comparison, const std::string& problem) {
    if (!comparison.is_object()) {
        out += fmt::format("No comparison: {}.\n\n", escaped(problem));
        return;
    }
    for (const auto& run : comparison.at("runs")) {
        const auto& verdict = run.at("verdict");
        out += fmt::format("**{}: {}.** {}\n\n", textOf(run.at("facts"), "name"),
                           textOf(verdict, "outcome"), textOf(verdict, "words"));
    }
    for (const auto& line : comparison.value("notes", json::array())) {
        out += fmt::format("Note: {}\n\n", escaped(line.get<std::string>()));
    }
    for (const auto& line : comparison.value("notSupported", json::array())) {
        out += fmt::format("Not supported: {}\n\n", escaped(line.get<std::string>()));
    }
}

void precisionPart(std::string& out, const json& report) {
    out += "## Precision, measured\n\n";
    Table table(
        out, {"run", "precision", "microbatch", "peak", "budget", "examples/s", "accepted/update",
              "applied", "skipped", "non-finite", "accuracy", "macro F1", "NLL"});
    for (const auto& run : report.at("runs")) {
        const auto& ledger = run.at("ledger");
        const auto fewest = integer(ledger, "fewestAcceptedInAnUpdate"),
                   most = integer(ledger, "mostAcceptedInAnUpdate");
        const auto& metrics = run.at("metrics");
        table.row(
            {textOf(run, "name") + (isOfKind(run, "run") ? "" : " (" + textOf(run, "kind") + ")"),
             textOf(run, "precision"),
             fmt::format("{} {}", integer(run, "microbatch"), textOf(run, "memoryFormat")),
             ledger.at("peak").is_object() ? bytes(ledger.at("peak"), "total") : "n/a",
             integer(run, "memoryLimit") > 0 ? bytes(run, "memoryLimit") : "none",
             number(ledger, "examplesPerSecond", "{:.1f}"),
             fewest == most ? std::to_string(most) : fmt::format("{}-{}", fewest, most),
             std::to_string(integer(ledger, "applied")), std::to_string(integer(ledger, "skipped")),
             std::to_string(integer(ledger, "updatesWithNonFiniteGradients")),
             metrics.is_object() ? number(metrics, "accuracy", "{:.4f}") : "n/a",
             metrics.is_object() ? number(metrics, "macroF1", "{:.4f}") : "n/a",
             metrics.is_object() ? number(metrics, "nll", "{:.4f}") : "n/a"});
    }
    out += "\n";
}

void changesPart(std::string& out, const json& comparison) {
    if (!comparison.is_object()) {
        return;
    }
    out += "## Threshold changes by class, against the baseline\n\n";
    Table table(out, {"run", "class", "images", "accept to reject", "reject to accept",
                      "baseline near threshold", "largest change", "mean change", "p (exact, Holm)",
                      "in words"});
    for (const auto& run : comparison.at("runs")) {
        for (const auto& change : run.at("changes")) {
            table.row({textOf(run.at("facts"), "name"), textOf(change, "label"),
                       std::to_string(integer(change, "examples")),
                       std::to_string(integer(change, "acceptToReject")),
                       std::to_string(integer(change, "rejectToAccept")),
                       std::to_string(integer(change, "nearThreshold")),
                       number(change, "largestChange", "{:.4f}"),
                       number(change, "meanChange", "{:.4f}"), number(change, "holmP", "{:.3g}"),
                       textOf(change, "words")});
        }
    }
    out += "\n";
}

void rulesPart(std::string& out, const json& comparison) {
    if (!comparison.is_object()) {
        return;
    }
    out += "## Verdict, rule by rule\n\n";
    for (const auto& run : comparison.at("runs")) {
        out += fmt::format("### {}: {}\n\n", textOf(run.at("facts"), "name"),
                           textOf(run.at("verdict"), "outcome"));
        Table table(out, {"rule", "state", "figures"});
        for (const auto& rule : run.at("verdict").at("rules")) {
            table.row({textOf(rule, "name"), textOf(rule, "state"), textOf(rule, "figures")});
        }
        out += "\n";
    }
}

void gradientPart(std::string& out, const json& report) {
    out +=
        "## Gradient comparison, before each run\n\n"
        "Accumulated microbatches against the full batch on a copied model (relative L2), and "
        "beside it the deliberately wrong\n"
        "run: short microbatch means / number of microbatches.\n\n";
    Table table(out, {"run", "examples", "microbatches", "size", "accumulated", "worst layer",
                      "tolerance", "wrong run", "result"});
    const json* layers = nullptr;
    for (const auto& run : report.at("runs")) {
        const auto& check = run.at("gradientCheck");
        if (!check.is_object()) {
            continue;
        }
        layers = layers == nullptr ? &check.at("layers") : layers;
        std::vector<std::int64_t> microbatches;
        check.at("microbatches").get_to(microbatches);
        const double tolerance = check.at("tolerance").get<double>();
        const double wrong = check.at("wrongRelativeL2").get<double>();
        table.row({textOf(run, "name"), std::to_string(integer(check, "examples")),
                   fmt::format("{}", fmt::join(microbatches, ", ")),
                   fmt::format("{}x{}", integer(check, "height"), integer(check, "width")),
                   number(check, "relativeL2", "{:.2e}"),
                   fmt::format("{} {}", number(check, "worstRelativeL2", "{:.2e}"),
                               textOf(check, "worstLayer")),
                   fmt::format("{:.0e}", tolerance), fmt::format("{:.2e}", wrong),
                   check.at("passed").get<bool>() ? "equal; wrong run caught" : "FAILED"});
    }
    out += "\n";
    if (layers != nullptr) {
        Table byLayer(out, {"parameter", "norm", "accumulated", "wrong run"});
        for (const auto& layer : *layers) {
            byLayer.row({textOf(layer, "parameter"), number(layer, "fullNorm", "{:.3e}"),
                         number(layer, "relativeL2", "{:.2e}"),
                         number(layer, "wrongRelativeL2", "{:.2e}")});
        }
        out += "\n";
    }
}

void memoryPart(std::string& out, const json& report) {
    out += "## Memory at the peak, by category\n\n";
    Table table(out, {"run", "peak", "parameters", "gradients", "optimizer", "inputs",
                      "activations and workspace", "other", "allocated + kept", "at update"});
    for (const auto& run : report.at("runs")) {
        const auto& peak = run.at("ledger").at("peak");
        if (!peak.is_object()) {
            continue;
        }
        const auto& parts = peak.at("atPeak");
        const auto part = [&](const char* name, std::size_t index) {
            return parts.is_object() ? bytes(parts, name)
                                     : formatBytes(parts.at(index).get<std::int64_t>());
        };
        table.row({textOf(run, "name"), bytes(peak, "total"), part("parameters", 0),
                   part("gradients", 1), part("optimizer", 2), part("inputs", 3),
                   part("activations", 4), part("other", 5), bytes(peak, "reserved"),
                   std::to_string(integer(run.at("ledger"), "peakAtUpdate"))});
    }
    out += "\n";
}

void timePart(std::string& out, const json& report) {
    out += "## Time breakdown (seconds)\n\n";
    Table table(out, {"run", "data", "forward", "backward", "optimizer", "checkpoint", "other"});
    for (const auto& run : report.at("runs")) {
        const auto& seconds = run.at("timeBreakdown");
        std::vector<std::string> cells{textOf(run, "name")};
        for (const char* phase :
             {"data", "forward", "backward", "optimizer", "checkpoint", "other"}) {
            cells.push_back(number(seconds, phase, "{:.2f}"));
        }
        table.row(cells);
    }
    out += "\n";
}

void skipsPart(std::string& out, const json& report) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& run : report.at("runs")) {
        for (const auto& update : run.at("updates")) {
            if (!update.value("wasApplied", true)) {
                rows.push_back({textOf(run, "name"), std::to_string(integer(update, "update")),
                                textOf(update, "skipReason"), number(update, "scaleBefore", "{:g}"),
                                number(update, "scaleAfter", "{:g}"),
                                update.value("overflowInjected", std::string()).empty()
                                    ? ""
                                    : "injected on purpose"});
            }
        }
    }
    out += "## Skipped updates\n\n";
    if (rows.empty()) {
        out += "None.\n\n";
        return;
    }
    Table table(out, {"run", "update", "reason", "scale before", "scale after", ""});
    for (const auto& row : rows) {
        table.row(row);
    }
    out += "\n";
}

void recoveryPart(std::string& out, const json& drills) {
    out += "## Interrupt and restore\n\n";
    if (drills.empty()) {
        out += "No drill yet: `receiptbench drill`.\n\n";
        return;
    }
    for (const auto& drill : drills) {
        out += fmt::format(
            "Drill of {}: the process died by signal {} at call {} of a checkpoint write. Recovery "
            "took `{}`; ",
            textOf(drill, "run"), integer(drill, "childSignal"), integer(drill, "crashedAtCall"),
            drill.value("chosen", std::string("none")));
        out += fmt::format(
            "{} of {} updates after it equal the uninterrupted run bit for bit{}. {}\n\n",
            integer(drill, "equalUpdates"), integer(drill, "comparedUpdates"),
            drill.value("firstUpdateEqual", false) ? " (the first one included)" : "",
            drill.value("proven", false) ? "**Proven.**" : "**NOT proven.**");
        if (!drill.value("notBitExact", std::string()).empty()) {
            out += fmt::format("Not bit-exact ({}): tolerance {}, measured difference {}.\n\n",
                               textOf(drill, "notBitExact"), number(drill, "tolerance", "{:g}"),
                               number(drill, "measuredDifference", "{:.3e}"));
        }
        for (const auto& rejected : drill.value("rejected", json::array())) {
            out += fmt::format("- set aside: {}: {}\n", textOf(rejected, "file"),
                               textOf(rejected, "reason"));
        }
        if (!drill.value("negativeControl", std::string()).empty()) {
            out += fmt::format("- negative control: {}: {}\n\n", textOf(drill, "negativeControl"),
                               drill.value("negativeControlDiffers", false) ? "differs, as it must"
                                                                            : "DOES NOT DIFFER");
        }
    }
}

}  // namespace

std::string markdownReport(const json& report) {
    std::string out = "# receiptbench report\n\n";
    contractPart(out, report);
    verdictPart(out, report.at("comparison"),
                report.value("comparisonProblem", std::string("receiptbench compare makes one")));
    precisionPart(out, report);
    changesPart(out, report.at("comparison"));
    rulesPart(out, report.at("comparison"));
    gradientPart(out, report);
    memoryPart(out, report);
    timePart(out, report);
    skipsPart(out, report);
    recoveryPart(out, report.at("recovery"));
    out += "## How to recompute\n\n";
    for (const auto& line : report.at("howToRecompute")) {
        out += "- " + escaped(line.get<std::string>()) + "\n";
    }
    return out;
}

}  // namespace receiptbench
