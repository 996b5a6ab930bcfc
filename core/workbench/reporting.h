// The report of a project as it is now.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/workbench/project.h"

namespace receiptbench {

// gatherReport's object, with the runs compared anew where there is a finished baseline, so that
// no verdict is older than the runs beside it. "comparisonProblem" says why there is none.
nlohmann::json reportOf(const Project& project);

struct ReportFiles {
    std::string json, markdown;
    std::string comparisonProblem;  // why they hold no comparison, or empty
};
ReportFiles writeReport(const Project& project);

}  // namespace receiptbench
