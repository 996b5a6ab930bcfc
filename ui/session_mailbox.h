// What the job thread tells, until the UI timer collects it. Private to the session.
#pragma once

#include <mutex>
#include <utility>

#include "ui/session.h"

namespace receiptbench {

// What the pages read of a project, gathered in one go and on any thread.
struct ProjectFacts {
    std::vector<RunOverview> runs;
    std::vector<DrillResult> drills;
    std::optional<Comparison> comparison;
    bool hasComparison = false;  // comparison was looked for
    std::vector<LogLine> problems;
};
// Never throws: what cannot be read is a problem line.
ProjectFacts readFacts(const std::string& folder, bool withComparison);

LogLine problemLine(const std::exception& error, JobKind kind = JobKind::None);

struct Mailbox {
    std::mutex mutex;
    QString stage;
    std::int64_t done = 0, total = 0;
    bool newRun = false;
    LiveRun run;  // name, plan, check; the records are below
    std::vector<UpdateRecord> updates;
    std::vector<MemorySample> memory;
    std::vector<LogLine> lines;
    std::optional<ProjectFacts> facts;
    bool ended = false;
    std::optional<LogLine> failure;
    bool interrupted = false;  // ended by an error that says so
};

// What they must know of its job.
struct JobFacts {
    JobKind kind = JobKind::None;
    std::string folder;  // the project's
    std::int64_t updates = 0, memoryLimit = 0;
};

class MailboxProgress : public Progress {
 public:
    MailboxProgress(Mailbox& mailbox, JobFacts job) : mailbox_(mailbox), job_(std::move(job)) {}
    void stage(const std::string& name, std::int64_t steps) override;
    void step(std::int64_t done) override;
    void note(const std::string& line) override;

 private:
    Mailbox& mailbox_;
    JobFacts job_;
};

class MailboxListener : public TrainListener {
 public:
    MailboxListener(Mailbox& mailbox, JobFacts job) : mailbox_(mailbox), job_(std::move(job)) {}

    void onStart(const std::string& run, const RunPlan& plan) override;
    void onCheck(const GradientCheckResult& check) override;
    void onUpdate(const UpdateRecord& record) override;
    void onMemory(const MemorySample& sample) override;
    void onCheckpoint(const std::string& file, double seconds) override;
    void onMessage(const std::string& text) override;

 private:
    bool countsUpdates() const {
        return job_.kind == JobKind::Train || job_.kind == JobKind::Resume;
    }
    void say(const QString& text);

    Mailbox& mailbox_;
    JobFacts job_;
};

}  // namespace receiptbench
