// ReceiptNet: the project's own small classifier.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>

#include "core/model/model_torch.h"

namespace receiptbench {

// Two 3x3 convolutions with GroupNorm(8) and a projected shortcut: [N,inputs,H,W] ->
// [N,outputs,H/stride,W/stride].
class ReceiptBlockImpl : public torch::nn::Module {
 public:
    ReceiptBlockImpl(std::int64_t inputs, std::int64_t outputs, std::int64_t stride);
    torch::Tensor forward(const torch::Tensor& x);

 private:
    torch::Tensor projected(const torch::Tensor& x);

    torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr}, shortcut_{nullptr};
    torch::nn::GroupNorm norm1_{nullptr}, norm2_{nullptr};
};
TORCH_MODULE(ReceiptBlock);

// Stem: 5x5 stride-2 convolution + GroupNorm(8); three stride-2 blocks of w, 2w and 4w channels;
// mean over a 4x3 grid; linear head. The grid keeps where on the photo a feature is: a cut-off
// receipt shows at the border. No layer couples examples, so the result does not depend on the
// microbatch plan.
class ReceiptNet : public Classifier {
 public:
    ReceiptNet(std::int64_t width, std::int64_t classes);
    torch::Tensor forward(const torch::Tensor& images) override;
    std::shared_ptr<Classifier> makeEmpty() const override;

 private:
    std::int64_t width_, classes_;
    torch::nn::Conv2d stem_{nullptr};
    torch::nn::GroupNorm stemNorm_{nullptr};
    torch::nn::Sequential blocks_{nullptr};
    torch::nn::Linear head_{nullptr};
};

}  // namespace receiptbench
