#include "ui/data/data_page.h"

#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QStackedWidget>
#include <QTime>

#include "core/base/text.h"
#include "ui/background.h"
#include "ui/data/import_summary.h"
#include "ui/data/photo_model.h"
#include "ui/data/photo_viewer.h"
#include "ui/data/rejects_view.h"
#include "ui/data/thumbnail_loader.h"
#include "ui/pages.h"
#include "ui/state_pane.h"
#include "ui/window/import_dialog.h"

namespace receiptbench {
namespace {

constexpr int kHashCharacters = 12;

QString plain(const std::string& text) {
    return QString::fromStdString(printable(text));
}

bool isPreparing(JobKind kind) {
    return kind == JobKind::Import || kind == JobKind::Freeze;
}

}  // namespace

DataPage::DataPage(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    setObjectName(QStringLiteral("dataPage"));
    build();
    connectSession();
    projectChanged();
}

void DataPage::connectSession() {
    connect(&session_, &Session::projectChanged, this, &DataPage::projectChanged);
    connect(&session_, &Session::runsChanged, this, &DataPage::runsChanged);
    connect(&session_, &Session::jobChanged, this, &DataPage::jobChanged);
    connect(&session_, &Session::photosRequested, this, &DataPage::photosRequested);
}

// Also after an import or a freeze of the same project: read anew, keeping what was chosen where it
// still exists.
void DataPage::projectChanged() {
    const bool other = gallery_ == nullptr || plain(gallery_->folder) != session_.projectFolder();
    if (other) {
        gallery_.reset();
        pixels_.reset();
        thumbnails_->setReader({});
        model_->show(nullptr, {}, -1);
        filter_ = {};
        requestTitle_.clear();
        pending_.reset();
        const QSignalBlocker quiet(search_);
        search_->clear();
    }
    verified_ = Verified::NotYet;
    error_.clear();
    stale_ = true;
    load();
    refresh();
}

QString DataPage::runKey() const {
    QString key;
    for (const auto& run : session_.runs()) {
        if (run.state == RunState::Finished || run.state == RunState::Stopped) {
            key += QStringLiteral("%1 %2\n").arg(plain(run.description.name)).arg(run.updates);
        }
    }
    return key;
}

void DataPage::runsChanged() {
    if (runKey() != loadedRuns_) {
        stale_ = true;
        load();
    }
}

// In the background, and only while the page is seen: a hidden page reads nothing.
void DataPage::load() {
    if (session_.project() == nullptr || !stale_ || !isVisible()) {
        return;
    }
    stale_ = false;
    loading_ = true;
    loadedRuns_ = runKey();
    const auto folder = session_.projectFolder().toStdString();
    const auto asked = ++asked_;
    readInBackground<Loaded>(
        this,
        [folder]() -> Loaded {
            Loaded facts;
            try {
                facts.gallery = std::make_shared<const Gallery>(
                    loadGallery(Project::open(posixFileSystem(), folder)));
                if (facts.gallery->frozen) {
                    facts.pixels = std::make_shared<const PhotoPixels>(folder);
                }
            } catch (const Error& error) {
                facts.error = plain(error.what());
                facts.remedy = plain(error.hint());
            } catch (const std::exception& error) {
                facts.error = plain(error.what());
            }
            return facts;
        },
        [this, asked](const Loaded& facts) {
            if (asked == asked_) {
                loaded(facts);
            }
        });
}

void DataPage::loaded(const Loaded& facts) {
    loading_ = false;
    error_ = facts.error;
    remedy_ = facts.remedy;
    if (!error_.isEmpty()) {
        gallery_.reset();
        refresh();
        return;
    }
    const auto run = filter_.run >= 0 && gallery_ != nullptr &&
                             filter_.run < static_cast<int>(gallery_->runs.size())
                         ? plain(gallery_->runs[static_cast<std::size_t>(filter_.run)].run)
                         : QString();
    const bool same =
        gallery_ != nullptr && gallery_->datasetDigest == facts.gallery->datasetDigest;
    gallery_ = facts.gallery;
    pixels_ = facts.pixels;
    if (!same || !gallery_->frozen) {
        filter_.choice.fill(kEvery);
        thumbnails_->setReader(pixels_ == nullptr
                                   ? ThumbnailLoader::Reader{}
                                   : [gallery = gallery_, pixels = pixels_](int photo) {
                                         const auto& one =
                                             gallery->photos[static_cast<std::size_t>(photo)];
                                         return toQImage(pixels->read(one.validation, one.id));
                                     });
        setTileSize(size_->value() * kTileStep);
    }
    fillRuns(run);
    applyFilter();
    takeRequest();
    refresh();
}

void DataPage::refresh() {
    showHead();
    banner_->setVisible(gallery_ != nullptr && gallery_->frozen && filter_.requested.has_value());
    const auto& job = session_.job();
    if (session_.busy() && isPreparing(job.kind)) {
        sayJob();
    } else if (session_.project() == nullptr) {
        sayNothingImported();
    } else if (!error_.isEmpty()) {
        stack_->setCurrentWidget(state_);
        state_->say(Meaning::Bad, tr("The data cannot be read"),
                    remedy_.isEmpty() ? error_ : tr("%1. Remedy: %2").arg(error_, remedy_),
                    tr("Read again"), [this] {
                        error_.clear();
                        stale_ = true;
                        load();
                        refresh();
                    });
    } else if (gallery_ == nullptr) {
        stack_->setCurrentWidget(state_);
        state_->sayBusy(tr("Reading the photos"),
                        tr("The list of the frozen split and what each run says of it."));
    } else if (gallery_->frozen) {
        if (stack_->currentWidget() != viewer_ && stack_->currentWidget() != rejects_) {
            stack_->setCurrentWidget(browser_);
        }
    } else if (gallery_->imported) {
        summary_->show(*gallery_);
        if (stack_->currentWidget() != rejects_) {
            stack_->setCurrentWidget(summary_);
        }
    } else {
        sayNothingImported();
    }
}

void DataPage::sayJob() {
    const auto& job = session_.job();
    const auto counted = job.total > 0
                             ? tr("%1: %2 of %3").arg(job.stage).arg(job.done).arg(job.total)
                         : !job.stage.isEmpty() ? job.stage
                                                : tr("The first photos are being read.");
    stack_->setCurrentWidget(state_);
    state_->sayBusy(
        job.kind == JobKind::Import ? tr("Importing the photos") : tr("Freezing the photos"),
        counted);
}

// Nothing to show yet: what to do, and what went wrong when it was tried.
void DataPage::sayNothingImported() {
    stack_->setCurrentWidget(state_);
    const auto& job = session_.job();
    if (job.kind == JobKind::Import && job.state == JobState::Failed) {
        state_->say(
            Meaning::Bad, tr("The import failed"),
            job.remedy.isEmpty() ? job.error : tr("%1. Remedy: %2").arg(job.error, job.remedy),
            tr("Import other images…"), [this] { importImages(); });
    } else if (session_.project() == nullptr) {
        state_->say(Meaning::Neutral, tr("No project is open"),
                    tr("Import a folder of receipt photos or a manifest into a new project. "
                       "Nothing is written beside the images."),
                    tr("Import images…"), [this] { importImages(); });
    } else {
        state_->say(Meaning::Neutral, tr("Nothing is imported yet"),
                    tr("Import a folder of receipt photos or a manifest into a new project, or "
                       "freeze drawn receipts for this one in Configure."),
                    tr("Import images…"), [this] { importImages(); });
    }
}

void DataPage::importImages() {
    ImportDialog dialog({}, this);
    if (dialog.exec() == QDialog::Accepted) {
        session_.startImport(dialog.folder(), dialog.options());
    }
}

void DataPage::jobChanged() {
    const auto& job = session_.job();
    const bool turned = session_.busy() != wasBusy_;
    wasBusy_ = session_.busy();
    if (turned && !wasBusy_ && verified_ == Verified::Running) {
        // finished() has not been called: the check failed, or was stopped.
        verified_ = job.stopped ? Verified::NotYet : Verified::No;
        verifiedText_ = job.error;
    }
    if (turned || isPreparing(job.kind)) {
        refresh();
    }
}

void DataPage::verify() {
    const auto folder = session_.projectFolder().toStdString();
    const QPointer<DataPage> self(this);
    if (session_.startOther(
            tr("Verifying the frozen split"),
            [folder](Progress& progress, const CancelToken&) {
                progress.stage("hashing every pixel", 0);
                verifyFrozen(Project::open(posixFileSystem(), folder));
            },
            [self, folder] {
                if (self != nullptr && self->session_.projectFolder().toStdString() == folder) {
                    self->verified_ = Verified::Yes;
                    self->verifiedText_ = QTime::currentTime().toString(QStringLiteral("HH:mm:ss"));
                    self->showHead();
                }
            })) {
        verified_ = Verified::Running;
        wasBusy_ = true;
        showHead();
    }
}

void DataPage::showHead() {
    const bool frozen = gallery_ != nullptr && gallery_->frozen;
    const auto rejects = gallery_ == nullptr ? 0 : gallery_->rejects.size();
    rejectsButton_->setVisible(frozen && rejects > 0);
    rejectsButton_->setText(tr("&Rejected files (%1)").arg(rejects));
    rejectsButton_->setAccessibleName(tr("Rejected files, %1").arg(rejects));
    verifyButton_->setVisible(frozen);
    verifyButton_->setEnabled(!session_.busy());
    splitIcon_->setVisible(frozen);
    splitLine_->setVisible(frozen);
    figures_->setText(
        frozen ? tr("%1 photos: %2 for training, %3 for validation · %4 classes · %5×%6")
                     .arg(gallery_->photos.size())
                     .arg(gallery_->trainCount)
                     .arg(static_cast<std::int64_t>(gallery_->photos.size()) - gallery_->trainCount)
                     .arg(gallery_->labels.size())
                     .arg(gallery_->width)
                     .arg(gallery_->height)
               : QString());
    QStringList problems;
    if (frozen) {
        for (const auto& problem : gallery_->problems) {
            problems << tr("Left out: %1").arg(plain(problem));
        }
        showSplitLine();
    }
    problems_->setText(problems.join(u'\n'));
    problems_->setVisible(!problems.isEmpty());
}

void DataPage::showSplitLine() {
    Meaning meaning = Meaning::Neutral;
    QString state = tr("digests agree, pixels not hashed again yet");
    if (verified_ == Verified::Running) {
        state = tr("hashing every pixel…");
    } else if (verified_ == Verified::Yes) {
        meaning = Meaning::Good;
        state = tr("verified at %1").arg(verifiedText_);
    } else if (verified_ == Verified::No) {
        meaning = Meaning::Bad;
        state = tr("not verified: %1").arg(verifiedText_);
    }
    splitIcon_->setPixmap(meaningIcon(meaning).pixmap(16));
    splitLine_->setText(tr("Split frozen · sha256 %1… · %2")
                            .arg(plain(gallery_->splitDigest).left(kHashCharacters), state));
    splitLine_->setToolTip(tr("Split %1\nPixels %2")
                               .arg(plain(gallery_->splitDigest), plain(gallery_->datasetDigest)));
}

void DataPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    load();
    refresh();
}

void DataPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && splitIcon_ != nullptr) {
        showHead();  // icons keep the colours that they were made with
    }
}

QWidget* makeDataPage(Session& session, QWidget* parent) {
    return new DataPage(session, parent);
}

}  // namespace receiptbench
