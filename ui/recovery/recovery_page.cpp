#include "ui/recovery/recovery_page.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/text.h"
#include "ui/command_line.h"
#include "ui/pages.h"
#include "ui/recovery/drill_list.h"
#include "ui/recovery/replay_steps.h"
#include "ui/recovery/replay_view.h"
#include "ui/recovery/tape_model.h"
#include "ui/recovery/tape_strip.h"
#include "ui/state_pane.h"

namespace receiptbench {
namespace {

constexpr int kSideBySide = 680;  // from this width on the drills stand beside the tape
constexpr std::array kMoments{CrashWhen::Before, CrashWhen::Inside, CrashWhen::After};

Project openAt(const QString& folder) {
    return Project::open(posixFileSystem(), folder.toStdString());
}

// What the drill does at each of its five steps.
QString stageOf(std::int64_t done) {
    static const char* const kStages[] = {
        QT_TRANSLATE_NOOP("receiptbench::RecoveryPage", "Copying the run as it was"),
        QT_TRANSLATE_NOOP("receiptbench::RecoveryPage",
                          "The child trains, and dies in the checkpoint write"),
        QT_TRANSLATE_NOOP("receiptbench::RecoveryPage", "Recovering"),
        QT_TRANSLATE_NOOP("receiptbench::RecoveryPage", "Continuing, and comparing receipts"),
        QT_TRANSLATE_NOOP("receiptbench::RecoveryPage", "Negative control")};
    const auto at =
        std::clamp<std::int64_t>(done, 0, static_cast<std::int64_t>(std::size(kStages)) - 1);
    return RecoveryPage::tr(kStages[at]);
}

}  // namespace

RecoveryPage::RecoveryPage(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    setObjectName(QStringLiteral("recoveryPage"));
    build();
    connectSession();
    projectChanged();
}

void RecoveryPage::connectSession() {
    connect(&session_, &Session::projectChanged, this, &RecoveryPage::projectChanged);
    connect(&session_, &Session::runsChanged, this, &RecoveryPage::refresh);
    connect(&session_, &Session::drillsChanged, this, &RecoveryPage::drillsChanged);
    connect(&session_, &Session::jobChanged, this, &RecoveryPage::jobChanged);
    connect(&session_, &Session::selectedRunChanged, this, &RecoveryPage::refresh);
}

void RecoveryPage::projectChanged() {
    readKey_.clear();
    failedKey_.clear();
    receiptsOf_.clear();
    sayOutcome(Meaning::Neutral, {});
    known_.clear();
    stack_->setCurrentWidget(state_);
    drillsChanged();
    refresh();
}

void RecoveryPage::fillRuns() {
    const auto wanted =
        session_.selectedRun().isEmpty() ? runs_->currentText() : session_.selectedRun();
    const auto before = runs_->currentText();
    const QSignalBlocker quiet(runs_);
    runs_->clear();
    for (const auto& run : session_.runs()) {
        if (run.state == RunState::Finished) {
            runs_->addItem(QString::fromStdString(run.description.name));
        }
    }
    for (const auto& name : {wanted, before}) {
        if (runs_->findText(name) >= 0) {
            runs_->setCurrentIndex(runs_->findText(name));
            return;
        }
    }
    runs_->setCurrentIndex(runs_->count() > 0 ? 0 : -1);
}

QString RecoveryPage::runKey() const {
    for (const auto& run : session_.runs()) {
        if (QString::fromStdString(run.description.name) == runs_->currentText()) {
            return QString::fromStdString(run.folder) + u'\n' + QString::number(run.updates);
        }
    }
    return {};
}

void RecoveryPage::refresh() {
    fillRuns();
    runs_->setEnabled(runs_->count() > 0);
    const auto key = runKey();
    const bool isRead = !key.isEmpty() && key == readKey_;
    updates_->setEnabled(isRead && updates_->count() > 0);
    if (stack_->currentWidget() == replay_) {
        return;
    }
    if (isRead) {
        stack_->setCurrentWidget(workshop_);
        drills_->show(session_.drills(), runs_->currentText().toStdString());
        showPoint();
        return;
    }
    stack_->setCurrentWidget(state_);
    if (session_.project() == nullptr) {
        state_->say(
            Meaning::Neutral, tr("No project is open"),
            tr("Open a project, or try the example: it ends with two crash drills to replay."),
            tr("Go to Welcome"), [this] { session_.requestMode(Mode::Welcome); });
    } else if (key.isEmpty()) {
        state_->say(
            Meaning::Neutral, tr("No finished run yet"),
            tr("A drill kills a child process while it writes a checkpoint, and proves that "
               "the run goes on as if nothing had happened. It needs a finished run: start one."),
            tr("Go to Configure"), [this] { session_.requestMode(Mode::Configure); });
    } else if (key == failedKey_) {
        state_->say(Meaning::Bad,
                    tr("The call tape of %1 could not be read").arg(runs_->currentText()),
                    remedy_.isEmpty() ? error_ : tr("%1. Remedy: %2").arg(error_, remedy_),
                    tr("Try again"), [this] {
                        failedKey_.clear();
                        refresh();
                    });
    } else {
        startReading();
    }
}

// On the job thread, and only while the page is seen: a hidden page starts nothing.
void RecoveryPage::startReading() {
    if (session_.busy() && reading_ != Reading::Tape) {
        state_->sayBusy(tr("Waiting for %1 to end").arg(session_.job().title),
                        tr("The call tape is read as soon as that job is done."));
        return;
    }
    state_->sayBusy(
        tr("Reading the call tape of %1").arg(runs_->currentText()),
        tr("The newest checkpoint is written again on a scratch copy, and every call recorded."));
    if (!isVisible() || reading_ != Reading::Nothing) {
        return;
    }
    const auto key = runKey();
    const auto folder = session_.projectFolder();
    const auto run = runs_->currentText().toStdString();
    const auto facts = std::make_shared<TapeFacts>();
    reading_ = Reading::Tape;
    readingKey_ = key;
    const QPointer<RecoveryPage> self(this);
    const bool started = session_.startOther(
        tr("Call tape of %1").arg(runs_->currentText()),
        [folder, run, facts](Progress&, const CancelToken&) {
            *facts = readTape(openAt(folder), run);
        },
        [self, key, facts] {
            if (self != nullptr) {
                self->reading_ = Reading::Nothing;
                self->readKey_ = key;
                self->tapeRead(*facts);
            }
        },
        QStringLiteral("receiptbench drill --tape --project %1 %2")
            .arg(shellQuoted(folder), shellQuoted(runs_->currentText())));
    if (!started) {
        reading_ = Reading::Nothing;
    }
}

void RecoveryPage::tapeRead(const TapeFacts& facts) {
    const auto before = update();
    {
        const QSignalBlocker quiet(updates_);
        updates_->clear();
        for (const auto each : facts.updates) {
            updates_->addItem(QString::number(each), static_cast<qlonglong>(each));
        }
        const int at = updates_->findData(static_cast<qlonglong>(before));
        updates_->setCurrentIndex(at >= 0 ? at : updates_->count() > 0 ? 0 : -1);
    }
    model_->show(facts);
    strip_->show(facts.tape);
    markMatrix();
    fitTable();
    const bool stillThere =
        point_.call >= 1 && point_.call <= static_cast<std::int64_t>(facts.tape.size()) &&
        canBeCut(facts.tape[static_cast<std::size_t>(point_.call - 1)], point_.when);
    choosePoint(stillThere ? point_ : defaultPoint(facts.tape));
    refresh();
}

std::int64_t RecoveryPage::update() const {
    return updates_->currentData().toLongLong();
}

void RecoveryPage::choosePoint(const DrillPoint& point) {
    const auto& tape = model_->facts().tape;
    if (point.call < 1 || point.call > static_cast<std::int64_t>(tape.size()) ||
        !canBeCut(tape[static_cast<std::size_t>(point.call - 1)], point.when)) {
        showPoint();
        return;
    }
    point_ = point;
    table_->setCurrentIndex(
        model_->index(static_cast<int>(point.call) - 1, TapeModel::columnOf(point.when)));
    showPoint();
}

void RecoveryPage::showPoint() {
    const auto& facts = model_->facts();
    const auto at = static_cast<std::size_t>(point_.call - 1);
    const bool known = at < facts.tape.size();
    strip_->choose(point_);
    for (std::size_t i = 0; i < kMoments.size(); ++i) {
        auto* button = when_->button(static_cast<int>(i));
        button->setEnabled(known && canBeCut(facts.tape[at], kMoments[i]));
        button->setChecked(known && kMoments[i] == point_.when);
    }
    const auto why = refusal(facts, update(), point_);
    pointLabel_->setText(!why.isEmpty() || !known
                             ? why
                             : tr("Die %1, in the checkpoint of update %2. On disk for sure once "
                                  "the call is done: %3.")
                                   .arg(pointText(facts.tape, point_))
                                   .arg(update())
                                   .arg(durableText(facts.tape, facts.tape[at])));
    crash_->setEnabled(known && why.isEmpty() && !session_.busy());
    crash_->setToolTip(session_.busy()
                           ? tr("Waits for %1 to end").arg(session_.job().title)
                           : tr("Kills a real child process at this point, on a copy of the run"));
}

void RecoveryPage::markMatrix() {
    model_->mark(session_.drills(), update());
    matrix_->setText(updates_->count() == 0
                         ? QString()
                         : tr("%1 of %2 points proven for the checkpoint of update %3")
                               .arg(model_->provenPoints())
                               .arg(model_->points())
                               .arg(update()));
}

void RecoveryPage::simulateCrash() {
    if (!crash_->isEnabled()) {
        return;
    }
    DrillRequest request;
    request.run = model_->facts().run;
    request.call = point_.call;
    request.when = point_.when;
    request.atUpdate = update();
    drilling_ = session_.startDrill(request);
    showJob();
    showPoint();
}

void RecoveryPage::sayOutcome(Meaning meaning, const QString& text) {
    outcomeIcon_->setPixmap(meaningIcon(meaning).pixmap(18));
    outcome_->setText(text);
    outcome_->setAccessibleName(text.isEmpty() ? tr("Result of the drill") : text);
    outcomeRow_->setVisible(!text.isEmpty());
}

void RecoveryPage::showJob() {
    const auto& job = session_.job();
    const bool isDrill = job.kind == JobKind::Drill && session_.busy();
    running_->setVisible(isDrill);
    if (!isDrill) {
        return;
    }
    sayOutcome(Meaning::Neutral, {});
    stage_->setText(job.state == JobState::Stopping ? tr("Stopping") : stageOf(job.done));
    bar_->setRange(0, static_cast<int>(job.total));
    bar_->setValue(static_cast<int>(job.done));
    stop_->setEnabled(job.state == JobState::Running);
}

void RecoveryPage::jobChanged() {
    const auto& job = session_.job();
    showJob();
    if (session_.busy() == wasBusy_) {
        return;  // progress only
    }
    wasBusy_ = session_.busy();
    if (!wasBusy_) {
        const bool failed = job.state == JobState::Failed;
        if (std::exchange(drilling_, false) && failed && job.kind == JobKind::Drill) {
            sayOutcome(Meaning::Bad,
                       job.remedy.isEmpty()
                           ? tr("The drill failed: %1").arg(job.error)
                           : tr("The drill failed: %1. Remedy: %2").arg(job.error, job.remedy));
        }
        if (failed && reading_ == Reading::Tape) {
            failedKey_ = readingKey_;
            error_ = job.error;
            remedy_ = job.remedy;
        } else if (failed && reading_ == Reading::Receipts) {
            replay_->setWaiting(tr("The receipts could not be read: %1.").arg(job.error));
        }
        reading_ = Reading::Nothing;
        if (stack_->currentWidget() == replay_) {
            startReceipts();
        }
    }
    refresh();
}

void RecoveryPage::drillsChanged() {
    const auto& drills = session_.drills();
    drills_->show(drills, runs_->currentText().toStdString());
    markMatrix();
    for (const auto& drill : drills) {
        const bool isNew = known_.insert(drill.folder).second;
        if (isNew && drilling_) {
            drills_->select(drill.folder);
            sayOutcome(drill.proven ? Meaning::Good : Meaning::Bad,
                       tr("%1: %2. Replay it to see every step.")
                           .arg(drillVerdict(drill), drillFigures(drill)));
        }
    }
}

void RecoveryPage::replaySelected() {
    const auto* drill = drills_->selected();
    if (drill == nullptr) {
        return;
    }
    receiptsOf_.clear();
    stack_->setCurrentWidget(replay_);
    replay_->show(*drill);
    startReceipts();
}

void RecoveryPage::startReceipts() {
    const auto& drill = replay_->drill();
    if (receiptsOf_ == drill.folder || reading_ != Reading::Nothing) {
        return;
    }
    if (session_.busy()) {
        replay_->setWaiting(
            tr("One by one they follow when %1 has ended.").arg(session_.job().title));
        return;
    }
    receiptsOf_ = drill.folder;
    const auto folder = session_.projectFolder();
    const auto receipts = std::make_shared<DrillReceipts>();
    reading_ = Reading::Receipts;
    const QPointer<RecoveryPage> self(this);
    const bool started = session_.startOther(
        tr("Receipts of drill %1").arg(drillName(drill)),
        [folder, drill, receipts](Progress&, const CancelToken&) {
            *receipts = readReceipts(openAt(folder), drill);
        },
        [self, receipts, of = drill.folder] {
            if (self == nullptr) {
                return;
            }
            self->reading_ = Reading::Nothing;
            if (self->replay_->drill().folder == of) {
                self->replay_->showReceipts(*receipts);
            }
        });
    if (!started) {
        reading_ = Reading::Nothing;
    }
}

void RecoveryPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
    fitTable();
}

void RecoveryPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    splitter_->setOrientation(width() >= kSideBySide ? Qt::Horizontal : Qt::Vertical);
    fitTable();
}

QWidget* makeRecoveryPage(Session& session, QWidget* parent) {
    return new RecoveryPage(session, parent);
}

}  // namespace receiptbench
