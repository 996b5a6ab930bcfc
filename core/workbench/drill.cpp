#include "core/workbench/drill.h"

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/workbench/child_process.h"
#include "core/workbench/run_copy.h"

namespace receiptbench {
namespace {

using Ledger = std::map<std::int64_t, UpdateRecord>;

constexpr double kLossTolerance = 1e-3;  // relative, for another plan
constexpr std::int64_t kUpdatesOtherPlan = 5;

Ledger ledgerOf(FileSystem& files, const std::string& folder) {
    Ledger ledger;
    for (auto& record : readHistory(files, folder).updates) {
        const auto update = record.update;
        ledger.emplace(update, std::move(record));
    }
    return ledger;
}

std::string newFolder(const Project& project, const std::string& run) {
    for (int number = 1;; ++number) {
        const auto folder = joinPath(project.paths().drills(), fmt::format("{}-{}", run, number));
        if (!project.files().exists(folder)) {
            project.files().makeDirectories(folder);
            return folder;
        }
    }
}

// One drill from its choice of a crash point to its verdict.
class Drill {
 public:
    Drill(const Project& project, const DrillRequest& request, Progress& progress,
          const CancelToken* cancel)
        : project_(project),
          files_(project.files()),
          request_(request),
          progress_(progress),
          cancel_(cancel),
          original_(project.paths().run(request.run)),
          description_(loadRun(files_, original_)),
          loaded_(project.contract()),
          reference_(ledgerOf(files_, original_)) {}

    DrillResult run() {
        progress_.stage("crash and recovery", 5);
        chooseStart();
        choosePoint();
        prepare();
        progress_.step(1);
        letChildDie();
        progress_.step(2);
        recover();
        progress_.step(3);
        continueRun();
        progress_.step(4);
        runNegativeControl();
        judge();
        writeAtomically(files_, joinPath(result_.folder, "drill.json"),
                        nlohmann::json(result_).dump(1) + "\n");
        progress_.step(5);
        return result_;
    }

 private:
    std::string checkpoints(const std::string& run) const { return joinPath(run, "checkpoints"); }
    std::int64_t nextDue(std::int64_t update) const;
    void chooseStart();
    void choosePoint();
    void prepare();
    void letChildDie();
    void recover();
    std::int64_t lastCompared() const;
    void continueRun();
    void runNegativeControl();
    void judge();

    const Project& project_;
    FileSystem& files_;
    const DrillRequest& request_;
    Progress& progress_;
    const CancelToken* cancel_;
    std::string original_;
    RunDescription description_;
    LoadedContract loaded_;
    Ledger reference_;
    CheckpointName from_;
    Recovery recovery_;
    std::string copy_;
    DrillResult result_;
};

std::int64_t Drill::nextDue(std::int64_t update) const {
    const auto interval = loaded_.contract.checkpointInterval;
    return std::min((update / interval + 1) * interval, loaded_.contract.updates);
}

// The oldest kept checkpoint from which the ledger goes on: or, for a named update, the newest one
// before it.
void Drill::chooseStart() {
    std::vector<std::string> steps;
    std::optional<CheckpointName> chosen;
    for (const auto& name : listCheckpoints(files_, checkpoints(original_))) {  // newest first
        steps.push_back(std::to_string(name.step));
        const bool usable = reference_.contains(nextDue(name.step)) &&
                            (!request_.atUpdate || name.step < *request_.atUpdate);
        if (usable && !(chosen && request_.atUpdate)) {
            chosen = name;
        }
    }
    if (!chosen) {
        throw Error(
            ErrorCode::Data,
            fmt::format(
                "run {} has no checkpoint to start the drill from{} (kept are those of updates: "
                "{})",
                description_.name,
                request_.atUpdate ? fmt::format(" before update {}", *request_.atUpdate) : "",
                fmt::join(steps, ", ")),
            "a drill needs a checkpoint with recorded updates after it: name a later --at-update, "
            "or train longer");
    }
    from_ = *chosen;
    result_.crashedAtUpdate = request_.atUpdate.value_or(nextDue(from_.step));
    const auto due = result_.crashedAtUpdate;
    if (nextDue(due - 1) != due || !reference_.contains(due)) {
        throw Error(ErrorCode::Usage, fmt::format("no checkpoint is written at update {}", due),
                    fmt::format("name a multiple of {} up to {}",
                                loaded_.contract.checkpointInterval, loaded_.contract.updates));
    }
}

void Drill::choosePoint() {
    result_.run = description_.name;
    result_.tape = callTape(project_, request_.run);
    // Recorded with the newest checkpoint: the calls are the same, the file is the child's own.
    const auto own = fileName(CheckpointName{from_.generation + 1, result_.crashedAtUpdate});
    for (auto& call : result_.tape) {
        const auto begin = call.path.find("ckpt-g"), end = call.path.find(".safetensors");
        if (begin != std::string::npos && end != std::string::npos) {
            call.path.replace(begin, end + 12 - begin, own);
        }
    }
    result_.when = request_.when;
    const auto largest =
        std::max_element(result_.tape.begin(), result_.tape.end(),
                         [](const FileCall& a, const FileCall& b) { return a.bytes < b.bytes; });
    result_.crashedAtCall = request_.call.value_or(largest->index);
    const auto count = static_cast<std::int64_t>(result_.tape.size());
    if (result_.crashedAtCall < 1 || result_.crashedAtCall > count) {
        throw Error(
            ErrorCode::Usage,
            fmt::format("call {} is not on the tape of {} calls", result_.crashedAtCall, count),
            "see receiptbench drill --tape");
    }
    const auto& call = result_.tape[static_cast<std::size_t>(result_.crashedAtCall - 1)];
    if (result_.when == CrashWhen::Inside && call.operation != "write") {
        throw Error(ErrorCode::Usage,
                    fmt::format("call {} is \"{}\": only a write can be cut inside", call.index,
                                call.operation),
                    "use --when before or --when after");
    }
}

void Drill::prepare() {
    if (request_.program.empty()) {
        throw Error(ErrorCode::Usage,
                    "the drill needs the path of the receiptbench program, and none was given");
    }
    result_.folder = newFolder(project_, description_.name);
    copy_ = joinPath(result_.folder, "run");
    copyRunUpTo(files_, original_, copy_, from_.step);
    const auto name = fileName(from_);
    writeAtomically(files_, joinPath(checkpoints(copy_), name),
                    readBytes(files_, joinPath(checkpoints(original_), name)));
    result_.before = files_.list(checkpoints(copy_));
}

void Drill::letChildDie() {
    const auto point = fmt::format("{}:{}:{}", result_.crashedAtUpdate, result_.crashedAtCall,
                                   toString(result_.when));
    const auto end = runChild(
        {request_.program, "train", "--project", project_.paths().root, "--name", copy_, "--resume",
         "--die-at", point, "--stop-after", std::to_string(result_.crashedAtUpdate), "--quiet"},
        joinPath(result_.folder, "child.log"), cancel_);
    result_.childSignal = end.signal;
    result_.childExit = end.exitCode;
    result_.afterCrash = files_.list(checkpoints(copy_));
    if (end.signal != SIGKILL) {
        throw Error(
            ErrorCode::Failed,
            fmt::format("the drill's child did not die as it should: exit code {}, signal {}",
                        end.exitCode, end.signal),
            "its output is in " + joinPath(result_.folder, "child.log"));
    }
}

void Drill::recover() {
    recovery_ = recoverCheckpoint(files_, checkpoints(copy_), loaded_.hash);
    result_.rejected = recovery_.rejected;
    result_.removedTemporaries = recovery_.removedTemporaries;
    result_.afterRecovery = files_.list(checkpoints(copy_));
    if (!recovery_.chosen) {
        throw Error(ErrorCode::NoCheckpoint, "after the crash no checkpoint of the copy is valid",
                    "look at " + checkpoints(copy_));
    }
    result_.chosen = fileName(recovery_.chosen->name);
    result_.resumedAtUpdate = recovery_.state.values.attempted;
    if (!reference_.contains(result_.resumedAtUpdate + 1)) {
        throw Error(ErrorCode::Usage,
                    fmt::format("after update {} nothing is left of the run to compare with",
                                result_.resumedAtUpdate),
                    "name an earlier --at-update");
    }
}

std::int64_t Drill::lastCompared() const {
    const auto first = result_.resumedAtUpdate + 1, last = reference_.rbegin()->first;
    if (request_.compareUpdates > 0) {
        return std::min(last, first + request_.compareUpdates - 1);
    }
    if (request_.resumeMicrobatch) {
        return std::min(last, first + kUpdatesOtherPlan - 1);
    }
    // A forgotten schedule or sampler state may show only in the next epoch.
    const auto examples = loaded_.contract.trainExamples;
    const auto endOfNextEpoch = (recovery_.state.values.position / examples + 2) * examples;
    for (const auto& [update, record] : reference_) {
        if (update >= first && record.position >= endOfNextEpoch) {
            return update;
        }
    }
    return last;
}

void Drill::continueRun() {
    ResumeRequest resume;
    resume.run = copy_;
    resume.microbatch = request_.resumeMicrobatch;
    resume.stopAfter = lastCompared();
    resume.validate = false;
    TrainListener nobody;
    const CancelToken never;
    const auto outcome = resumeRun(project_, resume, nobody, cancel_ != nullptr ? *cancel_ : never);
    if (outcome.summary.cancelled) {
        throw Error(ErrorCode::Interrupted, "the drill was interrupted");
    }
    result_.notBitExact = outcome.notBitExact;
    const auto continued = ledgerOf(files_, copy_);
    for (auto update = result_.resumedAtUpdate + 1; update <= *resume.stopAfter; ++update) {
        const auto &expected = reference_.at(update), &found = continued.at(update);
        const bool equal = expected.receipt == found.receipt;
        result_.comparedUpdates += 1;
        result_.equalUpdates += equal ? 1 : 0;
        result_.firstUpdateEqual =
            result_.firstUpdateEqual || (equal && result_.comparedUpdates == 1);
        const double difference =
            std::abs(found.loss - expected.loss) / std::max(std::abs(expected.loss), 1e-12);
        // Not std::max: a NaN must stay visible.
        result_.measuredDifference =
            difference <= result_.measuredDifference ? result_.measuredDifference : difference;
    }
}

// The same resume with one field wrong: were the chain blind to it, equality would prove nothing.
void Drill::runNegativeControl() {
    const auto folder = joinPath(result_.folder, "control");
    auto state = recovery_.state;
    ++state.values.position;
    copyRunUpTo(files_, original_, folder, result_.resumedAtUpdate);
    SaveOptions save;
    save.contractHash = loaded_.hash;
    save.generation = recovery_.chosen->name.generation;
    saveCheckpoint(files_, checkpoints(folder), state, save);
    ResumeRequest resume;
    resume.run = folder;
    resume.stopAfter = result_.resumedAtUpdate + 1;
    resume.validate = false;
    TrainListener nobody;
    const CancelToken never;
    resumeRun(project_, resume, nobody, cancel_ != nullptr ? *cancel_ : never);
    const auto ledger = ledgerOf(files_, folder);
    const auto found = ledger.find(result_.resumedAtUpdate + 1);
    if (found == ledger.end()) {
        throw Error(ErrorCode::Interrupted, "the drill was interrupted");
    }
    const auto& expected = reference_.at(found->first);
    result_.negativeControlDiffers = found->second.receipt != expected.receipt;
    result_.negativeControl =
        fmt::format("sampler position moved by one example: loss of update {} is {} instead of {}",
                    found->first, formatDouble(found->second.loss), formatDouble(expected.loss));
}

void Drill::judge() {
    const bool same =
        result_.comparedUpdates > 0 && result_.equalUpdates == result_.comparedUpdates;
    if (!result_.notBitExact.empty()) {
        result_.tolerance = kLossTolerance;
    }
    const bool within =
        !result_.notBitExact.empty() && result_.measuredDifference <= result_.tolerance;
    result_.proven = (same || within) && result_.negativeControlDiffers;
}

// Removed whatever happens.
class ScratchFolder {
 public:
    explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const std::string& path() const { return path_; }

 private:
    std::string path_;
};

std::string without(std::string text, const std::string& prefix) {
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
        text.erase(at, prefix.size());
    }
    return text;
}

}  // namespace

std::vector<FileCall> callTape(const Project& project, const std::string& run) {
    auto& files = project.files();
    const auto folder = project.paths().run(run);
    const auto recovery =
        recoverCheckpoint(files, joinPath(folder, "checkpoints"), project.contract().hash, false);
    if (!recovery.chosen) {
        throw Error(ErrorCode::NoCheckpoint,
                    "run " + printable(run) + " has no valid checkpoint to write again",
                    "train it first");
    }
    files.makeDirectories(project.paths().drills());
    const ScratchFolder scratch(
        joinPath(project.paths().drills(), fmt::format(".tape-{}", ::getpid())));
    files.makeDirectories(scratch.path());
    std::vector<FileCall> tape;
    SaveOptions save;
    save.contractHash = project.contract().hash;
    saveCheckpoint(*traceFileSystem(files, &tape), scratch.path(), recovery.state, save);
    for (auto& call : tape) {
        call.path = without(call.path, scratch.path() + "/");
        call.path = call.path == scratch.path() ? "." : call.path;
    }
    return tape;
}

DrillResult runDrill(const Project& project, const DrillRequest& request, Progress& progress,
                     const CancelToken* cancel) {
    return Drill(project, request, progress, cancel).run();
}

}  // namespace receiptbench
