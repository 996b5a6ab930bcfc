// Weighted accumulation: the gradient of one update from microbatches that fit the budget.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/contract/contract.h"
#include "core/contract/run_plan.h"

namespace receiptbench {

// Sum over examples of the unreduced, weighted losses, in fp32 (or the logits' float64): a scalar tensor with graph.
// PyTorch's cross_entropy(reduction="sum") with class weights and label smoothing.
torch::Tensor lossSum(const torch::Tensor& logits, const torch::Tensor& labels, const LossSpec& loss);

// Accepted examples, or the sum of their class weights: the denominator of the whole update.
double lossDenominator(const torch::Tensor& labels, const LossSpec& loss);

struct MicrobatchResult {
    double lossSum = 0;      // unscaled
};

// Forward and backward of one microbatch into the module's gradients (added to what is there).
//   contribution = lossSum / denominator * scale           (AcceptedCount)
//   contribution = lossSum / own denominator / microbatches * scale   (MeanOfMeans, the deliberately wrong run)
// The autocast scope lives for this forward only and its cache is cleared. Gradients are accumulated in fp32.
struct MicrobatchJob {
    Precision precision = Precision::Fp32;
    Normalisation normalisation = Normalisation::AcceptedCount;
    double denominator = 1;
    std::int64_t microbatches = 1;
    double scale = 1;
    double lossFactor = 1;   // 1, or infinity for a deliberately injected, labelled overflow
};
using ForwardFunction = std::function<torch::Tensor(const torch::Tensor&)>;
MicrobatchResult accumulate(const ForwardFunction& forward, const torch::Tensor& images, const torch::Tensor& labels,
                            const LossSpec& loss, const MicrobatchJob& job,
                            const std::function<void(const char* phase)>& atPhase = {});

// Unscale, check and norm of all gradients in one pass (fp32 gradients, double accumulation per parameter).
struct GradientStatus {
    double norm = 0;                              // 2-norm over all, after unscaling
    std::int64_t nonFiniteElements = 0;
    std::vector<std::string> nonFiniteParameters;
    bool finite() const { return nonFiniteElements == 0; }
};
GradientStatus unscaleAndCheck(torch::nn::Module& module, double scale);
// PyTorch's clip_grad_norm_: factor maxNorm / (norm + 1e-6), at most 1; returns the factor.
double clipGradients(torch::nn::Module& module, double norm, double maxNorm);

}  // namespace receiptbench
