#include "core/train/gradient_compare_torch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace receiptbench {
namespace {

// A layer below this share of the whole gradient is rounding, such as a bias before a norm.
constexpr double kRoundingShare = 1e-6;

// Sums of squares behind one relative difference.
struct Sums {
    double full = 0, difference = 0, wrongDifference = 0;

    void add(const Sums& other) {
        full += other.full;
        difference += other.difference;
        wrongDifference += other.wrongDifference;
    }
};

// |difference| / |full|: 0 when both vanish, infinite when only the full gradient does; NaN stays
// NaN and fails any tolerance.
double relative(double differenceSquares, double fullSquares) {
    return differenceSquares == 0 ? 0.0 : std::sqrt(differenceSquares) / std::sqrt(fullSquares);
}

std::vector<ParameterGradient> takeGradients(torch::nn::Module& module) {
    const torch::NoGradGuard noGrad;
    std::vector<ParameterGradient> result;
    for (const auto& item : module.named_parameters()) {
        torch::Tensor gradient = item.value().grad();
        const torch::Tensor plain = gradient.to(torch::kDouble).contiguous();
        const double* values = plain.const_data_ptr<double>();
        result.push_back({item.key(), {values, values + plain.numel()}});
        gradient.zero_();
    }
    return result;
}

}  // namespace

UpdateGradient gradientOfUpdate(const ForwardFunction& forward, torch::nn::Module& module,
                                const torch::Tensor& images, const torch::Tensor& labels,
                                const LossSpec& loss, const std::vector<std::int64_t>& cut,
                                Normalisation normalisation) {
    MicrobatchJob job;
    job.normalisation = normalisation;
    job.denominator = lossDenominator(labels, loss);
    job.microbatches = static_cast<std::int64_t>(cut.size());
    UpdateGradient update;
    std::int64_t begin = 0;
    for (const std::int64_t size : cut) {
        const torch::Tensor someLabels = labels.narrow(0, begin, size);
        const double sum =
            accumulate(forward, images.narrow(0, begin, size), someLabels, loss, job).lossSum;
        update.loss +=
            normalisation == Normalisation::MeanOfMeans
                ? sum / lossDenominator(someLabels, loss) / static_cast<double>(job.microbatches)
                : sum / job.denominator;
        begin += size;
    }
    requireGradients(module);
    update.parameters = takeGradients(module);
    return update;
}

void compareGradients(const UpdateGradient& full, const UpdateGradient& accumulated,
                      const UpdateGradient& wrong, GradientCheckResult& result) {
    result.layers.clear();
    result.wrongLargestAbsolute = 0;
    Sums total;
    std::vector<Sums> ofLayers;
    for (std::size_t p = 0; p < full.parameters.size(); ++p) {
        const std::vector<double>& expected = full.parameters[p].values;
        LayerComparison layer;
        layer.parameter = full.parameters[p].parameter;
        Sums sums;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double difference = accumulated.parameters.at(p).values.at(i) - expected[i];
            const double wrongDifference = wrong.parameters.at(p).values.at(i) - expected[i];
            sums.add({expected[i] * expected[i], difference * difference,
                      wrongDifference * wrongDifference});
            layer.largestAbsolute = std::max(layer.largestAbsolute, std::abs(difference));
            result.wrongLargestAbsolute =
                std::max(result.wrongLargestAbsolute, std::abs(wrongDifference));
        }
        layer.fullNorm = std::sqrt(sums.full);
        result.layers.push_back(layer);
        ofLayers.push_back(sums);
        total.add(sums);
    }
    const double rounding = kRoundingShare * kRoundingShare * total.full;
    for (std::size_t p = 0; p < ofLayers.size(); ++p) {
        const double floor = std::max(ofLayers[p].full, rounding);
        result.layers[p].relativeL2 = relative(ofLayers[p].difference, floor);
        result.layers[p].wrongRelativeL2 = relative(ofLayers[p].wrongDifference, floor);
    }
    result.relativeL2 = relative(total.difference, total.full);
    result.wrongRelativeL2 = relative(total.wrongDifference, total.full);
    result.lossFull = full.loss;
    result.lossAccumulated = accumulated.loss;
    result.lossWrong = wrong.loss;
}

std::vector<std::int64_t> unevenCut(std::int64_t examples, std::int64_t microbatch) {
    if (examples < 3) {
        throw Error(ErrorCode::Data, fmt::format("{} examples cannot be cut unevenly", examples),
                    "The gradient check needs at least 3 accepted examples.");
    }
    const std::int64_t wanted = std::clamp<std::int64_t>(microbatch, 1, (examples + 1) / 2);
    for (std::int64_t size = wanted; size >= 2; --size) {
        if (examples % size != 0) {
            return cutUpdate(examples, size);
        }
    }
    std::int64_t size = wanted + 1;
    while (examples % size == 0) {
        ++size;
    }
    return cutUpdate(examples, size);
}

}  // namespace receiptbench
