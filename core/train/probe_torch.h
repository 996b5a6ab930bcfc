// One candidate plan tried for real: a model of its own in a budget of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/host_tensor.h"
#include "core/contract/contract.h"
#include "core/train/batch.h"
#include "core/train/input_torch.h"
#include "core/train/planner.h"

namespace receiptbench {

class Prober {
 public:
    Prober(const ExperimentContract& contract, const std::vector<HostTensor>& weights,
           const BatchSource& train);

    // Runs one update's kinds of work (a whole microbatch, the short one, the optimizer step), then
    // whole microbatches for so many seconds (at least one). memoryLimit in bytes, 0: none.
    Probe run(const RunPlan& plan, std::int64_t memoryLimit, double seconds) const;

 private:
    const ExperimentContract& contract_;
    const std::vector<HostTensor>& weights_;
    const BatchSource& train_;
    std::vector<ExampleUse> uses_;  // the first update's
};

}  // namespace receiptbench
