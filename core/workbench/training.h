// Train, resume, evaluate: what happens between "start" and a finished run directory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/cancel.h"
#include "core/evaluate/metrics.h"
#include "core/runs/run_directory.h"
#include "core/train/trainer.h"
#include "core/workbench/project.h"

namespace receiptbench {

enum class CrashWhen { Before, Inside, After };
// Where a drill's child really kills itself: in the checkpoint write of that update (see drill.h).
struct CrashPoint {
    std::int64_t update = 0;
    std::int64_t call = 0;  // index on the tape of the write, from 1
    CrashWhen when = CrashWhen::Inside;
};

struct TrainRequest {
    Precision precision = Precision::Fp32;
    std::string name;  // empty: the precision's name
    std::string kind = "run";
    std::optional<std::int64_t> microbatch;  // else the stored plan, else one is made
    std::optional<MemoryFormat> memoryFormat;
    std::optional<std::int64_t> memoryLimit;  // else the contract's environment
    int threads = 2;
    OverBudgetPolicy onOverBudget = OverBudgetPolicy::Stop;
    Normalisation normalisation = Normalisation::AcceptedCount;
    std::set<std::int64_t> injectOverflowAt;
    std::optional<std::int64_t> stopAfter;
    std::string weights;  // a new run from these weights, never a resume
    std::optional<CrashPoint> dieAt;
};

struct ResumeRequest {
    std::string run;                         // name, or path of a run folder
    std::string checkpoint;                  // file name or path; empty: the newest valid one
    std::optional<std::int64_t> microbatch;  // another plan: labelled not bit-exact
    std::optional<int> threads;
    std::optional<std::int64_t> stopAfter;
    std::optional<CrashPoint> dieAt;
    bool validate = true;  // predict on the validation set at the end
};

struct TrainOutcome {
    std::string run, folder;
    TrainSummary summary;
    std::optional<GradientCheckResult> check;
    std::optional<Metrics> metrics;  // when it finished
    std::string notBitExact;         // after a resume: the items that differ, or empty
    std::string resumedFrom;         // checkpoint file, after a resume
    std::int64_t resumedAtUpdate = 0;
    std::string degraded;  // why the newest checkpoint could not be written, or empty
};

// Live values for a screen or a progress line; on the training thread.
class TrainListener {
 public:
    virtual ~TrainListener() = default;
    virtual void onStart(const std::string& /*run*/, const RunPlan&) {}
    virtual void onCheck(const GradientCheckResult&) {}
    virtual void onUpdate(const UpdateRecord&) {}
    virtual void onMemory(const MemorySample&) {}
    virtual void onCheckpoint(const std::string& /*file*/, double /*seconds*/) {}
    virtual void onMessage(const std::string&) {}
};

// The plan a run of this request would use: fixed, stored for the same budget and threads, or made
// (and stored) now. Error(OverBudget) when nothing fits, Error(NoDevice) when the device cannot do
// the precision.
RunPlan resolvePlan(const Project& project, const TrainRequest& request,
                    Progress& progress = Progress::none(), const CancelToken* cancel = nullptr);

// The gradient check runs first and stops the run when it fails (the deliberately wrong run fails
// it by design and goes on). A precision other than fp32 needs a finished fp32 baseline of the same
// contract: Error(Data). A precision that the device cannot do: Error(NoDevice). A checkpoint that
// cannot be written does not end the run: it is said, and tried anew at the next boundary.
TrainOutcome trainRun(const Project& project, const TrainRequest& request, TrainListener& listener,
                      const CancelToken& cancel);
TrainOutcome resumeRun(const Project& project, const ResumeRequest& request,
                       TrainListener& listener, const CancelToken& cancel);

struct Evaluation {
    Metrics metrics;
    std::string checkpoint;   // file whose weights were taken
    std::int64_t update = 0;  // attempted updates in it
};
// From the newest checkpoint's weights; stores predictions. Error(NoCheckpoint) for a finished run
// that has lost its last update's.
Evaluation evaluateRun(const Project& project, const std::string& run);
StoredPredictions predictionsOf(const Project& project,
                                const std::string& run);  // Error(Data) when there are none
std::string baselineRun(const Project& project);          // name of the finished fp32 run, or empty

}  // namespace receiptbench
