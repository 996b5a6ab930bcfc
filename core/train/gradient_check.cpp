#include "core/train/gradient_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/contract/json_fields.h"
#include "core/memory/budget.h"
#include "core/train/environment_torch.h"
#include "core/train/gradient_compare_torch.h"
#include "core/train/sampler.h"
#include "core/train/within_budget.h"
#include "core/train/workspace_torch.h"

namespace receiptbench {
namespace {

using nlohmann::json;

constexpr std::int64_t kSmallestSide = 16;
constexpr std::int64_t kFewestExamples = 3;

// A source seen at a smaller size: every pixel is the mean of the area it stands for.
class ReducedSource : public BatchSource {
 public:
    ReducedSource(const BatchSource& source, std::int64_t height, std::int64_t width)
        : source_(source), height_(height), width_(width) {}
    std::int64_t size() const override { return source_.size(); }
    std::int64_t height() const override { return height_; }
    std::int64_t width() const override { return width_; }
    std::int64_t label(std::int64_t id) const override { return source_.label(id); }
    bool accepts(std::int64_t id) const override { return source_.accepts(id); }

    void read(std::span<const ExampleUse> uses, std::span<std::uint8_t> pixels) const override {
        std::vector<std::uint8_t> large(
            static_cast<std::size_t>(source_.height() * source_.width() * 3));
        std::uint8_t* out = pixels.data();
        for (const ExampleUse& use : uses) {
            source_.read({&use, 1}, large);
            for (std::int64_t y = 0; y < height_; ++y) {
                for (std::int64_t x = 0; x < width_; ++x, out += 3) {
                    average(large, y, x, out);
                }
            }
        }
    }

 private:
    void average(const std::vector<std::uint8_t>& large, std::int64_t y, std::int64_t x,
                 std::uint8_t* out) const {
        const std::int64_t top = y * source_.height() / height_,
                           bottom = (y + 1) * source_.height() / height_;
        const std::int64_t left = x * source_.width() / width_,
                           right = (x + 1) * source_.width() / width_;
        std::int64_t sums[3] = {0, 0, 0};
        for (std::int64_t row = top; row < bottom; ++row) {
            const std::uint8_t* in = large.data() + (row * source_.width() + left) * 3;
            for (std::int64_t column = left; column < right; ++column, in += 3) {
                sums[0] += in[0];
                sums[1] += in[1];
                sums[2] += in[2];
            }
        }
        const std::int64_t count = (bottom - top) * (right - left);
        for (int channel = 0; channel < 3; ++channel) {
            out[channel] = static_cast<std::uint8_t>((sums[channel] + count / 2) / count);
        }
    }

    const BatchSource& source_;
    std::int64_t height_, width_;
};

// The examples of the contract's first update, and where fewer than three make an update, the first
// three.
std::vector<ExampleUse> firstExamples(const ExperimentContract& contract,
                                      const BatchSource& train) {
    Sampler sampler(train, contract.seed, contract.examplesPerUpdate, contract.lastUpdate);
    std::vector<ExampleUse> uses = sampler.next().uses;
    if (static_cast<std::int64_t>(uses.size()) < kFewestExamples) {
        uses = Sampler(train, contract.seed, kFewestExamples, LastUpdateRule::Carry).next().uses;
    }
    return uses;
}

// Half the size, in multiples of 16, never below 16.
std::int64_t halved(std::int64_t side) {
    return std::max(kSmallestSide, side / 2 / kSmallestSide * kSmallestSide);
}

class Check {
 public:
    Check(const ExperimentContract& contract, const std::vector<HostTensor>& weights,
          const BatchSource& train, const RunPlan& plan, std::int64_t memoryLimit,
          Normalisation accumulatedAs)
        : contract_(contract),
          weights_(weights),
          train_(train),
          plan_(plan),
          memoryLimit_(memoryLimit),
          accumulatedAs_(accumulatedAs),
          uses_(firstExamples(contract, train)) {
        plan_.precision = Precision::Fp32;
    }

    GradientCheckResult run() {
        result_.height = contract_.height;
        result_.width = contract_.width;
        result_.examples = static_cast<std::int64_t>(uses_.size());
        result_.microbatches = unevenCut(result_.examples, plan_.microbatch);
        while (const auto refusal = tryAtSize()) {
            reduce(*refusal);
        }
        return result_;
    }

 private:
    std::optional<OverBudget> tryAtSize() {
        const BudgetScope budget(memoryLimit_);
        return withinBudget([this] { compare(); });
    }

    void compare() {
        ExperimentContract contract = contract_;
        contract.height = result_.height;
        contract.width = result_.width;
        RunPlan plan = plan_;
        plan.microbatch = result_.examples;  // the buffer holds the full batch
        Workspace workspace(contract, weights_, plan, Workspace::Use::GradientsOnly);
        const ReducedSource reduced(train_, result_.height, result_.width);
        const BatchSource& source =
            result_.reducedSize ? static_cast<const BatchSource&>(reduced) : train_;
        const torch::Tensor images = workspace.input().fill(source, uses_);
        const torch::Tensor labels = labelsOf(source, uses_);
        const auto gradient = [&](const std::vector<std::int64_t>& cut,
                                  Normalisation normalisation) {
            const CategoryScope category(MemoryCategory::Activations);
            seedTorch(contract_.seed, 1);
            return gradientOfUpdate(
                [&](const torch::Tensor& x) { return workspace.model().forward(x); },
                workspace.model(), images, labels, contract_.loss, cut, normalisation);
        };
        const UpdateGradient full = gradient({result_.examples}, Normalisation::AcceptedCount);
        const UpdateGradient accumulated = gradient(result_.microbatches, accumulatedAs_);
        const UpdateGradient wrong = gradient(result_.microbatches, Normalisation::MeanOfMeans);
        compareGradients(full, accumulated, wrong, result_);
    }

    void reduce(const OverBudget& refusal) {
        const std::int64_t height = halved(result_.height), width = halved(result_.width);
        if (height >= result_.height && width >= result_.width) {
            throw Error(ErrorCode::OverBudget,
                        fmt::format("the gradient check does not fit even at {}x{}: {}",
                                    result_.height, result_.width, refusal.what()),
                        "Raise the memory limit or use a smaller model.");
        }
        if (!result_.reducedSize) {
            result_.reason =
                fmt::format("the full batch of {} at {}x{} does not fit in {}", result_.examples,
                            result_.height, result_.width, formatBytes(memoryLimit_));
        }
        result_.reducedSize = true;
        result_.height = std::min(height, result_.height);
        result_.width = std::min(width, result_.width);
    }

    const ExperimentContract& contract_;
    const std::vector<HostTensor>& weights_;
    const BatchSource& train_;
    RunPlan plan_;
    std::int64_t memoryLimit_;
    Normalisation accumulatedAs_;
    std::vector<ExampleUse> uses_;
    GradientCheckResult result_;
};

json layerToJson(const LayerComparison& layer) {
    return {{"parameter", layer.parameter},
            {"fullNorm", numberToJson(layer.fullNorm)},
            {"relativeL2", numberToJson(layer.relativeL2)},
            {"wrongRelativeL2", numberToJson(layer.wrongRelativeL2)},
            {"largestAbsolute", numberToJson(layer.largestAbsolute)}};
}

LayerComparison layerFromJson(const json& in) {
    LayerComparison layer;
    JsonFields fields(in, "check.layers");
    fields.read("parameter", layer.parameter);
    fields.read("fullNorm", layer.fullNorm);
    fields.read("relativeL2", layer.relativeL2);
    fields.read("wrongRelativeL2", layer.wrongRelativeL2);
    fields.read("largestAbsolute", layer.largestAbsolute);
    return layer;
}

}  // namespace

const LayerComparison& GradientCheckResult::worst() const {
    static const LayerComparison none;
    const LayerComparison* found = layers.empty() ? &none : &layers.front();
    for (const LayerComparison& layer : layers) {
        if (std::isnan(found->relativeL2)) {
            break;
        }
        found = layer.relativeL2 <= found->relativeL2 ? found : &layer;
    }
    return *found;
}

bool GradientCheckResult::accumulatedPasses() const {
    return relativeL2 <= tolerance && worst().relativeL2 <= tolerance;
}

GradientCheckResult checkGradients(const ExperimentContract& contract,
                                   const std::vector<HostTensor>& weights, const BatchSource& train,
                                   const RunPlan& plan, std::int64_t memoryLimit,
                                   Normalisation accumulatedAs) {
    checkSource(contract, train);
    prepareTorch(plan.threads);
    const KeepGenerator keep;
    return Check(contract, weights, train, plan, memoryLimit, accumulatedAs).run();
}

void to_json(json& out, const GradientCheckResult& result) {
    json layers = json::array();
    for (const LayerComparison& layer : result.layers) {
        layers.push_back(layerToJson(layer));
    }
    out = {{"examples", result.examples},
           {"microbatches", result.microbatches},
           {"height", result.height},
           {"width", result.width},
           {"reducedSize", result.reducedSize},
           {"reason", result.reason},
           {"relativeL2", numberToJson(result.relativeL2)},
           {"worstLayer", result.worst().parameter},
           {"worstRelativeL2", numberToJson(result.worst().relativeL2)},
           {"wrongRelativeL2", numberToJson(result.wrongRelativeL2)},
           {"wrongLargestAbsolute", numberToJson(result.wrongLargestAbsolute)},
           {"lossFull", numberToJson(result.lossFull)},
           {"lossAccumulated", numberToJson(result.lossAccumulated)},
           {"lossWrong", numberToJson(result.lossWrong)},
           {"tolerance", numberToJson(result.tolerance)},
           {"passed", result.passed()},
           {"layers", std::move(layers)}};
}

void from_json(const json& in, GradientCheckResult& result) {
    JsonFields fields(in, "check");
    fields.read("examples", result.examples);
    fields.read("microbatches", result.microbatches);
    fields.read("height", result.height);
    fields.read("width", result.width);
    fields.read("reducedSize", result.reducedSize);
    fields.read("reason", result.reason);
    fields.read("relativeL2", result.relativeL2);
    fields.read("wrongRelativeL2", result.wrongRelativeL2);
    fields.read("wrongLargestAbsolute", result.wrongLargestAbsolute);
    fields.read("lossFull", result.lossFull);
    fields.read("lossAccumulated", result.lossAccumulated);
    fields.read("lossWrong", result.lossWrong);
    fields.read("tolerance", result.tolerance);
    result.layers.clear();
    for (const json& layer : fields.at("layers")) {
        result.layers.push_back(layerFromJson(layer));
    }
}

}  // namespace receiptbench
