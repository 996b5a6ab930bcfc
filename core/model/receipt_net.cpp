#include "core/model/receipt_net_torch.h"

#include <ATen/autocast_mode.h>

#include "core/model/group_norm_torch.h"

namespace receiptbench {
namespace {

constexpr std::int64_t kGroups = 8;
// oneDNN's strided 1x1 weight gradient in channels-last writes past its workspace when the input
// has fewer channels than one vector of floats (oneDNN issue 6035): wrong gradients or a crash. 16
// floats are AVX-512's vector.
constexpr std::int64_t kStridedPointwiseChannels = 16;
constexpr std::int64_t kGridHeight = 4, kGridWidth = 3;
constexpr std::int64_t kStemKernel = 5, kStemStride = 2;
// oneDNN adds a weight gradient up in fp32 chains over all images and positions where there are few
// channels: its rounding grows with the microbatch (measured 5e-5 of the stem's gradient at 47
// images of 128x96, 8e-6 of the first block's) and would drown the comparison of accumulated and
// full-batch gradients. A few images at a time keep it below 5e-6, in the same time.
constexpr std::int64_t kImagesPerChain = 4, kFewChannels = 32;

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// A convolution without bias whose weight gradient is the sum over short chains.
class ShortChains : public torch::autograd::Function<ShortChains> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& images,
                                 const torch::Tensor& weight, std::int64_t stride) {
        context->save_for_backward({images, weight});
        context->saved_data["stride"] = stride;
        return torch::conv2d(images, weight, {}, stride, weight.size(2) / 2);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const variable_list saved = context->get_saved_variables();
        const torch::Tensor &images = saved[0], &weight = saved[1], &gradient = gradients[0];
        const std::int64_t stride = context->saved_data["stride"].toInt();
        torch::Tensor ofImages;
        if (context->needs_input_grad(0)) {
            ofImages = std::get<0>(back(gradient, images, weight, stride, {true, false, false}));
        }
        torch::Tensor ofWeight;
        for (std::int64_t start = 0; start < images.size(0); start += kImagesPerChain) {
            const auto count = std::min(kImagesPerChain, images.size(0) - start);
            const torch::Tensor part =
                std::get<1>(back(gradient.narrow(0, start, count), images.narrow(0, start, count),
                                 weight, stride, {false, true, false}));
            ofWeight = ofWeight.defined() ? ofWeight.add_(part) : part;
        }
        return {ofImages, ofWeight, torch::Tensor()};
    }

 private:
    static std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> back(
        const torch::Tensor& gradient, const torch::Tensor& images, const torch::Tensor& weight,
        std::int64_t stride, std::array<bool, 3> wanted) {
        const auto padding = weight.size(2) / 2;
        return at::convolution_backward(gradient, images, weight, std::nullopt, {stride, stride},
                                        {padding, padding}, {1, 1}, false, {0, 0}, 1, wanted);
    }
};

torch::Tensor convolve(const torch::Tensor& images, const torch::nn::Conv2d& convolution) {
    const bool shortChains = images.is_cpu() && images.size(0) > kImagesPerChain &&
                             convolution->weight.size(1) <= kFewChannels &&
                             torch::GradMode::is_enabled() &&
                             !at::autocast::is_autocast_enabled(at::kCPU);
    return shortChains
               ? ShortChains::apply(images, convolution->weight,
                                    convolution->options.stride()->at(0))
               : torch::conv2d(images, convolution->weight, {}, convolution->options.stride(),
                               convolution->weight.size(2) / 2);
}

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
    torch::Tensor y = normalise(convolve(x, conv1_), norm1_).relu_();
    y = normalise(convolve(y, conv2_), norm2_);
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
    stem_ = register_module("stem", convolution(3, width, kStemKernel, kStemStride));
    stemNorm_ = register_module("stem_norm", groupNorm(width));
    blocks_ =
        register_module("blocks", torch::nn::Sequential(ReceiptBlock(width, width, 2),
                                                        ReceiptBlock(width, 2 * width, 2),
                                                        ReceiptBlock(2 * width, 4 * width, 2)));
    head_ =
        register_module("head", torch::nn::Linear(4 * width * kGridHeight * kGridWidth, classes));
}

torch::Tensor ReceiptNet::forward(const torch::Tensor& images) {
    torch::Tensor x = normalise(convolve(images, stem_), stemNorm_).relu_();
    x = torch::adaptive_avg_pool2d(blocks_->forward(x), {kGridHeight, kGridWidth});
    return head_->forward(x.flatten(1));
}

std::shared_ptr<Classifier> ReceiptNet::makeEmpty() const {
    return std::make_shared<ReceiptNet>(width_, classes_);
}

}  // namespace receiptbench
