// SGD, Adam, AdamW and RMSprop with PyTorch's update rules; state by parameter name, one step count
// per parameter.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/host_tensor.h"
#include "core/contract/contract.h"

namespace receiptbench {

class Optimizer {
 public:
    virtual ~Optimizer() = default;
    // One step over the module's gradients with this learning rate (and one-cycle momentum: beta1
    // of adam and adamw). Every parameter must have a gradient: Error(Failed) naming it, before
    // anything moves.
    virtual void step(double learningRate, std::optional<double> momentum = {}) = 0;
    // optimizer/<slot>/<name> and optimizer/step/<name> (I64 scalars).
    virtual std::vector<HostTensor> exportState() const = 0;
    // Replaces everything, whatever was there before. Missing, extra, repeated or misshaped:
    // Error(Data) by name and nothing changed. Tensors whose name does not begin with "optimizer/"
    // are not looked at.
    virtual void importState(const std::vector<HostTensor>& tensors) = 0;
};
// Keeps references to the module's parameters (those that require a gradient). Slots are allocated
// at once, so that the budget sees them; the schedule tells whether sgd and rmsprop will get a
// cycled momentum and need its buffer. Error(Usage) for an unknown name or a value out of range.
std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSpec& spec, torch::nn::Module& module,
                                         const ScheduleSpec& schedule = {});

}  // namespace receiptbench
