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

// Autocast as the precision wants it (off for fp32) until destroyed, for one forward only. The C++
// autocast caches cast weights until the cache is cleared: without that, convolutions keep
// computing with the weights from before the last optimizer step. Cleared at entry and at exit,
// also when the forward throws.
class AutocastScope {
 public:
    AutocastScope(c10::DeviceType device, Precision precision);
    ~AutocastScope();
    AutocastScope(const AutocastScope&) = delete;
    AutocastScope& operator=(const AutocastScope&) = delete;

 private:
    c10::DeviceType device_;
    bool wasEnabled_;
    at::ScalarType previousType_;
};

// Sum over examples of the unreduced, weighted losses, in fp32 (or the logits' float64): a scalar
// tensor with graph. PyTorch's cross_entropy(reduction="sum") with class weights and label
// smoothing. A label outside the classes (PyTorch would silently ignore -100) or logits that are no
// [N,classes]: Error(Data) naming it.
torch::Tensor lossSum(const torch::Tensor& logits, const torch::Tensor& labels,
                      const LossSpec& loss);

// Accepted examples, or the sum of their class weights: the denominator of the whole update.
double lossDenominator(const torch::Tensor& labels, const LossSpec& loss);

struct MicrobatchResult {
    double lossSum = 0;  // unscaled
};

// Forward and backward of one microbatch into the module's gradients (added to what is there).
//   contribution = lossSum / denominator * scale           (AcceptedCount)
//   contribution = lossSum / own denominator / microbatches * scale   (MeanOfMeans, the
//   deliberately wrong run)
// The autocast scope lives for this forward only and its cache is cleared. Gradients are
// accumulated in fp32.
struct MicrobatchJob {
    Precision precision = Precision::Fp32;
    Normalisation normalisation = Normalisation::AcceptedCount;
    double denominator = 1;
    std::int64_t microbatches = 1;
    double scale = 1;
    double lossFactor = 1;  // 1, or infinity for a deliberately injected, labelled overflow
    // Given: this backward must reach each of its trainable parameters, Error(Failed) naming the
    // first it did not. Sees what requireGradients cannot where gradient buffers exist from the
    // start.
    const torch::nn::Module* mustReach = nullptr;
};
// Backward of a loss sum (scalar with graph) as above; ownDenominator is this microbatch's. The
// lowest level, free of any particular loss.
void contribute(const torch::Tensor& lossSum, double ownDenominator, const MicrobatchJob& job);

// atPhase is called as a phase begins: "forward", then "backward".
using ForwardFunction = std::function<torch::Tensor(const torch::Tensor&)>;
MicrobatchResult accumulate(const ForwardFunction& forward, const torch::Tensor& images,
                            const torch::Tensor& labels, const LossSpec& loss,
                            const MicrobatchJob& job,
                            const std::function<void(const char* phase)>& atPhase = {});

// Error(Failed) naming the first trainable parameter without a gradient.
void requireGradients(const torch::nn::Module& module);

// Unscale, check and norm of all gradients in one pass (fp32 gradients, double accumulation per
// parameter), once per update, after its last microbatch. Every trainable parameter must have a
// gradient (requireGradients). Non-finite after unscaling counts too. The same bits on any number
// of threads.
struct GradientStatus {
    double norm = 0;  // 2-norm over all, after unscaling
    std::int64_t nonFiniteElements = 0;
    std::vector<std::string> nonFiniteParameters;
    bool finite() const { return nonFiniteElements == 0; }
};
GradientStatus unscaleAndCheck(torch::nn::Module& module, double scale);
// PyTorch's clip_grad_norm_: factor maxNorm / (norm + 1e-6), at most 1; returns the factor. norm
// must not be NaN, maxNorm must be positive: Error(Failed).
double clipGradients(torch::nn::Module& module, double norm, double maxNorm);

}  // namespace receiptbench
