// The whole job in one call: import -> freeze -> check -> plan -> runs -> wrong run -> overflow run -> crash and recovery ->
// compare -> report.
#pragma once

#include <string>
#include <vector>

#include "core/workbench/comparison.h"
#include "core/workbench/drill.h"
#include "core/workbench/training.h"

namespace receiptbench {

struct DemoRequest {
    std::string out;                      // project folder
    std::string data;                     // manifest or folder; empty: the embedded example
    bool derive = false;
    std::int64_t memoryLimit = 0;         // 0: a default that makes the budget bite
    std::optional<std::int64_t> updates;
    std::optional<std::int64_t> height, width;
    std::vector<Precision> modes{Precision::Fp32, Precision::Bf16, Precision::Fp16};
    std::optional<std::int64_t> microbatch;
    int threads = 2;
    std::uint64_t seed = 83;
    std::string program;                  // for the drill's child
};
struct DemoResult {
    Comparison comparison;
    DrillResult drill;
    std::optional<TrainOutcome> wrong, overflow;
    std::vector<std::string> notSupported;
    std::string reportJson, reportMarkdown;
    double seconds = 0;
};
DemoResult runDemo(FileSystem& files, const DemoRequest& request, Progress& progress, TrainListener& listener, const CancelToken& cancel);

// What this computer has: for `doctor` and the welcome card.
struct ComputerFacts {
    std::string processor, cpuCapability, torchVersion, device;
    int cores = 0;
    std::int64_t memoryBytes = 0, freeMemoryBytes = 0, suggestedBudget = 0;
    std::vector<std::pair<std::string, std::string>> libraries;   // name, version
    std::vector<std::pair<std::string, std::string>> precisions;  // name, "supported" | "slow: ..." | "not supported: ..."
    std::vector<std::string> problems;
};
ComputerFacts examineComputer();

}  // namespace receiptbench
