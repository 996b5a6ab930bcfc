// What a contract's fields may be.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/contract/contract.h"

namespace receiptbench {
namespace {

constexpr std::int64_t kMostClasses = 1000;
constexpr std::int64_t kLeastSide = 16, kMostSide = 4096;
constexpr std::int64_t kMostCount = 1'000'000'000;
constexpr std::int64_t kMostWidth = 1024;

[[noreturn]] void refuse(const char* field, const std::string& value, const std::string& allowed) {
    throw Error(ErrorCode::Usage, fmt::format("contract field \"{}\" is {}", field, value),
                "allowed: " + allowed);
}

void requireWhole(const char* field, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most) {
        refuse(field, fmt::format("{}", value), fmt::format("{} to {}", least, most));
    }
}

// ok is false for NaN with every comparison, so NaN is refused as well.
void requireNumber(const char* field, double value, bool ok, const char* allowed) {
    if (!ok || !std::isfinite(value)) {
        refuse(field, formatDouble(value), allowed);
    }
}

void requireOneOf(const char* field, const std::string& value,
                  std::initializer_list<const char*> choices) {
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
        refuse(field, "\"" + printable(value) + "\"", fmt::format("{}", fmt::join(choices, ", ")));
    }
}

void validateLabels(const ExperimentContract& contract) {
    const LabelMap& labels = contract.labels;
    if (labels.size() < 2 || labels.size() > kMostClasses) {
        throw Error(ErrorCode::Data,
                    fmt::format("contract field \"labels\" names {} class{} ({})", labels.size(),
                                labels.size() == 1 ? "" : "es",
                                printable(fmt::format("{}", fmt::join(labels.names(), ", ")))),
                    fmt::format("a classifier needs 2 to {} classes", kMostClasses));
    }
    if (!labels.index(contract.acceptLabel)) {
        refuse("acceptLabel", "\"" + printable(contract.acceptLabel) + "\"",
               printable(fmt::format("{}", fmt::join(labels.names(), ", "))));
    }
}

void validateImages(const ExperimentContract& contract) {
    requireWhole("height", contract.height, kLeastSide, kMostSide);
    requireWhole("width", contract.width, kLeastSide, kMostSide);
    requireWhole("trainExamples", contract.trainExamples, 0, kMostCount);
    requireWhole("validationExamples", contract.validationExamples, 0, kMostCount);
    requireOneOf("resizeRule", contract.resizeRule, {"letterbox-128"});
    for (const double mean : contract.mean) {
        requireNumber("mean", mean, mean >= 0 && mean <= 1, "0 to 1");
    }
    for (const double deviation : contract.standardDeviation) {
        requireNumber("standardDeviation", deviation, deviation > 0, "above 0");
    }
}

void validateOptimizer(const OptimizerSpec& spec) {
    requireOneOf("optimizer.name", spec.name, {"sgd", "adam", "adamw", "rmsprop"});
    requireNumber("optimizer.learningRate", spec.learningRate, spec.learningRate > 0, "above 0");
    requireNumber("optimizer.weightDecay", spec.weightDecay, spec.weightDecay >= 0, "0 or above");
    requireNumber("optimizer.beta1", spec.beta1, spec.beta1 >= 0 && spec.beta1 < 1, "0 to below 1");
    requireNumber("optimizer.beta2", spec.beta2, spec.beta2 >= 0 && spec.beta2 < 1, "0 to below 1");
    requireNumber("optimizer.epsilon", spec.epsilon, spec.epsilon >= 0, "0 or above");
    requireNumber("optimizer.momentum", spec.momentum, spec.momentum >= 0 && spec.momentum < 1,
                  "0 to below 1");
    requireNumber("optimizer.alpha", spec.alpha, spec.alpha >= 0 && spec.alpha < 1, "0 to below 1");
    if (spec.nesterov && (spec.name != "sgd" || spec.momentum <= 0)) {
        refuse("optimizer.nesterov", "true", "only with sgd and a momentum above 0");
    }
}

void validateSchedule(const ScheduleSpec& spec) {
    requireOneOf("schedule.name", spec.name,
                 {"constant", "step", "warmup_cosine", "onecycle", "linear"});
    requireWhole("schedule.warmup", spec.warmup, 0, kMostCount);
    requireWhole("schedule.total", spec.total, 0, kMostCount);
    requireNumber("schedule.floor", spec.floor, spec.floor >= 0 && spec.floor <= 1, "0 to 1");
    requireWhole("schedule.every", spec.every, spec.name == "step" ? 1 : 0, kMostCount);
    requireNumber("schedule.gamma", spec.gamma, spec.gamma > 0, "above 0");
    requireNumber("schedule.maxLearningRate", spec.maxLearningRate,
                  spec.name == "onecycle" ? spec.maxLearningRate > 0 : spec.maxLearningRate >= 0,
                  spec.name == "onecycle" ? "above 0" : "0 or above");
}

void validateLoss(const LossSpec& spec, const LabelMap& labels) {
    requireOneOf("loss.name", spec.name, {"cross_entropy"});
    requireOneOf("loss.reduction", spec.reduction, {"sum/accepted"});
    requireNumber("loss.labelSmoothing", spec.labelSmoothing,
                  spec.labelSmoothing >= 0 && spec.labelSmoothing < 1, "0 to below 1");
    const auto count = static_cast<std::int64_t>(spec.classWeights.size());
    if (count != 0 && count != labels.size()) {
        refuse("loss.classWeights", fmt::format("a list of {}", count),
               fmt::format("one weight for each of the {} classes, or none", labels.size()));
    }
    for (const double weight : spec.classWeights) {
        requireNumber("loss.classWeights", weight, weight > 0, "above 0");
    }
}

void validateScaler(const ScalerSpec& spec) {
    requireNumber("scaler.floor", spec.floor, spec.floor > 0, "above 0");
    requireNumber("scaler.initScale", spec.initScale, spec.initScale >= spec.floor,
                  "at least scaler.floor");
    requireNumber("scaler.growthFactor", spec.growthFactor, spec.growthFactor > 1, "above 1");
    requireNumber("scaler.backoffFactor", spec.backoffFactor,
                  spec.backoffFactor > 0 && spec.backoffFactor < 1, "between 0 and 1");
    requireWhole("scaler.growthInterval", spec.growthInterval, 1, kMostCount);
}

}  // namespace

void validateContract(const ExperimentContract& contract) {
    validateLabels(contract);
    const double threshold = contract.acceptanceThreshold, band = contract.nearThresholdBand;
    const double margin = contract.nonInferiorityMargin;
    requireNumber("acceptanceThreshold", threshold, threshold > 0 && threshold < 1,
                  "between 0 and 1");
    requireNumber("nearThresholdBand", band, band >= 0 && band < 1, "0 to below 1");
    requireNumber("nonInferiorityMargin", margin, margin >= 0 && margin < 1, "0 to below 1");
    validateImages(contract);
    if (contract.model.name.empty()) {
        refuse("model.name", "empty", "receiptnet");
    }
    requireWhole("model.width", contract.model.width, 8, kMostWidth);
    if (contract.model.width % 8 != 0) {
        refuse("model.width", fmt::format("{}", contract.model.width), "a multiple of 8");
    }
    validateOptimizer(contract.optimizer);
    validateSchedule(contract.schedule);
    validateLoss(contract.loss, contract.labels);
    validateScaler(contract.scaler);
    requireWhole("examplesPerUpdate", contract.examplesPerUpdate, 1, kMostCount);
    requireNumber("clipNorm", contract.clipNorm, contract.clipNorm >= 0,
                  "0 (no clipping) or above");
    requireWhole("updates", contract.updates, 1, kMostCount);
    requireWhole("checkpointInterval", contract.checkpointInterval, 1, kMostCount);
}

}  // namespace receiptbench
