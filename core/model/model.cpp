#include "core/model/model.h"

#include <fmt/format.h>

#include <cmath>
#include <mutex>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/model/model_torch.h"
#include "core/model/receipt_net_torch.h"

namespace receiptbench {
namespace {

constexpr std::int64_t kLargestWidth = 4096;  // keeps every parameter's size far from overflow
constexpr std::int64_t kLargestClasses = 1 << 16;

// Torch's layers draw initial weights from the process-wide generator; ours are drawn from
// RandomStream instead, so building a model must leave that generator as it was.
class KeepTorchGenerator {
 public:
    KeepTorchGenerator() : generator_(at::detail::getDefaultCPUGenerator()) {
        std::lock_guard<std::mutex> lock(generator_.mutex());
        state_ = generator_.get_state();
    }
    ~KeepTorchGenerator() {
        std::lock_guard<std::mutex> lock(generator_.mutex());
        generator_.set_state(state_);
    }
    KeepTorchGenerator(const KeepTorchGenerator&) = delete;
    KeepTorchGenerator& operator=(const KeepTorchGenerator&) = delete;

 private:
    at::Generator generator_;
    torch::Tensor state_;
};

// PyTorch's defaults: convolutions and linear layers uniform in +-1/sqrt(fan in) (kaiming_uniform
// with a = sqrt(5)), their biases too; norms 1 and 0.
void fillUniform(torch::Tensor parameter, std::int64_t fanIn, RandomStream stream) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(fanIn));
    torch::Tensor values = torch::empty(parameter.sizes(), torch::kFloat);
    float* out = values.data_ptr<float>();
    for (std::int64_t i = 0; i < values.numel(); ++i) {
        out[i] = static_cast<float>(stream.uniform(-bound, bound));
    }
    parameter.copy_(values);
}

void initialise(Classifier& model, std::uint64_t seed) {
    torch::NoGradGuard noGrad;
    std::uint64_t index = 0;
    std::int64_t fanIn = 1;
    for (const auto& item : model.named_parameters()) {
        const torch::Tensor& parameter = item.value();
        const bool isBias = item.key().ends_with("bias");
        if (parameter.dim() >= 2) {
            fanIn = parameter.numel() / parameter.size(0);
        }
        const bool isNorm = item.key().find("norm") != std::string::npos;
        if (isNorm) {
            parameter.fill_(isBias ? 0.0 : 1.0);
        } else {
            fillUniform(parameter, fanIn, RandomStream(seed, "initial-weights", index));
        }
        ++index;
    }
}

void checkSpec(const ModelSpec& spec, std::int64_t classes) {
    if (spec.name != "receiptnet") {
        throw Error(ErrorCode::Usage, fmt::format("model.name: unknown model \"{}\"", spec.name),
                    "Known models: receiptnet.");
    }
    if (spec.width < 8 || spec.width % 8 != 0 || spec.width > kLargestWidth) {
        throw Error(ErrorCode::Usage, fmt::format("model.width: {} is not possible", spec.width),
                    fmt::format("Choose a multiple of 8 from 8 to {}.", kLargestWidth));
    }
    if (classes < 2 || classes > kLargestClasses) {
        throw Error(ErrorCode::Usage,
                    fmt::format("a classifier for {} classes is not possible", classes),
                    "At least two labels are needed.");
    }
}

void copyValue(const torch::Tensor& from, torch::Tensor to) {
    torch::Tensor value = torch::empty_like(from, torch::MemoryFormat::Preserve);
    value.copy_(from);
    to.set_data(value);
    to.set_requires_grad(from.requires_grad());
}

}  // namespace

std::shared_ptr<Classifier> Classifier::copy() const {
    KeepTorchGenerator keep;
    std::shared_ptr<Classifier> result = makeEmpty();
    torch::NoGradGuard noGrad;
    auto targets = result->named_parameters();
    for (const auto& item : named_parameters()) {
        copyValue(item.value(), targets[item.key()]);
    }
    auto targetBuffers = result->named_buffers();
    for (const auto& item : named_buffers()) {
        copyValue(item.value(), targetBuffers[item.key()]);
    }
    result->train(is_training());
    return result;
}

std::shared_ptr<Classifier> makeClassifier(const ModelSpec& spec, std::int64_t classes,
                                           std::uint64_t seed) {
    checkSpec(spec, classes);
    KeepTorchGenerator keep;
    auto model = std::make_shared<ReceiptNet>(spec.width, classes);
    initialise(*model, seed);
    return model;
}

void setMemoryFormat(torch::nn::Module& module, MemoryFormat format) {
    const auto wanted = format == MemoryFormat::ChannelsLast ? torch::MemoryFormat::ChannelsLast
                                                             : torch::MemoryFormat::Contiguous;
    torch::NoGradGuard noGrad;
    for (torch::Tensor& parameter : module.parameters()) {
        if (parameter.dim() == 4) {
            parameter.set_data(parameter.contiguous(wanted));
        }
    }
}

std::vector<HostTensor> initialWeights(const ModelSpec& spec, std::int64_t classes,
                                       std::uint64_t seed) {
    return exportParameters(*makeClassifier(spec, classes, seed));
}

std::int64_t parameterCount(const ModelSpec& spec, std::int64_t classes) {
    std::int64_t count = 0;
    for (const torch::Tensor& parameter : makeClassifier(spec, classes, 0)->parameters()) {
        count += parameter.numel();
    }
    return count;
}

}  // namespace receiptbench
