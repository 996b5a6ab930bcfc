#include "core/model/receipt_net_torch.h"

namespace receiptbench {
namespace {

constexpr std::int64_t kGroups = 8;
// oneDNN's strided 1x1 weight gradient in channels-last writes past its workspace when the input
// has fewer channels than one vector of floats (oneDNN issue 6035): wrong gradients or a crash. 16
// floats are AVX-512's vector.
constexpr std::int64_t kStridedPointwiseChannels = 16;
constexpr std::int64_t kGridHeight = 4, kGridWidth = 3;

torch::nn::Conv2d convolution(std::int64_t inputs, std::int64_t outputs, std::int64_t kernel,
                              std::int64_t stride) {
    return torch::nn::Conv2d(torch::nn::Conv2dOptions(inputs, outputs, kernel)
                                 .stride(stride)
                                 .padding(kernel / 2)
                                 .bias(false));
}

torch::nn::GroupNorm groupNorm(std::int64_t channels) {
    return torch::nn::GroupNorm(torch::nn::GroupNormOptions(kGroups, channels));
}

}  // namespace

ReceiptBlockImpl::ReceiptBlockImpl(std::int64_t inputs, std::int64_t outputs, std::int64_t stride) {
    conv1_ = register_module("conv1", convolution(inputs, outputs, 3, stride));
    norm1_ = register_module("norm1", groupNorm(outputs));
    conv2_ = register_module("conv2", convolution(outputs, outputs, 3, 1));
    norm2_ = register_module("norm2", groupNorm(outputs));
    shortcut_ = register_module("shortcut", convolution(inputs, outputs, 1, stride));
}

// In place where the backward does not need what is overwritten: group norm saves its input, not
// its output; a sum saves nothing; ReLU saves its result.
torch::Tensor ReceiptBlockImpl::forward(const torch::Tensor& x) {
    torch::Tensor y = norm1_->forward(conv1_->forward(x)).relu_();
    y = norm2_->forward(conv2_->forward(y));
    y.add_(projected(x));
    return y.relu_();
}

// A strided 1x1 convolution only looks at every stride-th pixel: taking those first gives the same
// sums, but for rounding; therefore only where it is needed.
torch::Tensor ReceiptBlockImpl::projected(const torch::Tensor& x) {
    const auto& options = shortcut_->options;
    const auto layout = torch::MemoryFormat::ChannelsLast;  // oneDNN's when either operand has it
    const bool channelsLast =
        x.suggest_memory_format() == layout || shortcut_->weight.suggest_memory_format() == layout;
    if (!channelsLast || options.in_channels() >= kStridedPointwiseChannels) {
        return shortcut_->forward(x);
    }
    const torch::Tensor seen = x.slice(2, 0, std::nullopt, options.stride()->at(0))
                                   .slice(3, 0, std::nullopt, options.stride()->at(1));
    return torch::conv2d(seen.contiguous(x.suggest_memory_format()), shortcut_->weight);
}

ReceiptNet::ReceiptNet(std::int64_t width, std::int64_t classes)
    : width_(width), classes_(classes) {
    stem_ = register_module("stem", convolution(3, width, 5, 2));
    stemNorm_ = register_module("stem_norm", groupNorm(width));
    blocks_ =
        register_module("blocks", torch::nn::Sequential(ReceiptBlock(width, width, 2),
                                                        ReceiptBlock(width, 2 * width, 2),
                                                        ReceiptBlock(2 * width, 4 * width, 2)));
    head_ =
        register_module("head", torch::nn::Linear(4 * width * kGridHeight * kGridWidth, classes));
}

torch::Tensor ReceiptNet::forward(const torch::Tensor& images) {
    torch::Tensor x = stemNorm_->forward(stem_->forward(images)).relu_();
    x = torch::adaptive_avg_pool2d(blocks_->forward(x), {kGridHeight, kGridWidth});
    return head_->forward(x.flatten(1));
}

std::shared_ptr<Classifier> ReceiptNet::makeEmpty() const {
    return std::make_shared<ReceiptNet>(width_, classes_);
}

}  // namespace receiptbench
