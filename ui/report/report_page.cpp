#include "ui/report/report_page.h"

#include <QComboBox>
#include <QDir>
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

#include "core/base/file_system.h"
#include "core/workbench/reporting.h"
#include "ui/pages.h"
#include "ui/pdf/frozen_photos.h"
#include "ui/report/report_preview.h"
#include "ui/state_pane.h"

namespace receiptbench {
namespace {

constexpr int kSettleMilliseconds = 120;

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
            gathered->report = std::make_shared<const nlohmann::json>(
                reportOf(Project::open(posixFileSystem(), folder)));
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

void ReportPage::say(Meaning meaning, const QString& text) {
    messageIcon_->setPixmap(text.isEmpty() ? QPixmap() : meaningIcon(meaning).pixmap(18));
    message_->setText(text);
    message_->setAccessibleName(text.isEmpty() ? tr("Result of the export") : text);
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
