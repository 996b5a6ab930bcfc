// The Report page's files: the PDF, painted page by page, and the JSON and Markdown beside it.
#include <QDesktopServices>
#include <QFileInfo>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QUrl>

#include "core/workbench/reporting.h"
#include "ui/command_line.h"
#include "ui/pdf/pdf_file.h"
#include "ui/report/report_page.h"

namespace receiptbench {
void ReportPage::exportPdf() {
    if (!export_->isEnabled()) {
        return;
    }
    try {
        demandPdfPath(exportPath().toStdString());
    } catch (const Error& error) {
        say(Meaning::Bad,
            tr("%1. Remedy: %2")
                .arg(QString::fromStdString(error.what()), QString::fromStdString(error.hint())));
        return;
    }
    writing_ = std::make_unique<PdfWriting>(*pages_);
    progress_->setRange(0, pages_->count());
    progress_->setValue(0);
    say(Meaning::Neutral, {});
    pdfTimer_.start();
    updateButtons();
}

void ReportPage::addPdfPage() {
    if (writing_->addPage()) {
        progress_->setValue(progress_->value() + 1);
        return;
    }
    pdfTimer_.stop();
    const auto bytes = writing_->finish();
    writing_.reset();
    writePdf(bytes);
}

// With JSON and Markdown beside it in the project, as the command line does: the PDF refers to
// them.
void ReportPage::writePdf(const QByteArray& bytes) {
    const auto path = exportPath();
    const auto project = session_.projectFolder().toStdString();
    working_ = Working::Writing;
    const QPointer<ReportPage> self(this);
    const bool started = session_.startOther(
        tr("PDF report"),
        [bytes, project, path = path.toStdString()](Progress&, const CancelToken&) {
            auto& files = posixFileSystem();
            writeReport(Project::open(files, project));
            writeAtomically(
                files, path,
                std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
        },
        [self, path, size = bytes.size()] {
            if (self != nullptr) {
                self->working_ = Working::Nothing;
                self->say(Meaning::Good, tr("Written: %1 (%2)").arg(path, bytesText(size)));
                Q_EMIT self->exported(path);
            }
        },
        command());
    working_ = started ? working_ : Working::Nothing;
    updateButtons();
}

void ReportPage::exportText() {
    if (!text_->isEnabled()) {
        return;
    }
    const auto project = session_.projectFolder().toStdString();
    const auto written = std::make_shared<ReportFiles>();
    working_ = Working::Writing;
    const QPointer<ReportPage> self(this);
    const bool started = session_.startOther(
        tr("JSON and Markdown report"),
        [project, written](Progress&, const CancelToken&) {
            *written = writeReport(Project::open(posixFileSystem(), project));
        },
        [self, written] {
            if (self != nullptr) {
                self->working_ = Working::Nothing;
                self->say(Meaning::Good, tr("Written: %1 and %2")
                                             .arg(QString::fromStdString(written->json),
                                                  QString::fromStdString(written->markdown)));
                Q_EMIT self->exported(QString::fromStdString(written->json));
            }
        },
        QStringLiteral("receiptbench report --project ") + shellQuoted(session_.projectFolder()));
    working_ = started ? working_ : Working::Nothing;
    updateButtons();
}

void ReportPage::showInFolder() {
    const auto folder = QFileInfo(exportPath()).absolutePath();
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder))) {
        say(Meaning::Caution, tr("No file manager answered. The folder is %1").arg(folder));
    }
}

QString ReportPage::command() const {
    auto words = reportCommand(session_.projectFolder(), exportPath());
    const auto chosen = options();
    if (chosen.page == PageFormat::Letter) {
        words += QStringLiteral(" --page Letter");
    }
    if (static_cast<int>(chosen.sections.size()) < parts_->count() && !chosen.sections.empty()) {
        QStringList names;
        for (const auto& [name, title] : pdfSections()) {
            if (chosen.sections.count(name) > 0) {
                names << QString::fromStdString(name);
            }
        }
        words += QStringLiteral(" --sections ") + names.join(u',');
    }
    return words;
}

}  // namespace receiptbench
