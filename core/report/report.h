// The report's facts, gathered from an experiment's files, and their forms.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/file_system.h"

namespace receiptbench {

// One JSON object (schema "receiptbench-report", version 1) with: contract, environment, data
// (counts, rejects), gradientCheck, plans, runs (ledger summary, updates, memory trace, time
// breakdown, precision figures, metrics), thresholdChanges, verdicts, wrongRun, overflowRun,
// recovery, howToRecompute. All values come from the project's files.
nlohmann::json gatherReport(FileSystem& files, const std::string& projectFolder);
std::string markdownReport(const nlohmann::json& report);

}  // namespace receiptbench
