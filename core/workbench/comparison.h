// Compare runs with the baseline, and pick the final one.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/evaluate/verdict.h"
#include "core/workbench/project.h"

namespace receiptbench {

struct ComparedRun {
    RunFacts facts;
    std::string kind;                      // "run", "wrong", ...
    std::vector<ThresholdChange> changes;  // against the baseline; empty for the baseline itself
    Interval accuracyDifference;
    Verdict verdict;  // the baseline's: judged against itself, without changes
};
struct Comparison {
    RunFacts baseline;
    std::vector<ComparedRun>
        runs;  // every other finished run of the contract, "wrong" kind included and labelled
    std::vector<std::string> notSupported;  // "fp16: reason"
    std::vector<std::string> notes;         // what the contract lets every run do
};
// Error(Data) without a finished baseline; a run of another contract is refused by the name of the
// field that differs. Stored as comparison.json; the per-update columns are left to the ledgers.
void to_json(nlohmann::json& json, const RunFacts& facts);
void to_json(nlohmann::json& json, const ComparedRun& run);
void to_json(nlohmann::json& json, const Comparison& comparison);

// True for a run whose verdict is "not preserved" as it should be: the deliberately wrong one.
bool isExpected(const ComparedRun& run);

// names: runs of this project, or paths of run folders (also another project's); empty: every other
// finished run.
Comparison compareRuns(const Project& project, const std::vector<std::string>& names = {});
ComparedRun compareRun(const Project& project, const std::string& run);  // one run, nothing stored
RunFacts gatherRunFacts(const Project& project, const std::string& run);

struct Bundle {
    std::string folder;
    std::string checkpoint;  // file whose weights were taken
};
// Writes bundle/: weights.safetensors, bundle.json (label map, threshold, preprocessing, contract
// hash, run, verdict). Refuses a run whose validation digest is not the contract's (Error(Data))
// and, unless forced, one that is not preserved.
Bundle selectRun(const Project& project, const std::string& run, bool force = false);

}  // namespace receiptbench
