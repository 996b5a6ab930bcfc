// Gradients of a module as plain numbers, and how two ways of forming the same update differ.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/train/accumulate_torch.h"
#include "core/train/gradient_check.h"

namespace receiptbench {

struct ParameterGradient {
    std::string parameter;
    std::vector<double> values;  // row-major
};
struct UpdateGradient {
    std::vector<ParameterGradient> parameters;
    double loss = 0;  // normalised as the gradient is
};

// The gradient of one update from `cut` consecutive microbatches of the images [N,3,H,W], in the
// precision of the images and the module (fp32 or float64), without any scaling. The module's
// gradients are zero or undefined before and zero after.
UpdateGradient gradientOfUpdate(const ForwardFunction& forward, torch::nn::Module& module,
                                const torch::Tensor& images, const torch::Tensor& labels,
                                const LossSpec& loss, const std::vector<std::int64_t>& cut,
                                Normalisation normalisation);

// Fills layers, relative and absolute differences and losses of the result.
void compareGradients(const UpdateGradient& full, const UpdateGradient& accumulated,
                      const UpdateGradient& wrong, GradientCheckResult& result);

// Two or more microbatches, as near to the plan's as possible, the last one short: 47 at 47 ->
// 24, 23. Needs 3 examples.
std::vector<std::int64_t> unevenCut(std::int64_t examples, std::int64_t microbatch);

}  // namespace receiptbench
