// Group normalisation of one channels-last image in single precision, with sums that do not lose
// digits: PyTorch's channels-last kernel adds thousands of positions up in one fp32 chain, which
// puts its gradients up to 7e-4 away from double precision (measured on receipts).
// Source of the formulas: Wu and He, "Group Normalization" (2018), section 3.
#pragma once

#include <cstdint>

namespace receiptbench {

struct NormShape {
    std::int64_t positions = 0;  // height * width
    std::int64_t channels = 0;   // a multiple of groups
    std::int64_t groups = 0;
};

// image, result [positions, channels]; weight, bias [channels]; mean, inverseDeviation [groups].
void normaliseImage(const NormShape& shape, const float* image, const float* weight,
                    const float* bias, double epsilon, float* result, float* mean,
                    float* inverseDeviation);

// gradient, image, ofImage [positions, channels]; ofWeight, ofBias [channels].
void normaliseImageBackward(const NormShape& shape, const float* gradient, const float* image,
                            const float* weight, const float* mean, const float* inverseDeviation,
                            float* ofImage, float* ofWeight, float* ofBias);

}  // namespace receiptbench
