// The report as PDF: every part of the JSON report with vector plots, thumbnails of flipped photos
// and selectable text.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <QImage>
#include <QString>

#include <nlohmann/json_fwd.hpp>

namespace receiptbench {

enum class PageFormat { A4, Letter };

struct PdfOptions {
    PageFormat page = PageFormat::A4;
    std::set<std::string> sections;  // empty: all; names from pdfSections()
};

// Names and titles of the parts, in order.
const std::vector<std::pair<std::string, QString>>& pdfSections();

// A frozen validation photo by its row, for the thumbnails; may return a null image.
using PhotoSource = std::function<QImage(std::int64_t validationId)>;

// Needs a QApplication (the plots are widgets that are never shown; the offscreen platform will do)
// and its thread. report: gatherReport's object; what is missing in it is said, never an error.
// Byte-identical for the same input, on every screen: the creation date is the report's own.
// Error(Usage) for an unknown section, Error(Failed) when the file cannot be written.
void writePdfReport(const nlohmann::json& report, const PhotoSource& photos,
                    const PdfOptions& options, const std::string& path);
// One picture per page, for the preview.
std::vector<QImage> renderReportPages(const nlohmann::json& report, const PhotoSource& photos,
                                      const PdfOptions& options, double dotsPerInch);

}  // namespace receiptbench
