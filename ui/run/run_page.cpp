#include "ui/run/run_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "ui/mode_icons.h"
#include "ui/pages.h"
#include "ui/run/run_plots.h"
#include "ui/run/run_records.h"
#include "ui/run/run_text.h"
#include "ui/state_pane.h"

namespace receiptbench {
namespace {

constexpr std::array kPrecisions{Precision::Fp32, Precision::Bf16, Precision::Fp16};

void say(QLabel* icon, QLabel* label, const Sentence& sentence) {
    icon->setPixmap(meaningIcon(sentence.meaning).pixmap(18));
    label->setText(sentence.text);
    label->setAccessibleName(sentence.text);
}

bool canResume(const RunOverview& run) {
    return run.problem.empty() &&
           (run.state == RunState::Stopped || run.state == RunState::Interrupted ||
            run.state == RunState::Failed);
}

}  // namespace

RunPage::RunPage(Session& session, QWidget* parent)
    : QWidget(parent), session_(session), records_(new RunRecords(session, this)) {
    setObjectName(QStringLiteral("runPage"));
    build();
    for (const auto precision : kPrecisions) {
        precision_->addItem(QString::fromStdString(toString(precision)));
    }
    connectSession();
    refresh();
}

void RunPage::connectSession() {
    for (const auto signal :
         {&Session::runsChanged, &Session::drawnRunsChanged, &Session::selectedRunChanged}) {
        connect(&session_, signal, this, &RunPage::refresh);
    }
    connect(&session_, &Session::projectChanged, this, [this] {
        shown_.clear();
        refresh();
    });
    connect(&session_, &Session::liveReset, this, &RunPage::liveReset);
    connect(&session_, &Session::jobChanged, this, [this] {
        showJob();
        showButtons();
        showState();
    });
    connect(precision_, &QComboBox::activated, this, [this] { precisionChosen_ = true; });
    connect(records_, &RunRecords::grew, this, &RunPage::grown);
    connect(records_, &RunRecords::replaced, this, [this] {
        drawnKey_.clear();
        refresh();
    });
}

// A training that was started here is what the user wants to see.
void RunPage::liveReset() {
    const auto kind = session_.job().kind;
    const auto run = QString::fromStdString(session_.live().name);
    if (!run.isEmpty() && (kind == JobKind::Train || kind == JobKind::Resume)) {
        session_.selectRun(run);
    }
    refresh();
}

void RunPage::chooseRun() {
    session_.selectRun(runs_->currentText());
    refresh();
}

const RunOverview* RunPage::overview() const {
    const int row = session_.runIndex(shown_);
    return row < 0 ? nullptr : &session_.runs()[static_cast<std::size_t>(row)];
}

bool RunPage::trainsNow() const {
    return records_->isLive(shown_);
}

RunPlan RunPage::plan() const {
    if (trainsNow()) {
        return session_.live().plan;
    }
    const auto* run = overview();
    return run == nullptr ? RunPlan{} : run->description.plan;
}

std::int64_t RunPage::memoryLimit() const {
    if (trainsNow()) {
        return session_.live().memoryLimit;
    }
    const auto* run = overview();
    return run == nullptr ? 0 : run->description.memoryLimit;
}

// The selected run, else the one that trains, else the newest.
void RunPage::fillRuns() {
    const QSignalBlocker quiet(runs_);
    runs_->clear();
    for (const auto& run : session_.runs()) {
        runs_->addItem(QString::fromStdString(printable(run.description.name)));
    }
    const auto live = QString::fromStdString(session_.live().name);
    if (!live.isEmpty() && runs_->findText(live) < 0) {
        runs_->addItem(live);
    }
    if (!session_.selectedRun().isEmpty() && runs_->findText(session_.selectedRun()) >= 0) {
        shown_ = session_.selectedRun();
    } else if (runs_->findText(shown_) < 0) {
        shown_ = !live.isEmpty()      ? live
                 : runs_->count() > 0 ? runs_->itemText(runs_->count() - 1)
                                      : QString();
    }
    runs_->setCurrentIndex(runs_->findText(shown_));
    runs_->setVisible(runs_->count() > 0);
}

// The first precision without a finished run, until the user has chosen another.
void RunPage::proposePrecision() {
    if (precisionChosen_) {
        return;
    }
    const auto missing =
        std::find_if(kPrecisions.begin(), kPrecisions.end(), [this](Precision precision) {
            return std::none_of(session_.runs().begin(), session_.runs().end(),
                                [precision](const RunOverview& run) {
                                    return run.state == RunState::Finished &&
                                           run.description.kind == "run" &&
                                           run.description.plan.precision == precision;
                                });
        });
    precision_->setCurrentIndex(
        missing == kPrecisions.end() ? 0 : static_cast<int>(missing - kPrecisions.begin()));
}

void RunPage::refresh() {
    fillRuns();
    proposePrecision();
    showJob();
    showButtons();
    showState();
    redraw();
}

void RunPage::showState() {
    const auto* reading = shown_.isEmpty() ? nullptr : records_->of(shown_);
    const bool content = showContent(reading);
    stack_->setCurrentWidget(content ? content_ : static_cast<QWidget*>(state_));
    const auto* run = overview();
    const bool listed = run != nullptr || trainsNow();
    stateIcon_->setVisible(listed);
    stateWord_->setVisible(listed);
    if (listed) {
        const auto state = trainsNow() ? RunState::Running : run->state;
        stateIcon_->setPixmap(runStateIcon(state).pixmap(16));
        stateWord_->setText(runStateWord(state));
    }
    if (content) {
        showFacts(reading);
    }
}

// False when there is nothing to draw: then the pane says why and what to do.
bool RunPage::showContent(const LedgerReading* reading) {
    const auto* project = session_.project();
    if (session_.busy() &&
        (shown_.isEmpty() || (trainsNow() && (reading == nullptr || reading->updates.empty())))) {
        state_->sayBusy(session_.job().title,
                        session_.job().stage.isEmpty()
                            ? tr("The first point appears with the first update.")
                            : session_.job().stage);
        return false;
    }
    if (project == nullptr) {
        state_->say(Meaning::Neutral, tr("No project is open"),
                    tr("Open one, or try the example: it trains within two minutes."),
                    tr("Go to Welcome"), [this] { session_.requestMode(Mode::Welcome); });
        return false;
    }
    if (shown_.isEmpty()) {
        if (project->isFrozen()) {
            state_->say(Meaning::Neutral, tr("No run yet"),
                        tr("The contract is frozen. An fp32 run comes first: it is the baseline "
                           "that the others are compared with."),
                        tr("Start fp32"), [this] { start(); });
        } else {
            state_->say(Meaning::Neutral, tr("Nothing is frozen yet"),
                        tr("A run belongs to a frozen contract."), tr("Go to Configure"),
                        [this] { session_.requestMode(Mode::Configure); });
        }
        return false;
    }
    if (reading == nullptr) {
        state_->sayBusy(tr("Reading %1").arg(shown_), tr("Its ledger is being read."));
        return false;
    }
    if (!trainsNow() && !reading->problem.isEmpty()) {
        state_->say(Meaning::Bad, tr("%1 cannot be read").arg(shown_), reading->problem,
                    tr("Read it again"), [this] { session_.refreshProject(); });
        return false;
    }
    return true;
}

void RunPage::showFacts(const LedgerReading* reading) {
    plan_->setText(planText(plan(), memoryLimit()));
    plan_->setAccessibleName(plan_->text());
    const auto done = reading->updates.empty() ? 0 : reading->updates.back().update;
    const auto planned = std::max(reading->updatesPlanned, done);
    auto progress = tr("update %1 of %2").arg(done).arg(planned);
    const auto& job = session_.job();
    if (trainsNow()) {
        const auto left = timeLeftText(job.secondsLeftLow, job.secondsLeftHigh);
        progress += left.isEmpty() ? QString() : QStringLiteral(" · ") + left;
    }
    progress_->setText(progress);
    const auto* run = overview();
    const bool wrong = run != nullptr && run->description.kind == "wrong";
    say(checkIcon_, check_, checkSentence(reading->check, wrong));
    endRow_->setVisible(!trainsNow() && run != nullptr);
    if (endRow_->isVisibleTo(content_)) {
        say(endIcon_, end_, endSentence(*run, *reading));
        const bool finished = run->state == RunState::Finished;
        for (auto* button : {compare_, report_}) {
            button->setVisible(finished);
        }
        recovery_->setVisible(run->updates > 0);
    }
}

void RunPage::showJob() {
    const auto& job = session_.job();
    jobRow_->setVisible(session_.busy());
    if (!session_.busy()) {
        return;
    }
    auto text = job.stage.isEmpty() ? job.title : tr("%1: %2").arg(job.title, job.stage);
    if (job.state == JobState::Stopping) {
        text = tr("%1: stopping at the next boundary").arg(job.title);
    }
    jobText_->setText(text);
    bar_->setRange(0, static_cast<int>(job.total));
    bar_->setValue(static_cast<int>(job.done));
}

void RunPage::showButtons() {
    const auto* project = session_.project();
    const bool ready = project != nullptr && project->isFrozen();
    const bool busy = session_.busy();
    const auto waits = busy ? tr("Waits for %1 to end").arg(session_.job().title) : QString();
    start_->setVisible(ready);
    precision_->setVisible(ready);
    start_->setEnabled(ready && !busy);
    precision_->setEnabled(ready && !busy);
    start_->setToolTip(busy ? waits
                            : tr("A new run of this precision with its stored plan, or with one "
                                 "that is made first"));
    stop_->setVisible(busy);
    stop_->setEnabled(session_.job().state == JobState::Running);
    const auto* run = overview();
    const bool resumable = run != nullptr && !trainsNow() && canResume(*run);
    resume_->setVisible(resumable);
    resume_->setEnabled(resumable && !busy);
    resume_->setToolTip(busy ? waits : tr("Continues from the newest checkpoint that is whole"));
}

void RunPage::start() {
    TrainRequest request;
    request.precision =
        kPrecisions.at(static_cast<std::size_t>(std::max(0, precision_->currentIndex())));
    precisionChosen_ = session_.startTraining(request) ? false : precisionChosen_;
}

void RunPage::resume() {
    ResumeRequest request;
    request.run = shown_.toStdString();
    session_.startResume(request);
}

// The shown run first, then what is ticked; anew only when that has changed.
void RunPage::redraw() {
    if (!isVisible() || stack_->currentWidget() != content_) {
        drawnKey_.clear();
        return;
    }
    std::vector<DrawnRun> drawn;
    QStringList key{QString::number(memoryLimit())};
    const auto add = [&](const QString& run) {
        if (const auto* reading = records_->of(run); reading != nullptr) {
            const int look = session_.runIndex(run);
            drawn.push_back({run, look, &reading->updates});
            key << run << QString::number(look);
        }
    };
    add(shown_);
    for (const auto& run : session_.runs()) {
        const auto name = QString::fromStdString(run.description.name);
        if (name != shown_ && session_.isDrawn(name)) {
            add(name);
        }
    }
    if (key.join(u'\n') != drawnKey_) {
        drawnKey_ = key.join(u'\n');
        plots_->draw(drawn, memoryLimit());
    }
}

void RunPage::grown(const QString& run) {
    if (run == shown_) {
        showState();
        redraw();
    }
    if (const auto* reading = records_->of(run); reading != nullptr && !drawnKey_.isEmpty()) {
        plots_->grow({run, session_.runIndex(run), &reading->updates});
    }
}

void RunPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

QWidget* makeRunPage(Session& session, QWidget* parent) {
    return new RunPage(session, parent);
}

}  // namespace receiptbench
