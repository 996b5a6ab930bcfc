// Logits of a trained model over a whole set.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/train/environment_torch.h"
#include "core/train/trainer_torch.h"
#include "core/train/within_budget.h"

namespace receiptbench {
namespace {

class EvaluationMode {
 public:
    explicit EvaluationMode(torch::nn::Module& module)
        : module_(module), was_(module.is_training()) {
        module_.eval();
    }
    ~EvaluationMode() { module_.train(was_); }
    EvaluationMode(const EvaluationMode&) = delete;
    EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
    torch::nn::Module& module_;
    bool was_;
};

// Appends the fp32 logits of the uses.
void appendLogits(Classifier& model, const torch::Tensor& images, Precision precision,
                  std::vector<float>& logits) {
    const CategoryScope category(MemoryCategory::Activations);
    torch::Tensor result;
    {
        const AutocastScope autocast(torch::kCPU, precision);
        result = model.forward(images);
    }
    result = result.to(torch::kFloat).contiguous();
    const float* values = result.const_data_ptr<float>();
    logits.insert(logits.end(), values, values + result.numel());
}

std::vector<float> predictAll(Trainer::State& trainer, const BatchSource& source,
                              Precision precision) {
    std::unique_ptr<InputBuffer> own;
    if (precision != trainer.plan.precision) {
        own = std::make_unique<InputBuffer>(trainer.contract, trainer.plan.microbatch, precision,
                                            trainer.plan.memoryFormat);
    }
    InputBuffer& input = own ? *own : trainer.workspace->input();
    std::vector<float> logits;
    logits.reserve(static_cast<std::size_t>(source.size() * trainer.contract.labels.size()));
    std::vector<ExampleUse> uses;
    for (std::int64_t begin = 0; begin < source.size(); begin += input.capacity()) {
        uses.clear();
        for (std::int64_t id = begin; id < std::min(source.size(), begin + input.capacity());
             ++id) {
            uses.push_back({id, -1});
        }
        appendLogits(trainer.workspace->model(), input.fill(source, uses), precision, logits);
    }
    return logits;
}

}  // namespace

std::vector<float> Trainer::predict(const BatchSource& source, Precision precision) {
    checkSource(state_->contract, source);
    prepareTorch(state_->plan.threads);
    const torch::NoGradGuard noGrad;
    const EvaluationMode evaluation(state_->workspace->model());
    std::vector<float> logits;
    if (const auto refusal =
            withinBudget([&] { logits = predictAll(*state_, source, precision); })) {
        throw Error(ErrorCode::OverBudget,
                    fmt::format("prediction with microbatch {}: {}", state_->plan.microbatch,
                                refusal->what()),
                    "Raise the memory limit or use a smaller microbatch.");
    }
    return logits;
}

}  // namespace receiptbench
