// The session's inside, shared by session.cpp (the running job, what is shown) and session_jobs.cpp
// (what can be started).
#pragma once

#include <QElapsedTimer>
#include <QSet>
#include <QTimer>

#include <thread>

#include "core/base/cancel.h"
#include "ui/session_mailbox.h"

namespace receiptbench {

// One job to be started.
struct JobSpec {
    using Work = std::function<void(Progress&, TrainListener&, const CancelToken&)>;

    JobKind kind = JobKind::None;
    QString title, command;
    QString folder;                  // of the project it makes or changes
    std::int64_t updates = 0;        // planned ones; 0: the contract's
    Work work;                       // on the job's thread
    std::function<void()> finished;  // on the UI thread, unless it failed
};

struct Session::Private {
    explicit Private(Session& owner) : session(owner) {}

    Session& session;
    std::string program;
    std::optional<Project> project;
    std::vector<RunOverview> runs;
    std::optional<Comparison> comparison;
    std::vector<DrillResult> drills;
    JobStatus job;
    LiveRun live;
    std::vector<LogLine> log;
    QString command;
    Selection selection;
    QSet<QString> undrawn;

    Mailbox mailbox;
    std::unique_ptr<CancelToken> cancel;
    std::thread thread;
    QString folder;                      // of the running job
    std::function<void()> whenFinished;  // on the UI thread
    QTimer timer;
    QTimer watch;  // over runs that another program trains
    QElapsedTimer running, stageClock;
    std::int64_t stageFirst = 0;  // steps done when the clock started: a resume does not begin at 0

    bool start(JobSpec spec);
    void runJob(const JobSpec& spec, const JobFacts& facts);
    void collect();
    void take(Mailbox& taken);
    void deliver(Mailbox& taken);
    void progressed(const Mailbox& taken);
    void estimate();
    void finish(const Mailbox& taken);
    void addLine(LogLine line);
    void show(ProjectFacts facts);
    bool adopt(const QString& folder);  // opens the project that the running job made
    void beginLive(LiveRun run);
    void leaveSideRun();
    void select(const Selection& wanted);
    std::int64_t plannedUpdates() const;
    std::int64_t memoryLimit() const;
};

}  // namespace receiptbench
