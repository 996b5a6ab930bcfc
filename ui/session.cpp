#include "ui/session.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "core/base/text.h"
#include "ui/command_line.h"

namespace receiptbench {
namespace {

constexpr int kRefreshMilliseconds = 100;   // 10 Hz: more is not seen, and a fast run would flood the event loop

QString fromText(const std::string& text) { return QString::fromStdString(text); }

// What the job thread tells, until the UI timer collects it.
struct Mailbox {
    std::mutex mutex;
    QString stage;
    std::int64_t done = 0, total = 0;
    bool newRun = false;
    LiveRun run;                              // name, plan, check; records below
    std::vector<UpdateRecord> updates;
    std::vector<MemorySample> memory;
    std::vector<LogLine> lines;
    bool runsTouched = false;
    bool ended = false, failed = false;
    QString error, remedy;
};

class MailboxProgress : public Progress {
 public:
    explicit MailboxProgress(Mailbox& mailbox) : mailbox_(mailbox) {}
    void stage(const std::string& name, std::int64_t steps) override {
        const std::lock_guard lock(mailbox_.mutex);
        mailbox_.stage = fromText(printable(name));
        mailbox_.done = 0;
        mailbox_.total = steps;
    }
    void step(std::int64_t done) override {
        const std::lock_guard lock(mailbox_.mutex);
        mailbox_.done = done;
    }
    void note(const std::string& line) override {
        const std::lock_guard lock(mailbox_.mutex);
        mailbox_.lines.push_back({{}, fromText(printable(line)), false, {}});
    }

 private:
    Mailbox& mailbox_;
};

class MailboxListener : public TrainListener {
 public:
    MailboxListener(Mailbox& mailbox, std::int64_t updates, std::int64_t memoryLimit)
        : mailbox_(mailbox), updates_(updates), memoryLimit_(memoryLimit) {}

    void onStart(const std::string& run, const RunPlan& plan) override {
        const std::lock_guard lock(mailbox_.mutex);
        mailbox_.newRun = true;
        mailbox_.run = {};
        mailbox_.run.name = run;
        mailbox_.run.plan = plan;
        mailbox_.run.updatesPlanned = updates_;
        mailbox_.run.memoryLimit = memoryLimit_;
        mailbox_.updates.clear();
        mailbox_.memory.clear();
        mailbox_.runsTouched = true;
    }
    void onCheck(const GradientCheckResult& check) override {
        const std::lock_guard lock(mailbox_.mutex);
        mailbox_.run.check = check;
    }
    void onUpdate(const UpdateRecord& record) override {
        const std::lock_guard lock(mailbox_.mutex);
        mailbox_.updates.push_back(record);
    }
    void onMemory(const MemorySample& sample) override {
        const std::lock_guard lock(mailbox_.mutex);
        mailbox_.memory.push_back(sample);
    }
    void onCheckpoint(const std::string& file, double seconds) override {
        say(QStringLiteral("checkpoint %1 in %2 s").arg(fromText(baseName(file)), QString::number(seconds, 'f', 3)));
    }
    void onMessage(const std::string& text) override { say(fromText(printable(text))); }

 private:
    void say(const QString& text) {
        const std::lock_guard lock(mailbox_.mutex);
        mailbox_.lines.push_back({{}, text, false, {}});
    }
    Mailbox& mailbox_;
    std::int64_t updates_, memoryLimit_;
};

}  // namespace

struct Session::Private {
    explicit Private(Session& session) : session(session) {}

    Session& session;
    std::string program;
    std::optional<Project> project;
    std::vector<RunOverview> runs;
    std::optional<Comparison> comparison;
    std::vector<DrillResult> drills;
    JobStatus job;
    LiveRun live;
    std::vector<LogLine> log;
    QString command, selected;

    Mailbox mailbox;
    std::unique_ptr<CancelToken> cancel;
    std::thread thread;
    std::function<void()> whenFinished;   // on the UI thread
    QTimer timer;
    QElapsedTimer running, stageClock;

    using Work = std::function<void(Progress&, TrainListener&, const CancelToken&)>;

    bool start(JobKind kind, const QString& title, const QString& commandLine, std::int64_t updates, Work work,
               std::function<void()> finished);
    void collect();
    void deliver(Mailbox& taken);
    void estimate();
    void finish(const Mailbox& taken);
    void addLine(LogLine line);
    void readProject();
    void readComparison();
    std::int64_t plannedUpdates(const std::optional<std::int64_t>& stopAfter) const;
    std::int64_t memoryLimit() const;
};

void Session::Private::addLine(LogLine line) {
    line.time = QDateTime::currentDateTime().toString(QStringLiteral("HH:mm:ss"));
    log.push_back(std::move(line));
    Q_EMIT session.logged();
}

std::int64_t Session::Private::plannedUpdates(const std::optional<std::int64_t>& stopAfter) const {
    return stopAfter.value_or(project && project->isFrozen() ? project->contract().contract.updates : 0);
}

std::int64_t Session::Private::memoryLimit() const {
    return project && project->isFrozen() ? project->contract().environment.memoryLimit : 0;
}

bool Session::Private::start(JobKind kind, const QString& title, const QString& commandLine, std::int64_t updates, Work work,
                             std::function<void()> finished) {
    if (session.busy()) {
        addLine({{}, QStringLiteral("%1 was not started: %2 is still running").arg(title, job.title), true,
                 QStringLiteral("Wait for it to end, or stop it.")});
        return false;
    }
    command = commandLine;
    job = {};
    job.kind = kind;
    job.state = JobState::Running;
    job.title = title;
    whenFinished = std::move(finished);
    cancel = std::make_unique<CancelToken>();
    running.start();
    stageClock.start();
    const auto limit = memoryLimit();
    thread = std::thread([this, work = std::move(work), updates, limit] {
        MailboxProgress progress(mailbox);
        MailboxListener listener(mailbox, updates, limit);
        QString error, remedy;
        bool failed = true;
        try {
            work(progress, listener, *cancel);
            failed = false;
        } catch (const Error& caught) {
            error = fromText(printable(caught.what()));
            remedy = fromText(caught.hint());
        } catch (const std::exception& caught) {
            error = fromText(printable(caught.what()));
        } catch (...) {
            error = QStringLiteral("an unknown error ended the job");
        }
        const std::lock_guard lock(mailbox.mutex);
        mailbox.ended = true;
        mailbox.failed = failed;
        mailbox.error = error;
        mailbox.remedy = remedy;
    });
    timer.start(kRefreshMilliseconds);
    addLine({{}, title, false, {}});
    Q_EMIT session.jobChanged();
    return true;
}

// Moves what has arrived out of the mailbox and tells the pages.
void Session::Private::collect() {
    Mailbox taken;
    {
        const std::lock_guard lock(mailbox.mutex);
        taken.stage = mailbox.stage;
        taken.done = mailbox.done;
        taken.total = mailbox.total;
        taken.newRun = std::exchange(mailbox.newRun, false);
        taken.run = mailbox.run;
        taken.updates = std::exchange(mailbox.updates, {});
        taken.memory = std::exchange(mailbox.memory, {});
        taken.lines = std::exchange(mailbox.lines, {});
        taken.runsTouched = std::exchange(mailbox.runsTouched, false);
        taken.ended = std::exchange(mailbox.ended, false);
        taken.failed = mailbox.failed;
        taken.error = mailbox.error;
        taken.remedy = mailbox.remedy;
    }
    deliver(taken);
    if (taken.ended) {
        finish(taken);
    }
}

void Session::Private::deliver(Mailbox& taken) {
    if (taken.newRun) {
        live = std::move(taken.run);
        if (live.updatesPlanned == 0) {
            live.updatesPlanned = plannedUpdates({});
        }
        Q_EMIT session.liveReset();
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
    if (taken.runsTouched) {
        session.refreshProject();
    }
    if (job.stage != taken.stage) {
        stageClock.restart();
    }
    job.stage = taken.stage;
    job.done = taken.done;
    job.total = taken.total;
    job.secondsRunning = static_cast<double>(running.elapsed()) / 1000.0;
    estimate();
    Q_EMIT session.jobChanged();
}

// A range, since the speed so far is only a sample of what is to come.
void Session::Private::estimate() {
    job.secondsLeftLow.reset();
    job.secondsLeftHigh.reset();
    if (job.state != JobState::Running || job.total <= 0 || job.done < 2 || job.done > job.total) {
        return;
    }
    const double each = static_cast<double>(stageClock.elapsed()) / 1000.0 / static_cast<double>(job.done);
    const double left = each * static_cast<double>(job.total - job.done);
    job.secondsLeftLow = 0.9 * left;
    job.secondsLeftHigh = 1.15 * left;
}

void Session::Private::finish(const Mailbox& taken) {
    timer.stop();
    thread.join();
    job.state = taken.failed ? JobState::Failed : JobState::Finished;
    job.error = taken.error;
    job.remedy = taken.remedy;
    job.secondsLeftLow.reset();
    job.secondsLeftHigh.reset();
    if (taken.failed) {
        addLine({{}, QStringLiteral("%1 failed: %2").arg(job.title, taken.error), true, taken.remedy});
    } else {
        addLine({{}, QStringLiteral("%1 finished").arg(job.title), false, {}});
        if (whenFinished) {
            whenFinished();
        }
    }
    whenFinished = nullptr;
    session.refreshProject();
    Q_EMIT session.jobChanged();
}

void Session::Private::readComparison() {
    comparison.reset();
    if (project && project->isFrozen() && !baselineRun(*project).empty()) {
        comparison = compareRuns(*project);
    }
}

void Session::Private::readProject() {
    runs.clear();
    drills.clear();
    if (project) {
        runs = listRuns(project->files(), project->paths().root);
        drills = listDrills(*project);
    }
}

Session::Session(std::string program, QObject* parent) : QObject(parent), p_(std::make_unique<Private>(*this)) {
    p_->program = std::move(program);
    connect(&p_->timer, &QTimer::timeout, this, [this] { p_->collect(); });
}

Session::~Session() {
    if (p_->thread.joinable()) {
        p_->cancel->stopNow();
        p_->thread.join();
    }
}

const Project* Session::project() const { return p_->project ? &*p_->project : nullptr; }
QString Session::projectFolder() const { return p_->project ? fromText(p_->project->paths().root) : QString(); }
const std::vector<RunOverview>& Session::runs() const { return p_->runs; }
const std::optional<Comparison>& Session::comparison() const { return p_->comparison; }
const std::vector<DrillResult>& Session::drills() const { return p_->drills; }
const JobStatus& Session::job() const { return p_->job; }
const LiveRun& Session::live() const { return p_->live; }
const std::vector<LogLine>& Session::log() const { return p_->log; }
bool Session::busy() const { return p_->job.state == JobState::Running || p_->job.state == JobState::Stopping; }
QString Session::commandLine() const { return p_->command; }
const std::string& Session::program() const { return p_->program; }
const QString& Session::selectedRun() const { return p_->selected; }

void Session::refreshProject() {
    try {
        p_->readProject();
    } catch (const std::exception& error) {
        p_->addLine({{}, fromText(printable(error.what())), true, {}});
    }
    Q_EMIT runsChanged();
    Q_EMIT drillsChanged();
}

bool Session::openProject(const QString& folder) {
    if (busy()) {
        return false;
    }
    try {
        p_->project = Project::open(posixFileSystem(), folder.toStdString());
        p_->live = {};
        p_->selected.clear();
        p_->readComparison();
    } catch (const Error& error) {
        p_->addLine({{}, fromText(printable(error.what())), true, fromText(error.hint())});
        return false;
    }
    p_->command = QStringLiteral("receiptbench runs --project ") + shellQuoted(folder);
    Q_EMIT projectChanged();
    refreshProject();
    Q_EMIT comparisonChanged();
    Q_EMIT liveReset();
    return true;
}

bool Session::startExample(const QString& folder, const DemoRequest& request) {
    auto wanted = request;
    wanted.out = folder.toStdString();
    wanted.program = p_->program;
    return p_->start(
        JobKind::Example, tr("Example experiment"), demoCommand(wanted), 0,
        [wanted](Progress& progress, TrainListener& listener, const CancelToken& cancel) {
            runDemo(posixFileSystem(), wanted, progress, listener, cancel);
        },
        [this, folder] { openFinished(folder); });
}

void Session::openFinished(const QString& folder) {
    const auto live = p_->live;
    const auto job = p_->job;
    const auto command = p_->command;
    p_->job.state = JobState::Finished;
    if (openProject(folder)) {
        p_->live = live;   // the run just watched stays on screen
        Q_EMIT liveReset();
        Q_EMIT liveUpdated();
    }
    p_->command = command;
}

bool Session::startImport(const QString& folder, const ImportOptions& options) {
    return p_->start(
        JobKind::Import, tr("Import"), importCommand(folder, options), 0,
        [folder, options](Progress& progress, TrainListener&, const CancelToken&) {
            auto project = Project::openOrCreate(posixFileSystem(), folder.toStdString(), options.source);
            importInto(project, options, progress);
        },
        [this, folder] { openFinished(folder); });
}

bool Session::startFreeze(const FreezeRequest& request) {
    const auto folder = projectFolder();
    return p_->start(
        JobKind::Freeze, tr("Freeze"), freezeCommand(folder, request), 0,
        [folder, request](Progress& progress, TrainListener&, const CancelToken& cancel) {
            auto project = Project::open(posixFileSystem(), folder.toStdString());
            freezeProject(project, request, progress, &cancel);
        },
        [this, folder] { openFinished(folder); });
}

bool Session::startPlan(const PlanOptions& options) {
    const auto folder = projectFolder();
    return p_->start(
        JobKind::Plan, tr("Plan %1").arg(fromText(toString(options.precision))), planCommand(folder, options), 0,
        [folder, options](Progress& progress, TrainListener&, const CancelToken& cancel) {
            planProject(Project::open(posixFileSystem(), folder.toStdString()), options, progress, &cancel);
        },
        [this] { Q_EMIT plansChanged(); });
}

bool Session::startTraining(const TrainRequest& request) {
    const auto folder = projectFolder();
    return p_->start(
        JobKind::Train, tr("Training %1").arg(fromText(toString(request.precision))), trainCommand(folder, request),
        p_->plannedUpdates(request.stopAfter),
        [folder, request](Progress&, TrainListener& listener, const CancelToken& cancel) {
            trainRun(Project::open(posixFileSystem(), folder.toStdString()), request, listener, cancel);
        },
        [this] { comparisonMayHaveChanged(); });
}

bool Session::startResume(const ResumeRequest& request) {
    const auto folder = projectFolder();
    return p_->start(
        JobKind::Resume, tr("Resuming %1").arg(fromText(request.run)), resumeCommand(folder, request),
        p_->plannedUpdates(request.stopAfter),
        [folder, request](Progress&, TrainListener& listener, const CancelToken& cancel) {
            resumeRun(Project::open(posixFileSystem(), folder.toStdString()), request, listener, cancel);
        },
        [this] { comparisonMayHaveChanged(); });
}

bool Session::startDrill(const DrillRequest& request) {
    const auto folder = projectFolder();
    auto wanted = request;
    wanted.program = p_->program;
    return p_->start(
        JobKind::Drill, tr("Crash drill of %1").arg(fromText(request.run)), drillCommand(folder, request), 0,
        [folder, wanted](Progress& progress, TrainListener&, const CancelToken& cancel) {
            runDrill(Project::open(posixFileSystem(), folder.toStdString()), wanted, progress, &cancel);
        },
        [this] { comparisonMayHaveChanged(); });
}

void Session::comparisonMayHaveChanged() {
    try {
        p_->readComparison();
    } catch (const Error& error) {
        p_->addLine({{}, fromText(printable(error.what())), true, fromText(error.hint())});
    }
    Q_EMIT comparisonChanged();
}

bool Session::startCompare() {
    const auto folder = projectFolder();
    return p_->start(
        JobKind::Compare, tr("Compare"), compareCommand(folder), 0,
        [folder](Progress&, TrainListener&, const CancelToken&) {
            compareRuns(Project::open(posixFileSystem(), folder.toStdString()));
        },
        [this] { comparisonMayHaveChanged(); });
}

bool Session::startOther(const QString& title, std::function<void(Progress&, const CancelToken&)> work,
                         std::function<void()> finished) {
    return p_->start(
        JobKind::Other, title, {}, 0,
        [work = std::move(work)](Progress& progress, TrainListener&, const CancelToken& cancel) { work(progress, cancel); },
        std::move(finished));
}

void Session::stop(bool gently) {
    if (!busy()) {
        return;
    }
    gently ? p_->cancel->finishUpdate() : p_->cancel->stopNow();
    p_->job.state = JobState::Stopping;
    p_->addLine({{}, tr("Stopping %1: the last boundary is being saved").arg(p_->job.title), false, {}});
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

void Session::requestMode(Mode mode) { Q_EMIT modeRequested(mode); }

void Session::selectRun(const QString& name) {
    if (p_->selected != name) {
        p_->selected = name;
        Q_EMIT selectedRunChanged();
    }
}

void Session::requestPhotos(const QString& title, const std::vector<std::int64_t>& validationIds) {
    Q_EMIT photosRequested(title, validationIds);
}

}  // namespace receiptbench
