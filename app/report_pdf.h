// The PDF report without a display.
#pragma once

#include <string>
#include <vector>

namespace receiptbench {

struct PdfOutput {
    std::string path;
    bool letter = false;                // else A4
    std::vector<std::string> sections;  // empty: all
};
// From the project's report.json and frozen photos. Once per process.
void writeReportPdf(const std::string& projectFolder, const std::string& reportJson,
                    const PdfOutput& output);

}  // namespace receiptbench
