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

struct TrainRequest {
    Precision precision = Precision::Fp32;
    std::string name;                                  // empty: the precision's name
    std::string kind = "run";
    std::optional<std::int64_t> microbatch;            // else the stored plan, else one is made
    std::optional<MemoryFormat> memoryFormat;
    std::optional<std::int64_t> memoryLimit;           // else the contract's environment
    int threads = 2;
    OverBudgetPolicy onOverBudget = OverBudgetPolicy::Stop;
    Normalisation normalisation = Normalisation::AcceptedCount;
    std::set<std::int64_t> injectOverflowAt;
    std::optional<std::int64_t> stopAfter;
    std::string weights;                               // a new run from these weights, never a resume
    bool gradientCheck = true;                         // a failed check stops the run
};

struct ResumeRequest {
    std::string run;                                   // name
    std::string checkpoint;                            // file name or path; empty: the newest valid one
    std::optional<std::int64_t> microbatch;            // another plan: labelled not bit-exact
    std::optional<int> threads;
    std::optional<std::int64_t> stopAfter;
};

struct TrainOutcome {
    std::string run, folder;
    TrainSummary summary;
    std::optional<GradientCheckResult> check;
    std::optional<Metrics> metrics;                    // when it finished
    std::string notBitExact;                           // after a resume: the items that differ, or empty
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

// A precision other than fp32 needs a finished fp32 baseline of the same contract: Error(Data). A precision that the device
// cannot do: Error(NoDevice). A checkpoint that cannot be written does not end the run: it is said, and tried anew at the next boundary.
TrainOutcome trainRun(const Project& project, const TrainRequest& request, TrainListener& listener, const CancelToken& cancel);
TrainOutcome resumeRun(const Project& project, const ResumeRequest& request, TrainListener& listener, const CancelToken& cancel);

Metrics evaluateRun(const Project& project, const std::string& run);      // from the newest checkpoint's weights; stores predictions
std::string baselineRun(const Project& project);                          // name of the finished fp32 run, or empty

}  // namespace receiptbench
