#include "core/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/train/environment_torch.h"
#include "core/train/trainer_torch.h"
#include "core/train/within_budget.h"

namespace receiptbench {
namespace {

void checkOptions(const TrainerOptions& options) {
    const auto positive = [](const char* name, std::int64_t value) {
        if (value < 1) {
            throw Error(ErrorCode::Usage,
                        fmt::format("{} is {}, it must be 1 or more", name, value));
        }
    };
    positive("microbatch", options.plan.microbatch);
    positive("threads", options.plan.threads);
    positive("consecutive skips", options.maxConsecutiveSkips);
    if (options.stopAfter) {
        positive("stop after", *options.stopAfter);
    }
    if (options.memoryLimit < 0) {
        throw Error(ErrorCode::Usage,
                    fmt::format("memory limit is {} bytes, it must be 0 (none) or more",
                                options.memoryLimit));
    }
}

// Before the budget is installed and anything is allocated in it. Returns the plan to run: no
// buffer larger than an update.
RunPlan checkedPlan(const ExperimentContract& contract, const std::vector<HostTensor>& weights,
                    const BatchSource& train, const TrainerOptions& options) {
    checkOptions(options);
    validateContract(contract);
    checkSource(contract, train);
    if (train.size() != contract.trainExamples) {
        throw Error(ErrorCode::Data,
                    fmt::format("the training set holds {} examples, the contract says {}",
                                train.size(), contract.trainExamples),
                    "Use the set that was frozen with this contract.");
    }
    if (const std::string digest = digestOfTensors(weights); digest != contract.model.revision) {
        throw Error(ErrorCode::Data,
                    fmt::format("the weights' digest is {}, the contract's model revision is {}",
                                digest, contract.model.revision),
                    "Use the initial weights that were frozen with this contract.");
    }
    RunPlan plan = options.plan;
    plan.microbatch = std::min(plan.microbatch, contract.examplesPerUpdate);
    prepareTorch(plan.threads);
    if (const std::string reason = unsupportedReason(plan.precision); !reason.empty()) {
        throw Error(ErrorCode::NoDevice, "not supported: " + reason, "Choose another precision.");
    }
    return plan;
}

std::unique_ptr<Workspace> makeWorkspace(const ExperimentContract& contract,
                                         const std::vector<HostTensor>& weights,
                                         const RunPlan& plan) {
    std::unique_ptr<Workspace> workspace;
    if (const auto refusal = withinBudget(
            [&] { workspace = std::make_unique<Workspace>(contract, weights, plan); })) {
        throw Error(ErrorCode::OverBudget,
                    fmt::format("before the first update, with microbatch {}: {}", plan.microbatch,
                                refusal->what()),
                    "Raise the memory limit, or use a smaller microbatch, image size or model.");
    }
    return workspace;
}

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) {
        return *middle;
    }
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// What a run() adds up.
class SummaryBuilder {
 public:
    SummaryBuilder(const Trainer::State& trainer, TrainSummary& summary)
        : trainer_(trainer), summary_(summary) {
        summary_.classMix.assign(static_cast<std::size_t>(trainer.contract.labels.size()), 0);
    }
    void add(const UpdateRecord& record) {
        for (std::size_t i = 0; i < record.classMix.size(); ++i) {
            summary_.classMix[i] += record.classMix[i];
        }
        if (record.memory.total > summary_.peak.total) {
            const std::int64_t reserved = summary_.peak.reserved;
            summary_.peak = record.memory;
            summary_.peak.reserved = std::max(reserved, record.memory.reserved);
        }
        summary_.peak.reserved = std::max(summary_.peak.reserved, record.memory.reserved);
        if (const auto speed = examplesPerSecond(record)) {
            speeds_.push_back(*speed);
        }
    }
    void finish(std::int64_t limit, double seconds) {
        const Counters& counters = trainer_.counters;
        summary_.attempted = counters.attempted;
        summary_.applied = counters.applied;
        summary_.skipped = counters.skipped;
        summary_.acceptedExamples = counters.acceptedExamples;
        summary_.nonFiniteUpdates = counters.nonFiniteUpdates;
        summary_.seconds = seconds;
        summary_.examplesPerSecond = median(speeds_);
        summary_.finished = counters.attempted >= limit;
        summary_.cancelled = !summary_.finished;
        summary_.planAtEnd = trainer_.plan;
        summary_.receipt = trainer_.receipt;
    }

 private:
    const Trainer::State& trainer_;
    TrainSummary& summary_;
    std::vector<double> speeds_;
};

void handOut(Trainer::State& trainer, TrainObserver& observer) {
    trainer.clock.enter(&PhaseSeconds::checkpoint);
    observer.onCheckpointDue(trainer.capture());
    trainer.lastCheckpoint = trainer.counters.attempted;
    trainer.clock.enter(&PhaseSeconds::other);
}

bool isDue(const Trainer::State& trainer, std::int64_t limit, const CancelToken& cancel) {
    const std::int64_t attempted = trainer.counters.attempted;
    return attempted >= limit || cancel.finishRequested() ||
           attempted % trainer.contract.checkpointInterval == 0;
}

// Until the limit or a stop.
void runUpdates(Trainer::State& trainer, std::int64_t limit, TrainObserver& observer,
                const CancelToken& cancel, SummaryBuilder& summary) {
    while (trainer.counters.attempted < limit && !cancel.finishRequested()) {
        UpdateRecord record;
        if (!runUpdate(trainer, observer, cancel, record)) {
            break;
        }
        record.seconds = trainer.clock.take();
        summary.add(record);
        observer.onUpdate(record);
        if (trainer.ending) {
            throw *trainer.ending;
        }
        if (isDue(trainer, limit, cancel)) {
            handOut(trainer, observer);
        }
    }
    if (trainer.counters.attempted < limit &&
        trainer.lastCheckpoint != trainer.counters.attempted) {
        handOut(trainer, observer);
    }
}

}  // namespace

Trainer::State::State(const ExperimentContract& contract_, const std::vector<HostTensor>& weights,
                      const BatchSource& train_, const TrainerOptions& options_)
    : contract(contract_),
      train(train_),
      options(options_),
      plan(checkedPlan(contract_, weights, train_, options_)),
      budget(options_.memoryLimit),
      workspace(makeWorkspace(contract, weights, plan)),
      scaler(plan.precision == Precision::Fp16 ? LossScaler(contract.scaler) : LossScaler()),
      sampler(train_, contract.seed, contract.examplesPerUpdate, contract.lastUpdate),
      receipt(contractHash(contract)) {
    seedTorch(contract.seed, 0);
    rememberBoundary();
}

Trainer::Trainer(const ExperimentContract& contract, const std::vector<HostTensor>& initialWeights,
                 const BatchSource& train, const TrainerOptions& options)
    : state_(std::make_unique<State>(contract, initialWeights, train, options)) {}

Trainer::~Trainer() = default;

void Trainer::restore(const TrainingState& state) {
    state_->restore(state);
}

TrainingState Trainer::capture() const {
    return state_->capture();
}

TrainSummary Trainer::run(TrainObserver& observer, const CancelToken& cancel) {
    State& trainer = *state_;
    prepareTorch(trainer.plan.threads);
    const std::int64_t limit = std::min(
        trainer.contract.updates, trainer.options.stopAfter.value_or(trainer.contract.updates));
    TrainSummary result;
    SummaryBuilder summary(trainer, result);
    trainer.startSeconds = Clock::system().seconds();
    trainer.ending.reset();
    trainer.clock.enter(&PhaseSeconds::other);
    trainer.clock.take();
    runUpdates(trainer, limit, observer, cancel, summary);
    summary.finish(limit, Clock::system().seconds() - trainer.startSeconds);
    return result;
}

std::vector<HostTensor> Trainer::weights() const {
    return exportParameters(state_->workspace->model());
}

}  // namespace receiptbench
