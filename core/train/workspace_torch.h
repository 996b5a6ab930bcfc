// Everything of a run that lives in the budget from its first to its last update.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/host_tensor.h"
#include "core/contract/contract.h"
#include "core/contract/run_plan.h"
#include "core/model/model_torch.h"
#include "core/train/accumulate_torch.h"
#include "core/train/input_torch.h"
#include "core/train/optimizer_torch.h"

namespace receiptbench {

// The model with its gradients, optimizer slots and input buffers: each allocated once, at
// construction, and counted in its category, so that an update allocates only activations and
// workspace. Built inside a BudgetScope.
class Workspace {
 public:
    enum class Use { Training, GradientsOnly };
    // Error(Data) when the weights are not the model's.
    Workspace(const ExperimentContract& contract, const std::vector<HostTensor>& weights,
              const RunPlan& plan, Use use = Use::Training);

    Classifier& model() { return *model_; }
    const Classifier& model() const { return *model_; }
    Optimizer& optimizer() { return *optimizer_; }
    const Optimizer& optimizer() const { return *optimizer_; }
    InputBuffer& input() { return *input_; }

    void zeroGradients();
    void setMicrobatch(std::int64_t microbatch);  // new input buffers
    // Forward and backward of one microbatch; what it allocates counts as activations.
    MicrobatchResult accumulateMicrobatch(
        const torch::Tensor& images, const torch::Tensor& labels, const MicrobatchJob& job,
        const std::function<void(const char* phase)>& atPhase = {});

 private:
    const ExperimentContract& contract_;
    RunPlan plan_;
    std::shared_ptr<Classifier> model_;
    std::unique_ptr<Optimizer> optimizer_;
    std::unique_ptr<InputBuffer> input_;
};

}  // namespace receiptbench
