#include "core/workbench/reporting.h"

#include "core/base/text.h"
#include "core/report/report.h"
#include "core/workbench/comparison.h"
#include "core/workbench/training.h"

namespace receiptbench {

nlohmann::json reportOf(const Project& project) {
    auto report = gatherReport(project.files(), project.paths().root);
    report["comparison"] = nullptr;
    if (baselineRun(project).empty()) {
        report["comparisonProblem"] = "there is no finished fp32 baseline";
        return report;
    }
    try {
        report["comparison"] = compareRuns(project);
    } catch (const Error& error) {
        report["comparisonProblem"] = printable(error.what());
    }
    return report;
}

ReportFiles writeReport(const Project& project) {
    auto& files = project.files();
    const auto report = reportOf(project);
    files.makeDirectories(project.paths().report());
    ReportFiles paths{joinPath(project.paths().report(), "report.json"),
                      joinPath(project.paths().report(), "report.md"),
                      report.value("comparisonProblem", std::string())};
    writeAtomically(files, paths.json, report.dump(1) + "\n");
    writeAtomically(files, paths.markdown, markdownReport(report));
    return paths;
}

}  // namespace receiptbench
