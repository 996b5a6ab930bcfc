// Compare runs with the baseline, and pick the final one.
#pragma once

#include <string>
#include <vector>

#include "core/evaluate/verdict.h"
#include "core/workbench/project.h"

namespace receiptbench {

struct ComparedRun {
    RunFacts facts;
    std::vector<ThresholdChange> changes;      // against the baseline; empty for the baseline itself
    Interval accuracyDifference;
    Verdict verdict;                           // the baseline's: judged against itself, without changes
};
struct Comparison {
    RunFacts baseline;
    std::vector<ComparedRun> runs;             // every other finished run of the contract, "wrong" kind included and labelled
    std::vector<std::string> notSupported;     // "fp16: reason"
};
// Error(Data) without a finished baseline; a run of another contract is refused by the name of the field that differs.
Comparison compareRuns(const Project& project, const std::vector<std::string>& names = {});
RunFacts gatherRunFacts(const Project& project, const std::string& run);

// Writes bundle/: weights.safetensors, bundle.json (label map, threshold, preprocessing, contract hash, run, verdict). Refuses
// a run whose validation digest is not the contract's (Error(Data)) and, unless forced, one that is not preserved.
std::string selectRun(const Project& project, const std::string& run, bool force = false);

}  // namespace receiptbench
