// The training run: sampler -> microbatches -> accumulate -> unscale -> check -> clip -> step ->
// scaler -> schedule. Plain values only; Torch stays inside. The trainer runs on the thread that
// calls run() and is used from no other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/contract/contract.h"
#include "core/contract/run_plan.h"
#include "core/contract/training_state.h"
#include "core/contract/update_record.h"
#include "core/train/batch.h"

namespace receiptbench {

enum class OverBudgetPolicy { Stop, Replan };

struct TrainerOptions {
    RunPlan plan;
    std::int64_t memoryLimit = 0;  // bytes; 0: none
    OverBudgetPolicy onOverBudget = OverBudgetPolicy::Stop;
    Normalisation normalisation = Normalisation::AcceptedCount;
    std::set<std::int64_t>
        injectOverflowAt;  // attempted updates whose first microbatch's loss is made infinite
    std::int64_t maxConsecutiveSkips = 20;
    std::optional<std::int64_t>
        stopAfter;  // attempted updates (side runs, drills); the contract's otherwise
    std::optional<std::int64_t>
        largestMicrobatchThatFits;  // from the probes, for the over-budget message
};

// Called on the training thread. A throwing observer ends the run.
class TrainObserver {
 public:
    virtual ~TrainObserver() = default;
    virtual void onUpdate(const UpdateRecord&) {}
    virtual void onMemory(const MemorySample&) {}
    virtual void onMessage(const std::string&) {}
    // At an update boundary where a checkpoint is due (contract's interval, the last update, a
    // stop). The time it takes of the training thread appears as phase "checkpoint" of the *next*
    // record.
    virtual void onCheckpointDue(const TrainingState&) {}
};

struct TrainSummary {
    std::int64_t attempted = 0, applied = 0, skipped = 0, acceptedExamples = 0;
    std::int64_t nonFiniteUpdates = 0;
    std::vector<std::int64_t> classMix;  // accepted examples by class, over the whole run
    double seconds = 0;                  // of this run() call
    double examplesPerSecond =
        0;  // median over updates of accepted / (update time without checkpoints)
    MemoryPeaks peak;
    bool finished = false;  // reached the contract's (or stopAfter's) updates
    bool cancelled = false;
    RunPlan planAtEnd;
    std::string receipt;
};

class Trainer {
 public:
    // Installs the memory budget for its lifetime (one trainer at a time). Weights: the contract's
    // initial ones, checked against its model revision (Error(Data)). Throws Error(NoDevice) when
    // the device cannot do the precision.
    Trainer(const ExperimentContract& contract, const std::vector<HostTensor>& initialWeights,
            const BatchSource& train, const TrainerOptions& options);
    ~Trainer();

    // Continues from a boundary: every field. The plan may differ: then the result is not
    // bit-exact.
    void restore(const TrainingState& state);
    TrainingState capture() const;

    // Runs to the end, a stop or an error. Ledger invariants are asserted at each update:
    // Error(Failed) on a breach.
    TrainSummary run(TrainObserver& observer, const CancelToken& cancel);

    // fp32 logits [size, classes] of every example of the source, no augmentation, autocast as the
    // run's precision, microbatches of the plan. Does not touch training state.
    std::vector<float> predict(const BatchSource& source, Precision precision);
    std::vector<HostTensor> weights() const;

    struct State;  // opaque: Torch's side

 private:
    std::unique_ptr<State> state_;
};

// Of a run with so many threads; sets Torch's process-wide switches as a run does.
EnvironmentFingerprint currentEnvironment(int threads);
// Empty when this device can do it, else the reason.
std::string unsupportedReason(Precision precision);
// True, with a note, when the mode runs but slowly (fp16 without native support).
std::string slowReason(Precision precision);
// Chain digest over (previous, update, loss bits, parameters, buffers, optimizer slots, RNG,
// position, learning-rate bits, scaler) of the state after that update: UpdateRecord::receipt
// recomputed. The chain begins with the contract's hash.
std::string chainReceipt(const std::string& previous, const TrainingState& state, double loss);

}  // namespace receiptbench
