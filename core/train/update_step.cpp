// One attempted update: data -> microbatches -> unscale -> check -> clip -> step -> scaler ->
// schedule -> receipt.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/train/environment_torch.h"
#include "core/train/ledger.h"
#include "core/train/schedule.h"
#include "core/train/trainer_torch.h"
#include "core/train/within_budget.h"

namespace receiptbench {
namespace {

class UpdateStep {
 public:
    UpdateStep(Trainer::State& trainer, TrainObserver& observer, const CancelToken& cancel,
               UpdateRecord& record)
        : trainer_(trainer), observer_(observer), cancel_(cancel), record_(record) {}

    bool run();

 private:
    void begin();
    bool accumulateAll();  // false: stopped
    bool accumulateOnce();
    void accumulateOne(std::span<const ExampleUse> uses, std::int64_t index);
    void replan(const OverBudget& refusal);
    void applyOrSkip();
    void apply(double norm);
    void skip(const GradientStatus& status);
    void updateScaler(bool nonFinite);
    void endAfterSkips();
    void end(const Error& error);
    void finish();
    void enter(const char* phase, double PhaseSeconds::*seconds);
    void sample(const char* phase, std::int64_t total,
                const std::array<std::int64_t, kMemoryCategories>& byCategory);

    Trainer::State& trainer_;
    TrainObserver& observer_;
    const CancelToken& cancel_;
    UpdateRecord& record_;
    UpdateExamples examples_;
    double lossSum_ = 0;
    std::int64_t microbatch_ = 0;   // index of the one at work
    std::int64_t sampledPeak_ = 0;  // bytes
};

std::string idsDigest(const std::vector<ExampleUse>& uses) {
    Sha256 hash;
    for (const ExampleUse& use : uses) {
        hash.update(static_cast<std::uint64_t>(use.id));
    }
    return hash.finishHex();
}

std::vector<std::int64_t> idsOf(const std::vector<ExampleUse>& uses) {
    std::vector<std::int64_t> ids;
    for (const ExampleUse& use : uses) {
        ids.push_back(use.id);
    }
    return ids;
}

// All that is known about the first of the bad updates, for the message that ends the run.
std::string describe(const FirstBadUpdate& bad) {
    return fmt::format("the first bad update was {} ({}), examples {}", bad.update, bad.reason,
                       fmt::join(bad.ids, ","));
}

void UpdateStep::sample(const char* phase, std::int64_t total,
                        const std::array<std::int64_t, kMemoryCategories>& byCategory) {
    MemorySample sample;
    sample.seconds = Clock::system().seconds() - trainer_.startSeconds;
    sample.update = record_.update;
    sample.microbatch = microbatch_;
    sample.phase = phase;
    sample.total = total;
    sample.byCategory = byCategory;
    observer_.onMemory(sample);
}

// A phase border: the time, a new peak of the phase that ends, and what lives as the next one
// begins.
void UpdateStep::enter(const char* phase, double PhaseSeconds::*seconds) {
    trainer_.clock.enter(&PhaseSeconds::other);
    const MemoryPeaks peaks = memoryPeaks();
    if (peaks.total > sampledPeak_) {
        sampledPeak_ = peaks.total;
        sample("peak", peaks.total, peaks.atPeak);
    }
    const MemoryState state = memoryState();
    sample(phase, state.allocated, state.byCategory);
    trainer_.clock.enter(seconds);
}

void UpdateStep::begin() {
    record_.update = trainer_.counters.attempted + 1;
    resetMemoryPeaks();
    enter("data", &PhaseSeconds::data);
    examples_ = trainer_.sampler.next();
    if (examples_.uses.empty()) {
        throw Error(ErrorCode::Data, fmt::format("update {} has no example", record_.update));
    }
    record_.epoch = examples_.firstEpoch;
    record_.position = examples_.positionAfter;
    record_.accepted = static_cast<std::int64_t>(examples_.uses.size());
    record_.idsDigest = idsDigest(examples_.uses);
    record_.classMix.assign(static_cast<std::size_t>(trainer_.contract.labels.size()), 0);
    for (const ExampleUse& use : examples_.uses) {
        ++record_.classMix.at(static_cast<std::size_t>(trainer_.train.label(use.id)));
    }
    record_.denominator =
        lossDenominator(labelsOf(trainer_.train, examples_.uses), trainer_.contract.loss);
    if (trainer_.options.injectOverflowAt.contains(record_.update)) {
        record_.overflowInjected =
            "deliberate: the first microbatch's loss was multiplied by infinity";
    }
}

void UpdateStep::accumulateOne(std::span<const ExampleUse> uses, std::int64_t index) {
    microbatch_ = index;
    enter("data", &PhaseSeconds::data);
    const torch::Tensor images = trainer_.workspace->input().fill(trainer_.train, uses);
    const torch::Tensor labels = labelsOf(trainer_.train, uses);
    MicrobatchJob job;
    job.precision = trainer_.plan.precision;
    job.normalisation = trainer_.options.normalisation;
    job.denominator = record_.denominator;
    job.microbatches = static_cast<std::int64_t>(record_.microbatches.size());
    job.scale = trainer_.scaler.scale();
    const bool overflow = index == 0 && !record_.overflowInjected.empty();
    job.lossFactor = overflow ? std::numeric_limits<double>::infinity() : 1.0;
    const auto atPhase = [this](const char* phase) {
        enter(phase, std::string_view(phase) == "forward" ? &PhaseSeconds::forward
                                                          : &PhaseSeconds::backward);
    };
    lossSum_ += trainer_.workspace->accumulateMicrobatch(images, labels, job, atPhase).lossSum;
}

// All microbatches, from the update's own random state on.
bool UpdateStep::accumulateOnce() {
    seedTorch(trainer_.contract.seed, record_.update);
    lossSum_ = 0;
    record_.microbatches = cutUpdate(record_.accepted, trainer_.plan.microbatch);
    std::span<const ExampleUse> left = examples_.uses;
    for (std::size_t i = 0; i < record_.microbatches.size(); ++i) {
        if (cancel_.stopRequested()) {
            return false;
        }
        const auto size = static_cast<std::size_t>(record_.microbatches[i]);
        accumulateOne(left.first(size), static_cast<std::int64_t>(i));
        left = left.subspan(size);
    }
    return !cancel_.stopRequested();
}

bool UpdateStep::accumulateAll() {
    for (;;) {
        bool complete = false;
        const std::optional<OverBudget> refusal =
            withinBudget([&] { complete = accumulateOnce(); });
        if (!refusal) {
            return complete;
        }
        replan(*refusal);
    }
}

// Over budget: the partial gradients go, and the whole update is done again with half the
// microbatch. The effective batch stays.
void UpdateStep::replan(const OverBudget& refusal) {
    const std::int64_t failed = trainer_.plan.microbatch;
    if (trainer_.options.onOverBudget == OverBudgetPolicy::Stop || failed <= 1) {
        const auto fits = trainer_.options.largestMicrobatchThatFits;
        std::string known =
            fits && *fits < failed
                ? fmt::format("; the probes found microbatch {} to be the largest that fits", *fits)
                : "";
        throw Error(ErrorCode::OverBudget,
                    fmt::format("update {}, microbatch {}: {}{}", record_.update, failed,
                                refusal.what(), known),
                    failed <= 1 ? "Raise the memory limit, or freeze a smaller image size or model."
                                : "Use a smaller microbatch, or --on-over-budget=replan.");
    }
    const std::int64_t smaller = failed / 2;
    const std::string note =
        fmt::format("microbatch {} -> {}: {}", failed, smaller, refusal.what());
    record_.replans.push_back(note);
    observer_.onMessage(fmt::format("update {}: {}", record_.update, note));
    // The update's position in the stream stays where it is: the same examples again.
    const std::int64_t position = trainer_.sampler.position();
    trainer_.returnToBoundary();
    trainer_.sampler.seek(position);
    trainer_.plan.microbatch = smaller;
    trainer_.workspace->setMicrobatch(smaller);
}

void UpdateStep::apply(double norm) {
    Classifier& model = trainer_.workspace->model();
    const ExperimentContract& contract = trainer_.contract;
    record_.gradientNorm = norm;
    record_.clipFactor =
        contract.clipNorm > 0 ? clipGradients(model, norm, contract.clipNorm) : 1.0;
    trainer_.workspace->optimizer().step(
        record_.learningRate,
        momentumAt(contract.schedule, contract.updates, trainer_.counters.applied));
    record_.wasApplied = true;
    ++trainer_.counters.applied;
    ++trainer_.counters.scheduleSteps;
    trainer_.counters.consecutiveSkips = 0;
    trainer_.firstBad.reset();
}

void UpdateStep::skip(const GradientStatus& status) {
    record_.nonFiniteElements = status.nonFiniteElements;
    record_.nonFiniteParameters = status.nonFiniteParameters;
    record_.skipReason = fmt::format("{} non-finite gradient elements in {} parameters, first {}",
                                     status.nonFiniteElements, status.nonFiniteParameters.size(),
                                     status.nonFiniteParameters.front());
    ++trainer_.counters.skipped;
    ++trainer_.counters.consecutiveSkips;
    ++trainer_.counters.nonFiniteUpdates;
    if (!trainer_.firstBad) {
        trainer_.firstBad =
            FirstBadUpdate{record_.update, idsOf(examples_.uses), record_.skipReason};
    }
}

void UpdateStep::end(const Error& error) {
    if (!trainer_.ending) {
        trainer_.ending = error;
    }
}

void UpdateStep::updateScaler(bool nonFinite) {
    record_.scaleBefore = trainer_.scaler.scale();
    try {
        trainer_.scaler.update(nonFinite);
    } catch (const Error& error) {
        end(Error(error.code(),
                  fmt::format("update {}: {}; {}", record_.update, error.what(),
                              describe(*trainer_.firstBad)),
                  error.hint()));
    }
    record_.scaleAfter = trainer_.scaler.scale();
}

void UpdateStep::endAfterSkips() {
    if (trainer_.counters.consecutiveSkips < trainer_.options.maxConsecutiveSkips) {
        return;
    }
    end(Error(ErrorCode::Failed,
              fmt::format("{} updates in a row were skipped for non-finite gradients; {}",
                          trainer_.counters.consecutiveSkips, describe(*trainer_.firstBad)),
              "Lower the learning rate, or use bf16 or fp32; look at the named examples."));
}

void UpdateStep::applyOrSkip() {
    microbatch_ = static_cast<std::int64_t>(record_.microbatches.size());
    enter("optimizer", &PhaseSeconds::optimizer);
    record_.learningRate = trainer_.learningRate();
    const std::optional<OverBudget> refusal = withinBudget([&] {
        const CategoryScope category(MemoryCategory::Activations);  // the rules' workspace
        const GradientStatus status =
            unscaleAndCheck(trainer_.workspace->model(), trainer_.scaler.scale());
        if (status.finite()) {
            apply(status.norm);
        } else {
            skip(status);
        }
    });
    if (refusal) {
        // Weights may have moved in part: nothing can be redone here.
        throw Error(ErrorCode::OverBudget,
                    fmt::format("update {}, optimizer step: {}", record_.update, refusal->what()),
                    "Raise the memory limit and resume from the last checkpoint.");
    }
    ++trainer_.counters.attempted;
    trainer_.counters.acceptedExamples += record_.accepted;
    updateScaler(!record_.wasApplied);
    if (!record_.wasApplied) {
        endAfterSkips();
    }
    trainer_.workspace->zeroGradients();
}

void UpdateStep::finish() {
    enter("other", &PhaseSeconds::other);
    record_.applied = trainer_.counters.applied;
    record_.skipped = trainer_.counters.skipped;
    record_.scheduleSteps = trainer_.counters.scheduleSteps;
    record_.loss = lossSum_ / record_.denominator;
    checkLedger(record_, trainer_.contract, trainer_.boundaryPosition);
    trainer_.rememberBoundary();
    trainer_.receipt = trainer_.nextReceipt(record_.loss);
    record_.receipt = trainer_.receipt;
    record_.memory = memoryPeaks();
}

bool UpdateStep::run() {
    try {
        begin();
        if (!accumulateAll()) {
            trainer_.returnToBoundary();
            return false;
        }
    } catch (...) {
        trainer_.returnToBoundary();
        throw;
    }
    applyOrSkip();
    finish();
    return true;
}

}  // namespace

bool runUpdate(Trainer::State& trainer, TrainObserver& observer, const CancelToken& cancel,
               UpdateRecord& record) {
    return UpdateStep(trainer, observer, cancel, record).run();
}

}  // namespace receiptbench
