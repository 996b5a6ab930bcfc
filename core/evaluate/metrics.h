// Metrics of one run's predictions on the frozen validation set. Undefined values are nullopt,
// named n/a, left out of means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/contract/label_map.h"

namespace receiptbench {

struct Predictions {
    std::int64_t classes = 0;
    std::vector<std::int64_t> labels;   // [N]
    std::vector<double> probabilities;  // [N,classes]; a row with NaN is an invalid prediction
    std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
};
// Softmax in double of fp32 logits [N,classes].
Predictions fromLogits(const std::vector<float>& logits, const std::vector<std::int64_t>& labels,
                       std::int64_t classes);
// Lowest index on ties; -1 for an invalid prediction.
std::int64_t predictedClass(const Predictions& predictions, std::int64_t row);

struct ClassMetrics {
    std::int64_t support = 0, predicted = 0, correct = 0;
    std::optional<double> precision, recall, f1;
};
struct Interval {
    double low = 0, high = 0;
};
struct Metrics {
    std::int64_t examples = 0, correct = 0, invalid = 0;
    std::optional<double> accuracy, balancedAccuracy, macroF1, nll, brier, ece, auroc,
        averagePrecision;
    Interval accuracyInterval;  // Wilson, 95 %
    std::vector<ClassMetrics> classes;
    std::vector<std::vector<std::int64_t>> confusion;  // [true][predicted]
};
Metrics computeMetrics(const Predictions& predictions, std::int64_t acceptIndex);
Interval wilson(std::int64_t successes, std::int64_t trials, double confidence = 0.95);

void to_json(nlohmann::json& json, const Metrics& metrics);
void from_json(const nlohmann::json& json, Metrics& metrics);

}  // namespace receiptbench
