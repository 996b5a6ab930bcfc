// The whole job in one call: import -> freeze -> check -> plan -> runs -> wrong run -> overflow run
// -> crash and recovery -> compare -> report.
#pragma once

#include <string>
#include <vector>

#include "core/workbench/comparison.h"
#include "core/workbench/drill.h"
#include "core/workbench/training.h"

namespace receiptbench {

struct DemoRequest {
    std::string out;   // project folder
    std::string data;  // manifest or folder; empty: the embedded example
    bool derive = false;
    std::int64_t memoryLimit = 0;  // 0: a default that makes the budget bite
    std::optional<std::int64_t> updates;
    std::optional<std::int64_t> height, width;
    std::vector<Precision> modes{Precision::Fp32, Precision::Bf16, Precision::Fp16};
    std::optional<std::int64_t> microbatch;
    int threads = 2;
    std::uint64_t seed = 83;
    std::int64_t identities = 450;  // of the embedded example
    std::string program;            // for the drill's child
};
// With the defaults filled in: the example is small and short enough for two minutes with every
// mode on two cores.
struct DemoPlan {
    FreezeOptions data;
    ExperimentContract contract;
    bool example = false;
};
DemoPlan planDemo(const DemoRequest& request);
// Everything that the demo can refuse before it writes anything.
void checkDemo(FileSystem& files, const DemoRequest& request);
struct DemoResult {
    Comparison comparison;
    std::vector<DrillResult> drills;
    std::optional<TrainOutcome> wrong, overflow;
    std::vector<std::string> notSupported;
    std::string reportJson, reportMarkdown;
    std::int64_t memoryLimit = 0;
    std::vector<Reject> rejects;
    double seconds = 0;
};
void validateSize(std::int64_t height, std::int64_t width);  // Error(Usage)

DemoResult runDemo(FileSystem& files, const DemoRequest& request, Progress& progress,
                   TrainListener& listener, const CancelToken& cancel);

// What this computer has: for `doctor` and the welcome card.
struct ComputerFacts {
    std::string processor, cpuCapability, torchVersion, device;
    int cores = 0;
    std::int64_t memoryBytes = 0, freeMemoryBytes = 0, suggestedBudget = 0;
    std::vector<std::pair<std::string, std::string>> libraries;  // name, version
    std::vector<std::pair<std::string, std::string>>
        precisions;  // name, "supported" | "slow: ..." | "not supported: ..."
    std::vector<std::string> problems;
};
ComputerFacts examineComputer();
std::vector<std::pair<std::string, std::string>> usedLibraries();

}  // namespace receiptbench
