// The report as PDF: every part of the JSON report with vector plots, thumbnails of flipped photos
// and selectable text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <QByteArray>
#include <QImage>
#include <QRect>
#include <QSizeF>
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

// The same in short steps, for a window that must stay quick: first part by part, then page by
// page.
class ReportPages {
 public:
    // Error(Usage) for an unknown section.
    ReportPages(std::shared_ptr<const nlohmann::json> report, PhotoSource photos,
                const PdfOptions& options);
    ~ReportPages();
    ReportPages(const ReportPages&) = delete;
    ReportPages& operator=(const ReportPages&) = delete;

    bool addPart();       // lays the next part out; false when all are in
    int count() const;    // pages so far
    QSizeF size() const;  // of a page, in points
    QImage image(int page, double dotsPerInch) const;
    // The same picture in strips: plots of long runs take a while to paint.
    QImage blankImage(double dotsPerInch) const;
    void paint(QImage& image, int page, const QRect& strip) const;

 private:
    friend class PdfWriting;
    struct Private;
    std::unique_ptr<Private> p_;
};

// The pages must be complete and outlive it. One at a time: it fixes the seed of Qt's hash tables.
class PdfWriting {
 public:
    explicit PdfWriting(const ReportPages& pages);
    ~PdfWriting();
    PdfWriting(const PdfWriting&) = delete;
    PdfWriting& operator=(const PdfWriting&) = delete;

    bool addPage();       // false when all are in
    QByteArray finish();  // the file's bytes

 private:
    struct Private;
    std::unique_ptr<Private> p_;
};

}  // namespace receiptbench
