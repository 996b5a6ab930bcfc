// What a precision mode changes near the acceptance threshold, by class, against the baseline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluate/metrics.h"

namespace receiptbench {

struct ThresholdChange {
    std::string label;  // true class, or "all"
    std::int64_t examples = 0;
    std::int64_t acceptToReject = 0, rejectToAccept = 0;
    std::int64_t nearThreshold = 0;  // |p_baseline - threshold| <= band
    std::int64_t argmaxChanges = 0;
    std::int64_t invalid = 0;  // rows where either prediction is not a number: left out below
    // None where the class has no examples.
    std::optional<double> largestChange,
        meanChange;                        // |p_candidate - p_baseline| of the accept label
    std::optional<Interval> changedShare;  // Wilson, 95 %
    std::optional<double> mcnemarP;        // exact, two-sided
    std::optional<double> holmP;           // over the classes with examples (Holm 1979)
    std::string
        words;  // "no clear change", "fewer accepted, p = 0.01", "12 images: too few to tell"
    std::vector<std::int64_t> flipped;  // rows whose decision changed
};
struct ThresholdRule {
    std::int64_t acceptIndex = 0;
    double threshold = 0.5, band = 0.05;
};
// One row per class, then "all". The two must have the same labels in the same order (Error(Data)).
std::vector<ThresholdChange> thresholdChanges(const Predictions& baseline,
                                              const Predictions& candidate, const LabelMap& labels,
                                              const ThresholdRule& rule);
double mcnemarExact(std::int64_t onlyBaseline, std::int64_t onlyCandidate);

void to_json(nlohmann::json& json, const ThresholdChange& change);
void from_json(const nlohmann::json& json, ThresholdChange& change);

}  // namespace receiptbench
