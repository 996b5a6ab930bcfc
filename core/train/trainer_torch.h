// Inside the trainer: its state and one update. Included by the trainer's own sources only.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/budget.h"
#include "core/train/phase_clock.h"
#include "core/train/sampler.h"
#include "core/train/scaler.h"
#include "core/train/trainer.h"
#include "core/train/workspace_torch.h"

namespace receiptbench {

struct Counters {
    std::int64_t attempted = 0, applied = 0, skipped = 0, consecutiveSkips = 0;
    std::int64_t scheduleSteps = 0;
    std::int64_t acceptedExamples = 0;
    std::int64_t nonFiniteUpdates = 0;  // of this object's life
};

// The first of the skips in a row, for the error that ends the run.
struct FirstBadUpdate {
    std::int64_t update = 0;
    std::vector<std::int64_t> ids;
    std::string reason;
};

// One attempted update; false when it was dropped for a stop: then nothing of it remains. The
// record is complete but for its seconds. An update that has to be the last one sets `ending`.
bool runUpdate(Trainer::State& trainer, TrainObserver& observer, const CancelToken& cancel,
               UpdateRecord& record);

struct Trainer::State {
    State(const ExperimentContract& contract, const std::vector<HostTensor>& weights,
          const BatchSource& train, const TrainerOptions& options);

    // SHA-256 chain over what `capture` would hold, hashed where it lies.
    std::string nextReceipt(double loss) const;
    void rememberBoundary();
    void returnToBoundary();
    TrainingState capture() const;
    void restore(const TrainingState& saved);
    double learningRate() const;

    ExperimentContract contract;
    const BatchSource& train;
    TrainerOptions options;
    RunPlan plan;
    BudgetScope budget;  // before every tensor, destroyed after them
    std::unique_ptr<Workspace> workspace;
    LossScaler scaler;
    Sampler sampler;
    Counters counters;
    std::string receipt;
    std::optional<double> bestMetric;
    std::optional<FirstBadUpdate> firstBad;
    std::optional<Error> ending;       // why this update is the last one
    std::int64_t lastCheckpoint = -1;  // attempted updates at the boundary that was last handed out
    PhaseClock clock;
    double startSeconds = 0;  // of run(), for the memory trace

    // The boundary that a dropped update returns to, beside counters and weights (which change only
    // at its end).
    torch::Tensor boundaryGenerator;
    std::vector<torch::Tensor> boundaryBuffers;
    std::int64_t boundaryPosition = 0;
};

}  // namespace receiptbench
