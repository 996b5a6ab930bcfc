// Preserved / not preserved / not comparable, rule by rule with figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/evaluate/changes.h"

namespace receiptbench {

enum class Outcome { Preserved, NotPreserved, NotComparable };
std::string toString(Outcome outcome);  // "preserved", "not preserved", "not comparable"

// What is known of one finished run; integers are compared as integers.
struct RunFacts {
    std::string name, precision, contractHash, validationDigest, device;
    std::int64_t memoryLimit = 0;
    std::int64_t attempted = 0, applied = 0, skipped = 0, contractUpdates = 0;
    std::vector<std::int64_t> acceptedPerUpdate;
    std::vector<std::vector<std::int64_t>> classMixPerUpdate;
    std::vector<std::string> idsDigestPerUpdate;
    std::int64_t peakBytes = 0;
    bool finished = false;
    bool deliberateOverflow = false;
    bool startedFromWeights = false;
    std::optional<bool> gradientCheckPassed, wrongRunCaught, recoveryProven;
    bool wrongNormalisation = false;  // the deliberately wrong run
    Metrics metrics;
};
struct Rule {
    std::string name;  // "same contract", "accepted examples per update", ...
    enum class State { Passed, Failed, NotJudged } state;
    std::string figures;  // "47 of 47 in 200 updates"
};
struct Verdict {
    Outcome outcome = Outcome::NotComparable;
    std::vector<Rule> rules;
    std::string words;  // one sentence
};
// accuracyDifference: paired 95 % interval of candidate - baseline accuracy.
Verdict judge(const RunFacts& baseline, const RunFacts& candidate, std::int64_t examplesPerUpdate,
              double nonInferiorityMargin, Interval accuracyDifference,
              const std::vector<ThresholdChange>& changes);
// Stratified paired bootstrap (percentiles), a pure function of the seed.
Interval pairedAccuracyDifference(const Predictions& baseline, const Predictions& candidate,
                                  std::uint64_t seed, int resamples = 2000);

void to_json(nlohmann::json& json, const Verdict& verdict);
void from_json(const nlohmann::json& json, Verdict& verdict);

}  // namespace receiptbench
