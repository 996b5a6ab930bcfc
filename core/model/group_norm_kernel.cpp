#include "core/model/group_norm_kernel.h"

#include <algorithm>
#include <cmath>
#include <vector>

// The loops over channels become vector instructions; which ones is chosen when the program starts.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define RECEIPTBENCH_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define RECEIPTBENCH_VECTOR_CLONES
#endif

namespace receiptbench {
namespace {

// So many positions are added up in single precision before they go into a double.
constexpr std::int64_t kChain = 32;

// Two sums for each channel.
struct ChannelSums {
    explicit ChannelSums(std::int64_t channels)
        : first(static_cast<std::size_t>(channels)), second(first.size()) {}
    std::vector<double> first, second;
};

// Sums of x - origin and of its square.
RECEIPTBENCH_VECTOR_CLONES
void addMoments(const float* image, const float* origin, std::int64_t positions,
                std::int64_t channels, float* sums, float* squares) {
    for (std::int64_t p = 0; p < positions; ++p) {
        const float* at = image + p * channels;
        for (std::int64_t c = 0; c < channels; ++c) {
            const float value = at[c] - origin[c];
            sums[c] += value;
            squares[c] += value * value;
        }
    }
}

// Sums of the gradient, and of the gradient times x - mean.
RECEIPTBENCH_VECTOR_CLONES
void addProducts(const float* gradient, const float* image, const float* mean,
                 std::int64_t positions, std::int64_t channels, float* sums, float* products) {
    for (std::int64_t p = 0; p < positions; ++p) {
        const float *g = gradient + p * channels, *x = image + p * channels;
        for (std::int64_t c = 0; c < channels; ++c) {
            sums[c] += g[c];
            products[c] += g[c] * (x[c] - mean[c]);
        }
    }
}

RECEIPTBENCH_VECTOR_CLONES
void scaleAndShift(const float* image, const float* scale, const float* shift,
                   std::int64_t positions, std::int64_t channels, float* result) {
    for (std::int64_t p = 0; p < positions; ++p) {
        const float* at = image + p * channels;
        float* to = result + p * channels;
        for (std::int64_t c = 0; c < channels; ++c) {
            to[c] = at[c] * scale[c] + shift[c];
        }
    }
}

struct BackwardFactors {
    std::vector<float> mean, ofGradient, ofDistance, constant;  // [channels]
};

RECEIPTBENCH_VECTOR_CLONES
void backwardImage(const float* gradient, const float* image, const float* mean,
                   const float* ofGradient, const float* ofDistance, const float* constant,
                   std::int64_t positions, std::int64_t channels, float* result) {
    for (std::int64_t p = 0; p < positions; ++p) {
        const float *g = gradient + p * channels, *x = image + p * channels;
        float* to = result + p * channels;
        for (std::int64_t c = 0; c < channels; ++c) {
            to[c] = g[c] * ofGradient[c] - (x[c] - mean[c]) * ofDistance[c] - constant[c];
        }
    }
}

// add(first position, number of positions, float sums, float sums) for one short chain after
// another.
template <typename Add>
ChannelSums inShortChains(const NormShape& shape, Add add) {
    ChannelSums total(shape.channels);
    std::vector<float> first(total.first.size()), second(first.size());
    for (std::int64_t p = 0; p < shape.positions; p += kChain) {
        std::fill(first.begin(), first.end(), 0.0f);
        std::fill(second.begin(), second.end(), 0.0f);
        add(p, std::min(kChain, shape.positions - p), first.data(), second.data());
        for (std::size_t c = 0; c < first.size(); ++c) {
            total.first[c] += first[c];
            total.second[c] += second[c];
        }
    }
    return total;
}

struct Moments {
    double mean = 0, inverseDeviation = 0;
};

// Of one group, from the sums of its channels about their own origins.
Moments momentsOf(const ChannelSums& sums, const float* origin, std::int64_t begin,
                  std::int64_t end, std::int64_t positions, double epsilon) {
    const auto n = static_cast<double>(positions);
    const auto channelMean = [&](std::int64_t c) {
        return origin[c] + sums.first[static_cast<std::size_t>(c)] / n;
    };
    const auto width = static_cast<double>(end - begin);
    Moments moments;
    for (std::int64_t c = begin; c < end; ++c) {
        moments.mean += channelMean(c) / width;
    }
    double variance = 0;
    for (std::int64_t c = begin; c < end; ++c) {
        const auto at = static_cast<std::size_t>(c);
        const double offset = sums.first[at] / n, apart = channelMean(c) - moments.mean;
        variance += (sums.second[at] / n - offset * offset + apart * apart) / width;
    }
    moments.inverseDeviation = 1 / std::sqrt(std::max(variance, 0.0) + epsilon);
    return moments;
}

}  // namespace

void normaliseImage(const NormShape& shape, const float* image, const float* weight,
                    const float* bias, double epsilon, float* result, float* mean,
                    float* inverseDeviation) {
    // The first position is as good an origin as any: it only has to be near the values.
    const float* origin = image;
    const ChannelSums sums = inShortChains(shape, [&](auto p, auto count, float* s, float* q) {
        addMoments(image + p * shape.channels, origin, count, shape.channels, s, q);
    });
    const std::int64_t width = shape.channels / shape.groups;
    std::vector<float> scale(sums.first.size()), shift(scale.size());
    for (std::int64_t group = 0; group < shape.groups; ++group) {
        const std::int64_t begin = group * width, end = begin + width;
        const Moments moments = momentsOf(sums, origin, begin, end, shape.positions, epsilon);
        mean[group] = static_cast<float>(moments.mean);
        inverseDeviation[group] = static_cast<float>(moments.inverseDeviation);
        for (std::int64_t c = begin; c < end; ++c) {
            const double factor = moments.inverseDeviation * weight[c];
            scale[static_cast<std::size_t>(c)] = static_cast<float>(factor);
            shift[static_cast<std::size_t>(c)] =
                static_cast<float>(bias[c] - moments.mean * factor);
        }
    }
    scaleAndShift(image, scale.data(), shift.data(), shape.positions, shape.channels, result);
}

void normaliseImageBackward(const NormShape& shape, const float* gradient, const float* image,
                            const float* weight, const float* mean, const float* inverseDeviation,
                            float* ofImage, float* ofWeight, float* ofBias) {
    const std::int64_t width = shape.channels / shape.groups;
    const auto size = static_cast<std::size_t>(shape.channels);
    BackwardFactors factors{std::vector<float>(size), std::vector<float>(size),
                            std::vector<float>(size), std::vector<float>(size)};
    for (std::int64_t c = 0; c < shape.channels; ++c) {
        factors.mean[static_cast<std::size_t>(c)] = mean[c / width];
    }
    const ChannelSums sums = inShortChains(shape, [&](auto p, auto count, float* s, float* q) {
        addProducts(gradient + p * shape.channels, image + p * shape.channels, factors.mean.data(),
                    count, shape.channels, s, q);
    });
    const auto elements = static_cast<double>(width * shape.positions);
    for (std::int64_t group = 0; group < shape.groups; ++group) {
        const std::int64_t begin = group * width, end = begin + width;
        const double inverse = inverseDeviation[group];
        double weightedGradient = 0, weightedProduct = 0;
        for (std::int64_t c = begin; c < end; ++c) {
            const auto at = static_cast<std::size_t>(c);
            weightedGradient += weight[c] * sums.first[at];
            weightedProduct += weight[c] * sums.second[at];
            ofWeight[c] = static_cast<float>(sums.second[at] * inverse);
            ofBias[c] = static_cast<float>(sums.first[at]);
        }
        for (std::int64_t c = begin; c < end; ++c) {
            const auto at = static_cast<std::size_t>(c);
            factors.ofGradient[at] = static_cast<float>(inverse * weight[c]);
            factors.ofDistance[at] =
                static_cast<float>(inverse * inverse * inverse * weightedProduct / elements);
            factors.constant[at] = static_cast<float>(inverse * weightedGradient / elements);
        }
    }
    backwardImage(gradient, image, factors.mean.data(), factors.ofGradient.data(),
                  factors.ofDistance.data(), factors.constant.data(), shape.positions,
                  shape.channels, ofImage);
}

}  // namespace receiptbench
