// Results in words and tables.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/workbench/comparison.h"
#include "core/workbench/drill.h"

namespace receiptbench {

void showMetrics(const Metrics& metrics, const LabelMap& labels);
void showComparison(const Comparison& comparison, bool everyRule);
// 0 when every run is preserved and the wrong run is caught, else 10 or 11.
int verdictExitCode(const Comparison& comparison);
std::vector<std::string> drillWords(const DrillResult& result);
// The report's runs as one table, the same figures as in report.md.
void showRuns(const nlohmann::json& report);

}  // namespace receiptbench
