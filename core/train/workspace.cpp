#include "core/train/workspace_torch.h"

#include "core/memory/budget.h"

namespace receiptbench {

Workspace::Workspace(const ExperimentContract& contract, const std::vector<HostTensor>& weights,
                     const RunPlan& plan, Use use)
    : contract_(contract), plan_(plan) {
    {
        const CategoryScope category(MemoryCategory::Parameters);
        model_ = makeClassifier(contract.model, contract.labels.size(), contract.seed);
        importParameters(*model_, weights);
        setMemoryFormat(*model_, plan.memoryFormat);
        model_->train(true);
    }
    {
        // Present from the start: backward then adds in place instead of handing over its own
        // workspace.
        const CategoryScope category(MemoryCategory::Gradients);
        for (torch::Tensor& parameter : model_->parameters()) {
            parameter.mutable_grad() = torch::zeros_like(parameter.detach());
        }
    }
    if (use == Use::Training) {
        const CategoryScope category(MemoryCategory::Optimizer);
        optimizer_ = makeOptimizer(contract.optimizer, *model_, contract.schedule);
    }
    setMicrobatch(plan.microbatch);
}

void Workspace::zeroGradients() {
    torch::NoGradGuard noGrad;
    for (torch::Tensor& parameter : model_->parameters()) {
        parameter.mutable_grad().zero_();
    }
}

void Workspace::setMicrobatch(std::int64_t microbatch) {
    if (input_ && input_->capacity() == microbatch) {
        return;
    }
    input_.reset();  // the old one makes room first
    plan_.microbatch = microbatch;
    input_ =
        std::make_unique<InputBuffer>(contract_, microbatch, plan_.precision, plan_.memoryFormat);
}

MicrobatchResult Workspace::accumulateMicrobatch(
    const torch::Tensor& images, const torch::Tensor& labels, const MicrobatchJob& job,
    const std::function<void(const char* phase)>& atPhase) {
    const CategoryScope category(MemoryCategory::Activations);
    MicrobatchJob reaching = job;
    // Gradients exist from the start: a parameter that backward leaves out would go unnoticed.
    reaching.mustReach = model_.get();
    return accumulate([this](const torch::Tensor& x) { return model_->forward(x); }, images, labels,
                      contract_.loss, reaching, atPhase);
}

}  // namespace receiptbench
