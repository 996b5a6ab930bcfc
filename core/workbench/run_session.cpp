#include "core/workbench/run_session.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/workbench/drill.h"

namespace receiptbench {
namespace {

using nlohmann::json;

constexpr const char* kNormalisationNames[] = {"accepted-count", "mean-of-means"};

// JSON knows no NaN: as in UpdateRecord, the words stand for it.
std::string errorText(const std::exception& error) {
    return printable(error.what());
}

}  // namespace

json planJson(const RunPlan& plan) {
    return {{"precision", toString(plan.precision)},
            {"microbatch", plan.microbatch},
            {"memoryFormat", toString(plan.memoryFormat)},
            {"threads", plan.threads}};
}

json summaryJson(const TrainSummary& summary) {
    return {{"attempted", summary.attempted},
            {"applied", summary.applied},
            {"skipped", summary.skipped},
            {"acceptedExamples", summary.acceptedExamples},
            {"nonFiniteUpdates", summary.nonFiniteUpdates},
            {"classMix", summary.classMix},
            {"seconds", summary.seconds},
            {"examplesPerSecond", summary.examplesPerSecond},
            {"peak", summary.peak},
            {"finished", summary.finished},
            {"cancelled", summary.cancelled},
            {"planAtEnd", planJson(summary.planAtEnd)},
            {"receipt", summary.receipt}};
}

RunSession::RunSession(const Project& project, std::string folder, TrainListener& listener)
    : project_(project),
      folder_(std::move(folder)),
      listener_(listener),
      lock_(lockRun(project.files(), folder_)),
      events_(project.files(), joinPath(folder_, "events.jsonl")) {}

void RunSession::saveAs(SaveOptions options, std::optional<CrashPoint> dieAt) {
    save_ = std::move(options);
    dieAt_ = dieAt;
}

void RunSession::failed(const std::string& text) noexcept {
    try {
        flushMemory();
        events_.append("end", {{"state", "failed"}, {"error", text}});
        events_.sync();
    } catch (...) {
        // The disk is what failed, perhaps: the first error is the one to report.
    }
}

TrainOutcome RunSession::guard(const std::function<TrainOutcome()>& body) {
    try {
        return body();
    } catch (const std::exception& error) {
        failed(errorText(error));
        throw;
    } catch (...) {
        failed("an unknown exception");
        throw;
    }
}

TrainOutcome RunSession::execute(Trainer& trainer, const RunDescription& description,
                                 std::int64_t contractUpdates, bool validateAtEnd,
                                 const CancelToken& cancel) {
    TrainOutcome outcome;
    outcome.run = description.name;
    outcome.folder = folder_;
    outcome.summary = trainer.run(*this, cancel);
    flushMemory();
    const bool whole =
        outcome.summary.attempted >= contractUpdates || description.kind == "overflow";
    const bool finished = outcome.summary.finished && whole;
    // After a stop only where it takes a moment: who stops does not want to wait for emulated
    // arithmetic.
    const bool quick = !cancel.stopRequested() && slowReason(description.plan.precision).empty();
    json end = summaryJson(outcome.summary);
    if (validateAtEnd && (finished || quick)) {
        outcome.metrics = validateWith(trainer, description);
        end["metrics"] = *outcome.metrics;
    }
    outcome.degraded = degraded_;
    end["state"] = finished ? "finished" : "stopped";
    end["normalisation"] = kNormalisationNames[static_cast<int>(description.normalisation)];
    end["checkpointsDegraded"] = degraded_;
    events_.append("end", end);
    events_.sync();
    return outcome;
}

Metrics RunSession::validateWith(Trainer& trainer, const RunDescription& description) {
    listener_.onMessage("validating");
    return validate(project_, folder_, trainer, description.plan.precision);
}

void RunSession::onUpdate(const UpdateRecord& record) {
    flushMemory();
    events_.append("update", {{"record", record}});
    listener_.onUpdate(record);
}

void RunSession::onMemory(const MemorySample& sample) {
    samples_.push_back(sample);
    listener_.onMemory(sample);
}

void RunSession::flushMemory() {
    if (!samples_.empty()) {
        const json samples = samples_;
        samples_.clear();
        events_.append("memory", {{"samples", samples}});
    }
}

void RunSession::onMessage(const std::string& text) {
    events_.append("message", {{"text", printable(text)}});
    listener_.onMessage(text);
}

CheckpointInfo RunSession::save(const TrainingState& state) {
    auto& files = project_.files();
    if (dieAt_ && dieAt_->update == state.values.attempted) {
        const auto dying = dyingFileSystem(files, dieAt_->call, dieAt_->when);
        return saveCheckpoint(*dying, checkpoints(), state, save_);
    }
    return saveCheckpoint(files, checkpoints(), state, save_);
}

void RunSession::onCheckpointDue(const TrainingState& state) {
    const auto& clock = Clock::system();
    const double start = clock.seconds();
    try {
        events_.sync();  // the ledger up to here must survive whenever the checkpoint does
        const auto info = save(state);
        const double seconds = clock.seconds() - start;
        events_.append("checkpoint", {{"file", fileName(info.name)},
                                      {"update", info.name.step},
                                      {"generation", info.name.generation},
                                      {"digest", info.digest},
                                      {"bytes", info.bytes},
                                      {"bytesByPart", info.bytesByPart},
                                      {"seconds", seconds}});
        if (!degraded_.empty()) {
            degraded_.clear();
            onMessage("checkpoints can be written again");
        }
        listener_.onCheckpoint(fileName(info.name), seconds);
    } catch (const FileError& error) {
        checkpointFailed(error, state.values.attempted);
    }
}

void RunSession::checkpointFailed(const Error& error, std::int64_t update) {
    degraded_ = printable(error.what());
    const auto text = fmt::format(
        "checkpoint of update {} could not be written: {}. Training goes on without it; it is "
        "tried anew at the next one.",
        update, degraded_);
    events_.append("message", {{"text", text}, {"degraded", true}, {"update", update}});
    listener_.onMessage(text);
}

}  // namespace receiptbench
