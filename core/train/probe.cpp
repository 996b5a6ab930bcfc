#include <algorithm>

#include "core/base/clock.h"
#include "core/memory/budget.h"
#include "core/train/environment_torch.h"
#include "core/train/probe_torch.h"
#include "core/train/sampler.h"
#include "core/train/within_budget.h"
#include "core/train/workspace_torch.h"

namespace receiptbench {
namespace {

// A trial run of one plan, inside its budget.
class Trial {
 public:
    Trial(const ExperimentContract& contract, const std::vector<HostTensor>& weights,
          const BatchSource& train, const std::vector<ExampleUse>& uses, const RunPlan& plan)
        : contract_(contract),
          train_(train),
          uses_(uses),
          plan_(plan),
          workspace_(contract, weights, plan) {
        seedTorch(contract.seed, 1);
        job_.precision = plan.precision;
        job_.denominator = static_cast<double>(uses.size());
    }

    void warmUp() {
        resetMemoryPeaks();
        const std::vector<std::int64_t> cut =
            cutUpdate(static_cast<std::int64_t>(uses_.size()), plan_.microbatch);
        accumulate(cut.front());
        if (cut.back() != cut.front()) {
            accumulate(cut.back());
        }
        const GradientStatus status = unscaleAndCheck(workspace_.model(), 1.0);
        if (status.finite()) {
            if (contract_.clipNorm > 0) {
                clipGradients(workspace_.model(), status.norm, contract_.clipNorm);
            }
            workspace_.optimizer().step(
                0.0);  // weights stay: what follows is measured at the initial ones
        }
        workspace_.zeroGradients();
    }

    // Examples per second by the median microbatch.
    double measure(double seconds) {
        std::vector<double> times;
        const Clock& clock = Clock::system();
        const double begin = clock.seconds();
        double last = begin;
        do {
            accumulate(plan_.microbatch);
            const double now = clock.seconds();
            times.push_back(now - last);
            last = now;
        } while (last - begin < seconds);
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), middle, times.end());
        return *middle > 0 ? static_cast<double>(plan_.microbatch) / *middle : 0;
    }

 private:
    void accumulate(std::int64_t size) {
        const std::span<const ExampleUse> uses =
            std::span(uses_).first(static_cast<std::size_t>(size));
        const torch::Tensor images = workspace_.input().fill(train_, uses);
        workspace_.accumulateMicrobatch(images, labelsOf(train_, uses), job_);
    }

    const ExperimentContract& contract_;
    const BatchSource& train_;
    const std::vector<ExampleUse>& uses_;
    RunPlan plan_;
    Workspace workspace_;
    MicrobatchJob job_;
};

}  // namespace

Prober::Prober(const ExperimentContract& contract, const std::vector<HostTensor>& weights,
               const BatchSource& train)
    : contract_(contract),
      weights_(weights),
      train_(train),
      uses_(Sampler(train, contract.seed, contract.examplesPerUpdate, LastUpdateRule::Carry)
                .next()
                .uses) {}

Probe Prober::run(const RunPlan& plan, std::int64_t memoryLimit, double seconds) const {
    Probe probe;
    probe.plan = plan;
    const BudgetScope budget(memoryLimit);
    const auto refusal = withinBudget([&] {
        Trial trial(contract_, weights_, train_, uses_, plan);
        trial.warmUp();
        probe.examplesPerSecond = trial.measure(seconds);
        probe.peak = memoryPeaks();
    });
    probe.fits = !refusal;
    if (refusal) {
        probe.examplesPerSecond = 0;
        probe.reason = refusal->what();
    }
    return probe;
}

}  // namespace receiptbench
