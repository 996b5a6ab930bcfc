#include "ui/report/report_page.h"

#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QUrl>

#include <nlohmann/json.hpp>

#include <utility>

#include "core/base/error.h"
#include "core/base/file_system.h"
#include "core/report/report.h"
#include "ui/command_line.h"
#include "ui/pages.h"
#include "ui/pdf/frozen_photos.h"
#include "ui/report/report_preview.h"
#include "ui/state_pane.h"

namespace receiptbench {
namespace {

constexpr int kSettleMilliseconds = 120;

// A file that is no PDF is not replaced by one, however its path came into the field.
QString refusalToReplace(const QString& path) {
    QFile file(path);
    if (!file.exists()) {
        return {};
    }
    if (QFileInfo(path).isDir()) {
        return QObject::tr("%1 is a folder: name a file in it").arg(path);
    }
    const bool isPdf =
        file.open(QIODevice::ReadOnly) && (file.size() == 0 || file.peek(5) == "%PDF-");
    return isPdf ? QString()
                 : QObject::tr("%1 exists and is no PDF: it is left as it is. Choose another name")
                       .arg(path);
}

}  // namespace

ReportPage::ReportPage(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    setObjectName(QStringLiteral("reportPage"));
    build();
    layoutTimer_.setSingleShot(true);
    layoutTimer_.setInterval(kSettleMilliseconds);
    connect(&layoutTimer_, &QTimer::timeout, this, [this] {
        writing_.reset();
        pdfTimer_.stop();
        complete_ = false;
        pages_.reset();
        if (report_ && anyTicked()) {
            pages_ = std::make_shared<ReportPages>(report_, photos_, options());
            partTimer_.start();
        } else {
            resetThumbnails();
        }
        updateButtons();
    });
    connect(&partTimer_, &QTimer::timeout, this, &ReportPage::addPart);
    connect(&pdfTimer_, &QTimer::timeout, this, &ReportPage::addPdfPage);
    connect(&session_, &Session::projectChanged, this, &ReportPage::projectChanged);
    connect(&session_, &Session::runsChanged, this, &ReportPage::refresh);
    connect(&session_, &Session::drillsChanged, this, &ReportPage::refresh);
    connect(&session_, &Session::comparisonChanged, this, &ReportPage::refresh);
    connect(&session_, &Session::jobChanged, this, &ReportPage::jobChanged);
    projectChanged();
}

PdfOptions ReportPage::options() const {
    PdfOptions options;
    options.page = static_cast<PageFormat>(format_->currentData().toInt());
    for (int i = 0; i < parts_->count(); ++i) {
        if (parts_->item(i)->checkState() == Qt::Checked) {
            options.sections.insert(parts_->item(i)->data(Qt::UserRole).toString().toStdString());
        }
    }
    return options;
}

bool ReportPage::anyTicked() const {
    return !options().sections.empty();
}

bool ReportPage::isReady() const {
    return complete_ && !layoutTimer_.isActive();
}

int ReportPage::pageCount() const {
    return isReady() ? pages_->count() : 0;
}

QString ReportPage::exportPath() const {
    return path_->text().trimmed();
}

void ReportPage::setExportPath(const QString& path) {
    path_->setText(path);
    path_->setToolTip(path);
}

void ReportPage::tickAll(bool on) {
    const QSignalBlocker quiet(parts_);
    for (int i = 0; i < parts_->count(); ++i) {
        parts_->item(i)->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    }
    startLayout();
}

void ReportPage::projectChanged() {
    report_.reset();
    photos_ = {};
    readKey_.clear();
    failedKey_.clear();
    partTimer_.stop();
    pdfTimer_.stop();
    writing_.reset();
    pages_.reset();
    complete_ = false;
    resetThumbnails();
    message_->clear();
    messageIcon_->clear();
    setExportPath(
        session_.project() == nullptr
            ? QString()
            : QDir(session_.projectFolder()).filePath(QStringLiteral("report/report.pdf")));
    refresh();
}

QString ReportPage::stateKey() const {
    if (session_.project() == nullptr || session_.runs().empty()) {
        return {};
    }
    QStringList facts{
        session_.projectFolder(), QString::number(session_.drills().size()),
        QString::number(session_.comparison() ? session_.comparison()->runs.size() + 1 : 0)};
    for (const auto& run : session_.runs()) {
        facts << QString::fromStdString(run.description.name)
              << QString::fromStdString(toString(run.state)) << QString::number(run.updates);
    }
    return facts.join(u'\n');
}

void ReportPage::refresh() {
    const auto key = stateKey();
    if (session_.project() == nullptr) {
        state_->say(Meaning::Neutral, tr("No project is open"),
                    tr("Open a project, or try the example: its report has every part."),
                    tr("Go to Welcome"), [this] { session_.requestMode(Mode::Welcome); });
    } else if (key.isEmpty()) {
        state_->say(Meaning::Neutral, tr("Nothing to report yet"),
                    tr("The report is made of what runs, comparisons and drills left behind. Start "
                       "a run first."),
                    tr("Go to Configure"), [this] { session_.requestMode(Mode::Configure); });
    } else if (key == readKey_ || report_ != nullptr) {
        stack_->setCurrentWidget(content_);
        if (key != readKey_ && key != failedKey_) {
            startReading();
        }
        updateButtons();
        return;
    } else if (key == failedKey_) {
        state_->say(Meaning::Bad, tr("The report could not be put together"),
                    remedy_.isEmpty() ? error_ : tr("%1. Remedy: %2").arg(error_, remedy_),
                    tr("Try again"), [this] {
                        failedKey_.clear();
                        refresh();
                    });
    } else {
        startReading();
    }
    stack_->setCurrentWidget(state_);
}

// Gathered on the job thread, and only while the page is seen: a hidden page starts nothing.
void ReportPage::startReading() {
    if (session_.busy() && working_ != Working::Reading) {
        state_->sayBusy(tr("Waiting for %1 to end").arg(session_.job().title),
                        tr("The report is put together as soon as that job is done."));
        return;
    }
    state_->sayBusy(tr("Putting the report together"),
                    tr("Every ledger, plan and drill of the project is read."));
    if (!isVisible() || working_ != Working::Nothing) {
        return;
    }
    struct Gathered {
        std::shared_ptr<const nlohmann::json> report;
        PhotoSource photos;
    };
    const auto gathered = std::make_shared<Gathered>();
    const auto folder = session_.projectFolder().toStdString();
    working_ = Working::Reading;
    readingKey_ = stateKey();
    const QPointer<ReportPage> self(this);
    const bool started = session_.startOther(
        tr("Report's figures"),
        [folder, gathered](Progress&, const CancelToken&) {
            gathered->report =
                std::make_shared<const nlohmann::json>(gatherReport(posixFileSystem(), folder));
            gathered->photos = frozenPhotos(folder);
        },
        [self, gathered] {
            if (self == nullptr) {
                return;
            }
            self->working_ = Working::Nothing;
            self->readKey_ = self->readingKey_;
            self->report_ = gathered->report;
            self->photos_ = gathered->photos;
            self->startLayout();
            self->refresh();
        },
        command());
    working_ = started ? working_ : Working::Nothing;
}

void ReportPage::startLayout() {
    partTimer_.stop();
    layoutTimer_.start();
    updateButtons();
}

// One part at a time, so that the window never stalls.
void ReportPage::addPart() {
    if (pages_->addPart()) {
        return;
    }
    partTimer_.stop();
    complete_ = true;
    resetThumbnails();
    updateButtons();
    Q_EMIT ready();
}

void ReportPage::resetThumbnails() {
    const QSignalBlocker quiet(thumbnails_);
    const int count = complete_ ? pages_->count() : 0;
    while (thumbnails_->count() > count) {
        delete thumbnails_->takeItem(thumbnails_->count() - 1);
    }
    QPixmap blank(thumbnails_->iconSize());
    blank.fill(Qt::white);
    while (thumbnails_->count() < count) {
        auto* item = new QListWidgetItem(QIcon(blank), QString::number(thumbnails_->count() + 1),
                                         thumbnails_);
        item->setTextAlignment(Qt::AlignHCenter);
        item->setData(Qt::AccessibleTextRole, tr("Page %1").arg(thumbnails_->count()));
    }
    preview_->setPages(complete_ ? pages_ : nullptr);
}

void ReportPage::exportPdf() {
    if (!export_->isEnabled()) {
        return;
    }
    if (const auto refusal = refusalToReplace(exportPath()); !refusal.isEmpty()) {
        say(Meaning::Bad, refusal);
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

void ReportPage::say(Meaning meaning, const QString& text) {
    messageIcon_->setPixmap(text.isEmpty() ? QPixmap() : meaningIcon(meaning).pixmap(18));
    message_->setText(text);
}

void ReportPage::updateButtons() {
    const bool idle = !session_.busy() && !writing_;
    export_->setEnabled(isReady() && idle && exportPath().size() > 0);
    text_->setEnabled(idle && report_ != nullptr);
    folder_->setEnabled(QFileInfo(QFileInfo(exportPath()).absolutePath()).isDir());
    const auto waiting =
        session_.busy() ? tr("Waits for %1 to end").arg(session_.job().title) : QString();
    export_->setToolTip(!waiting.isEmpty() ? waiting
                        : !anyTicked()     ? tr("Tick at least one part")
                                           : tr("Write the PDF (Ctrl+E)"));
    text_->setToolTip(waiting.isEmpty()
                          ? tr("report.json and report.md in the project's report folder")
                          : waiting);
    progress_->setVisible(writing_ != nullptr);
    if (report_ && !anyTicked()) {
        say(Meaning::Caution, tr("No part is ticked: tick at least one."));
    } else if (message_->text() == tr("No part is ticked: tick at least one.")) {
        say(Meaning::Neutral, {});
    }
}

void ReportPage::jobChanged() {
    if (session_.busy() == wasBusy_) {
        return;  // progress only
    }
    wasBusy_ = session_.busy();
    const auto& job = session_.job();
    if (!wasBusy_) {
        const auto ended = std::exchange(working_, Working::Nothing);
        const bool failed = job.state == JobState::Failed;
        if (failed && ended == Working::Reading) {
            failedKey_ = readingKey_;
            error_ = job.error;
            remedy_ = job.remedy;
        } else if (failed && ended == Working::Writing) {
            say(Meaning::Bad, job.remedy.isEmpty()
                                  ? tr("Not written: %1").arg(job.error)
                                  : tr("Not written: %1. Remedy: %2").arg(job.error, job.remedy));
        }
    }
    refresh();
}

void ReportPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

QWidget* makeReportPage(Session& session, QWidget* parent) {
    return new ReportPage(session, parent);
}

}  // namespace receiptbench
