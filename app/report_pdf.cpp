#include "app/report_pdf.h"

#include <clocale>
#include <cstdio>

#include <QApplication>
#include <nlohmann/json.hpp>

#include "core/base/file_system.h"
#include "core/base/json.h"
#include "ui/pdf/frozen_photos.h"
#include "ui/pdf/pdf_report.h"

namespace receiptbench {
namespace {

// Hints about the desktop mean nothing here.
void sayProblemsOnly(QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type == QtCriticalMsg || type == QtFatalMsg) {
        std::fprintf(stderr, "%s\n", qPrintable(text));
    }
}

}  // namespace

void writeReportPdf(const std::string& projectFolder, const std::string& reportJson,
                    const PdfOutput& output) {
    qInstallMessageHandler(sayProblemsOnly);
    qputenv("QT_QPA_PLATFORM", "offscreen");  // the page does not depend on a screen
    static char name[] = "receiptbench";
    static char* arguments[] = {name, nullptr};
    int count = 1;
    const QApplication application(count, arguments);
    std::setlocale(LC_ALL, "C");  // Qt took the environment's
    PdfOptions options;
    options.page = output.letter ? PageFormat::Letter : PageFormat::A4;
    options.sections = {output.sections.begin(), output.sections.end()};
    const auto report = parseJson(readText(posixFileSystem(), reportJson), reportJson);
    writePdfReport(report, frozenPhotos(projectFolder), options, output.path);
}

}  // namespace receiptbench
