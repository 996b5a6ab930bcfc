// Group norm whose value for an image does not depend on the other images of the microbatch.
#pragma once

#include <torch/torch.h>

namespace receiptbench {

// The module applied to [N,C,H,W]. PyTorch's channels-last kernel on the CPU splits all positions
// of all images between the threads: where a border falls inside an image, its sums are rounded
// otherwise, and behind the norm a ReLU may then open or close for a whole flat area (measured:
// 1e-3 of the gradient between a microbatch of 8 and one of 7). There, in single precision, the
// images are normalised one by one by a kernel of this project (group_norm_kernel.h).
torch::Tensor normalise(const torch::Tensor& images, torch::nn::GroupNorm& norm);

}  // namespace receiptbench
