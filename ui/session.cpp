#include "ui/session.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>

#include "core/base/text.h"
#include "ui/command_line.h"
#include "ui/session_private.h"

namespace receiptbench {
namespace {

constexpr int kWatchMilliseconds = 3000;
constexpr int kRefreshMilliseconds =
    100;  // 10 Hz: more is not seen, and a fast run would flood the event loop

QString fromText(const std::string& text) {
    return QString::fromStdString(printable(text));
}

bool changesComparison(JobKind kind) {
    return kind != JobKind::Import && kind != JobKind::Plan && kind != JobKind::Report &&
           kind != JobKind::Other;
}

bool keepsBoundary(JobKind kind) {
    return kind == JobKind::Train || kind == JobKind::Resume || kind == JobKind::Example;
}

}  // namespace

void Session::Private::addLine(LogLine line) {
    line.time = QDateTime::currentDateTime().toString(QStringLiteral("HH:mm:ss"));
    log.push_back(std::move(line));
    Q_EMIT session.logged();
}

std::int64_t Session::Private::plannedUpdates() const {
    return project && project->isFrozen() ? project->contract().contract.updates : 0;
}

std::int64_t Session::Private::memoryLimit() const {
    return project && project->isFrozen() ? project->contract().environment.memoryLimit : 0;
}

bool Session::Private::start(JobSpec spec) {
    if (session.busy()) {
        addLine({{},
                 tr("%1 was not started: %2 is still running").arg(spec.title, job.title),
                 true,
                 tr("Wait for it to end, or stop it."),
                 {}});
        return false;
    }
    JobFacts facts{spec.kind, spec.folder.toStdString(), spec.updates, 0};
    try {
        facts.updates =
            spec.updates > 0 || spec.kind == JobKind::Example ? spec.updates : plannedUpdates();
        facts.memoryLimit = memoryLimit();
    } catch (const std::exception&) {
        // An edited contract, say: the job fails on it as well, and its page shows why.
    }
    command = spec.command;
    folder = spec.folder;
    job = {};
    job.kind = spec.kind;
    job.state = JobState::Running;
    job.title = spec.title;
    whenFinished = spec.finished;
    cancel = std::make_unique<CancelToken>();
    {
        const std::lock_guard lock(mailbox.mutex);
        mailbox.stage.clear();
        mailbox.done = mailbox.total = 0;
        mailbox.run = {};
    }
    running.start();
    stageClock.start();
    stageFirst = 0;
    thread = std::thread([this, spec = std::move(spec), facts] { runJob(spec, facts); });
    timer.start(kRefreshMilliseconds);
    addLine({{}, job.title, false, {}, {}});
    Q_EMIT session.jobChanged();
    return true;
}

// On the job's thread. Every exception becomes a value; what the pages read of the project is
// gathered here as well.
void Session::Private::runJob(const JobSpec& spec, const JobFacts& facts) {
    MailboxProgress progress(mailbox, facts);
    MailboxListener listener(mailbox, facts);
    std::optional<LogLine> failure;
    bool interrupted = false;
    try {
        spec.work(progress, listener, *cancel);
    } catch (const std::exception& error) {
        failure = problemLine(error, spec.kind);
        const auto* known = dynamic_cast<const Error*>(&error);
        interrupted = known != nullptr && known->code() == ErrorCode::Interrupted;
    } catch (...) {
        failure = LogLine{{}, QStringLiteral("an unknown error ended the job"), true, {}, {}};
    }
    std::optional<ProjectFacts> read;
    if (!facts.folder.empty() && posixFileSystem().exists(ProjectPaths{facts.folder}.project())) {
        read = readFacts(facts.folder, changesComparison(spec.kind));
    }
    const std::lock_guard lock(mailbox.mutex);
    mailbox.facts = std::move(read);
    mailbox.failure = std::move(failure);
    mailbox.interrupted = interrupted;
    mailbox.ended = true;
}

// Moves what has arrived out of the mailbox and tells the pages.
void Session::Private::collect() {
    Mailbox taken;
    take(taken);
    deliver(taken);
    if (taken.ended) {
        finish(taken);
    }
}

void Session::Private::take(Mailbox& taken) {
    const std::lock_guard lock(mailbox.mutex);
    taken.stage = mailbox.stage;
    taken.done = mailbox.done;
    taken.total = mailbox.total;
    taken.newRun = std::exchange(mailbox.newRun, false);
    taken.run = mailbox.run;
    taken.updates = std::exchange(mailbox.updates, {});
    taken.memory = std::exchange(mailbox.memory, {});
    taken.lines = std::exchange(mailbox.lines, {});
    taken.facts = std::exchange(mailbox.facts, std::nullopt);
    taken.ended = std::exchange(mailbox.ended, false);
    taken.failure = std::exchange(mailbox.failure, std::nullopt);
    taken.interrupted = std::exchange(mailbox.interrupted, false);
}

void Session::Private::deliver(Mailbox& taken) {
    if (taken.newRun && job.kind == JobKind::Example) {
        adopt(folder);  // pages follow the example while it runs
        if (taken.run.updatesPlanned == 0) {
            taken.run.updatesPlanned = taken.total;
        }
    }
    if (taken.facts && !taken.ended) {
        show(std::move(*taken.facts));
    }
    if (taken.newRun) {
        beginLive(std::move(taken.run));
    } else if (taken.run.check) {
        live.check = taken.run.check;
    }
    if (!taken.updates.empty() || !taken.memory.empty()) {
        live.updates.insert(live.updates.end(), std::make_move_iterator(taken.updates.begin()),
                            std::make_move_iterator(taken.updates.end()));
        live.memory.insert(live.memory.end(), std::make_move_iterator(taken.memory.begin()),
                           std::make_move_iterator(taken.memory.end()));
        Q_EMIT session.liveUpdated();
    }
    for (auto& line : taken.lines) {
        addLine(std::move(line));
    }
    progressed(taken);
    Q_EMIT session.jobChanged();
}

// A selection that followed the run before follows this one; one that the user made stays.
void Session::Private::beginLive(LiveRun run) {
    const bool follows =
        selection.run.isEmpty() || (selection == Selection{fromText(live.name), 0, {}});
    live = std::move(run);
    Q_EMIT session.liveReset();
    if (follows) {
        select({fromText(live.name), 0, {}});
    }
}

// The example ends with runs that are wrong on purpose: what was followed is then the baseline.
void Session::Private::leaveSideRun() {
    const auto kindOf = [this](const QString& name) {
        const int row = session.runIndex(name);
        return row < 0 ? std::string() : runs[static_cast<std::size_t>(row)].description.kind;
    };
    if (selection != Selection{fromText(live.name), 0, {}} || kindOf(selection.run) == "run") {
        return;
    }
    const auto first = std::find_if(runs.begin(), runs.end(), [](const RunOverview& run) {
        return run.description.kind == "run";
    });
    if (first != runs.end()) {
        select({fromText(first->description.name), 0, {}});
    }
}

void Session::Private::progressed(const Mailbox& taken) {
    if (job.stage != taken.stage || taken.done < job.done) {
        stageClock.restart();
        stageFirst = taken.done;
    }
    job.stage = taken.stage;
    job.done = taken.done;
    job.total = taken.total;
    job.secondsRunning = static_cast<double>(running.elapsed()) / 1000.0;
    estimate();
}

// A range, since the speed so far is only a sample of what is to come.
void Session::Private::estimate() {
    job.secondsLeftLow.reset();
    job.secondsLeftHigh.reset();
    const auto steps = job.done - stageFirst;
    if (job.state != JobState::Running || job.total <= 0 || steps < 2 || job.done > job.total) {
        return;
    }
    const double each =
        static_cast<double>(stageClock.elapsed()) / 1000.0 / static_cast<double>(steps);
    const double left = each * static_cast<double>(job.total - job.done);
    job.secondsLeftLow = 0.9 * left;
    job.secondsLeftHigh = 1.15 * left;
}

void Session::Private::finish(const Mailbox& taken) {
    timer.stop();
    thread.join();
    job.stopped = cancel->finishRequested() && (!taken.failure || taken.interrupted);
    const bool failed = taken.failure && !job.stopped;
    job.state = failed ? JobState::Failed : JobState::Finished;
    job.secondsLeftLow.reset();
    job.secondsLeftHigh.reset();
    const auto ended = std::exchange(whenFinished, nullptr);
    if (taken.facts && (job.kind == JobKind::Example || job.kind == JobKind::Import ||
                        job.kind == JobKind::Freeze)) {
        adopt(folder);
    }
    if (taken.facts && folder == session.projectFolder()) {
        show(*taken.facts);
    }
    if (job.kind == JobKind::Example) {
        leaveSideRun();
    }
    if (failed) {
        job.error = taken.failure->text;
        job.remedy = taken.failure->remedy;
        auto line = *taken.failure;
        line.text = tr("%1 failed: %2").arg(job.title, job.error);
        addLine(std::move(line));
    } else {
        addLine({{},
                 job.stopped ? tr("%1 stopped").arg(job.title) : tr("%1 finished").arg(job.title),
                 false,
                 {},
                 {}});
        if (ended && !taken.failure) {
            ended();
        }
    }
    Q_EMIT session.jobChanged();
}

void Session::Private::show(ProjectFacts facts) {
    for (auto& line : facts.problems) {
        addLine(std::move(line));
    }
    runs = std::move(facts.runs);
    drills = std::move(facts.drills);
    if (std::any_of(runs.begin(), runs.end(),
                    [](const RunOverview& run) { return run.state == RunState::Running; })) {
        watch.start();
    }
    Q_EMIT session.runsChanged();
    Q_EMIT session.drillsChanged();
    if (facts.hasComparison) {
        comparison = std::move(facts.comparison);
        Q_EMIT session.comparisonChanged();
    }
}

bool Session::Private::adopt(const QString& wanted) {
    const bool other = session.projectFolder() != wanted;
    try {
        project = Project::open(posixFileSystem(), wanted.toStdString());
    } catch (const std::exception& error) {
        addLine(problemLine(error, job.kind));
        return false;
    }
    if (other) {
        runs.clear();
        drills.clear();
        comparison.reset();
        undrawn.clear();
        live = {};
        select({});
    }
    Q_EMIT session.projectChanged();
    return true;
}

void Session::Private::select(const Selection& wanted) {
    if (selection == wanted) {
        return;
    }
    const bool other = selection.run != wanted.run;
    selection = wanted;
    if (other) {
        Q_EMIT session.selectedRunChanged();
    }
    Q_EMIT session.selectionChanged();
}

Session::Session(std::string program, QObject* parent)
    : QObject(parent), p_(std::make_unique<Private>(*this)) {
    p_->program = std::move(program);
    connect(&p_->timer, &QTimer::timeout, this, [this] { p_->collect(); });
    p_->watch.setSingleShot(true);
    p_->watch.setInterval(kWatchMilliseconds);
    connect(&p_->watch, &QTimer::timeout, this, [this] {
        if (!busy()) {
            refreshProject();  // which looks again, as long as one of them runs
        }
    });
}

Session::~Session() {
    if (p_->thread.joinable()) {
        p_->cancel->stopNow();
        p_->thread.join();
    }
}

const Project* Session::project() const {
    return p_->project ? &*p_->project : nullptr;
}
QString Session::projectFolder() const {
    return p_->project ? QString::fromStdString(p_->project->paths().root) : QString();
}
const std::vector<RunOverview>& Session::runs() const {
    return p_->runs;
}
const std::optional<Comparison>& Session::comparison() const {
    return p_->comparison;
}
const std::vector<DrillResult>& Session::drills() const {
    return p_->drills;
}
const JobStatus& Session::job() const {
    return p_->job;
}
const LiveRun& Session::live() const {
    return p_->live;
}
const std::vector<LogLine>& Session::log() const {
    return p_->log;
}
bool Session::busy() const {
    return p_->job.state == JobState::Running || p_->job.state == JobState::Stopping;
}
QString Session::commandLine() const {
    return p_->command;
}
const std::string& Session::program() const {
    return p_->program;
}
const QString& Session::selectedRun() const {
    return p_->selection.run;
}
const Selection& Session::selection() const {
    return p_->selection;
}
bool Session::isDrawn(const QString& run) const {
    return !p_->undrawn.contains(run);
}

void Session::setDrawn(const QString& run, bool drawn) {
    if (drawn != isDrawn(run)) {
        drawn ? p_->undrawn.remove(run) : (p_->undrawn.insert(run), true);
        Q_EMIT drawnRunsChanged();
    }
}

int Session::runIndex(const QString& run) const {
    for (std::size_t index = 0; index < p_->runs.size(); ++index) {
        if (QString::fromStdString(p_->runs[index].description.name) == run) {
            return static_cast<int>(index);
        }
    }
    return -1;
}

void Session::refreshProject() {
    if (p_->project) {
        p_->show(readFacts(p_->project->paths().root, false));
    }
}

void Session::stop(bool gently) {
    if (!busy()) {
        return;
    }
    gently ? p_->cancel->finishUpdate() : p_->cancel->stopNow();
    p_->job.state = JobState::Stopping;
    p_->job.secondsLeftLow.reset();
    p_->job.secondsLeftHigh.reset();
    p_->addLine({{},
                 keepsBoundary(p_->job.kind)
                     ? tr("Stopping %1: the last boundary is saved").arg(p_->job.title)
                     : tr("Stopping %1").arg(p_->job.title),
                 false,
                 {},
                 {}});
    Q_EMIT jobChanged();
}

bool Session::waitForIdle(int milliseconds) {
    QElapsedTimer waited;
    waited.start();
    while (busy() && waited.elapsed() < milliseconds) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return !busy();
}

void Session::requestMode(Mode mode) {
    Q_EMIT modeRequested(mode);
}
void Session::selectRun(const QString& name) {
    p_->select({name, 0, {}});
}
void Session::selectUpdate(const QString& run, std::int64_t update) {
    p_->select({run, update, {}});
}
void Session::selectCheckpoint(const QString& run, const QString& file) {
    p_->select({run, 0, file});
}

void Session::requestPhotos(const QString& title, const std::vector<std::int64_t>& validationIds) {
    Q_EMIT photosRequested(title, validationIds);
}

}  // namespace receiptbench
