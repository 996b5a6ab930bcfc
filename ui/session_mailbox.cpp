#include "ui/session_mailbox.h"

#include "core/base/text.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

QString fromText(const std::string& text) {
    return QString::fromStdString(printable(text));
}

// Where the window lets its user do what the remedy says.
std::optional<Mode> pageFor(ErrorCode code, JobKind kind) {
    switch (code) {
        case ErrorCode::OverBudget:
        case ErrorCode::NoDevice:
            return Mode::Configure;
        case ErrorCode::NoCheckpoint:
            return Mode::Recovery;
        default:
            break;
    }
    switch (kind) {
        case JobKind::Import:
            return Mode::Data;
        case JobKind::Freeze:
        case JobKind::Plan:
        case JobKind::Train:
            return Mode::Configure;
        case JobKind::Resume:
        case JobKind::Drill:
            return Mode::Recovery;
        case JobKind::Compare:
            return Mode::Compare;
        case JobKind::Report:
            return Mode::Report;
        default:
            return std::nullopt;
    }
}

void readComparison(const Project& project, ProjectFacts& facts) {
    facts.hasComparison = true;
    if (project.isFrozen() && !baselineRun(project).empty()) {
        facts.comparison = compareRuns(project);
    }
}

}  // namespace

LogLine problemLine(const std::exception& error, JobKind kind) {
    LogLine line;
    line.text = fromText(error.what());
    line.problem = true;
    if (const auto* known = dynamic_cast<const Error*>(&error)) {
        line.remedy = fromText(known->hint());
        line.fixAt = pageFor(known->code(), kind);
    }
    return line;
}

ProjectFacts readFacts(const std::string& folder, bool withComparison) {
    ProjectFacts facts;
    try {
        const auto project = Project::open(posixFileSystem(), folder);
        facts.runs = listRuns(project.files(), folder);
        facts.drills = listDrills(project);
        if (withComparison) {
            readComparison(project, facts);
        }
    } catch (const std::exception& error) {
        facts.problems.push_back(problemLine(error));
    }
    return facts;
}

// Between the example's stages a run has ended, or a drill.
void MailboxProgress::stage(const std::string& name, std::int64_t steps) {
    std::optional<ProjectFacts> facts;
    if (job_.kind == JobKind::Example &&
        posixFileSystem().exists(ProjectPaths{job_.folder}.project())) {
        facts = readFacts(job_.folder, false);
    }
    const std::lock_guard lock(mailbox_.mutex);
    if (facts) {
        mailbox_.facts = std::move(facts);
    }
    mailbox_.stage = fromText(name);
    mailbox_.done = 0;
    mailbox_.total = steps;
}

void MailboxProgress::step(std::int64_t done) {
    const std::lock_guard lock(mailbox_.mutex);
    mailbox_.done = done;
}

void MailboxProgress::note(const std::string& line) {
    const std::lock_guard lock(mailbox_.mutex);
    mailbox_.lines.push_back({{}, fromText(line), false, {}, {}});
}

// The ledger and the list of runs are read here, on the job's thread: both can be megabytes.
void MailboxListener::onStart(const std::string& run, const RunPlan& plan) {
    auto facts = readFacts(job_.folder, false);
    RunHistory before;
    if (job_.kind == JobKind::Resume) {
        before = readHistory(posixFileSystem(), ProjectPaths{job_.folder}.run(run));
    }
    const std::lock_guard lock(mailbox_.mutex);
    mailbox_.newRun = true;
    mailbox_.run = {};
    mailbox_.run.name = run;
    mailbox_.run.plan = plan;
    mailbox_.run.updatesPlanned = job_.updates;
    mailbox_.run.memoryLimit = job_.memoryLimit;
    for (const auto& overview : facts.runs) {
        if (overview.description.name == run) {
            mailbox_.run.memoryLimit = overview.description.memoryLimit;
        }
    }
    mailbox_.updates = std::move(before.updates);
    mailbox_.memory = std::move(before.memory);
    if (countsUpdates()) {
        mailbox_.stage =
            job_.kind == JobKind::Train ? QStringLiteral("training") : QStringLiteral("resumed");
        mailbox_.done = mailbox_.updates.empty() ? 0 : mailbox_.updates.back().update;
        mailbox_.total = job_.updates;
    }
    mailbox_.facts = std::move(facts);
}

void MailboxListener::onCheck(const GradientCheckResult& check) {
    const std::lock_guard lock(mailbox_.mutex);
    mailbox_.run.check = check;
}

void MailboxListener::onUpdate(const UpdateRecord& record) {
    const std::lock_guard lock(mailbox_.mutex);
    mailbox_.updates.push_back(record);
    if (countsUpdates()) {
        mailbox_.done = record.update;
    }
}

void MailboxListener::onMemory(const MemorySample& sample) {
    const std::lock_guard lock(mailbox_.mutex);
    mailbox_.memory.push_back(sample);
}

void MailboxListener::onCheckpoint(const std::string& file, double seconds) {
    say(QStringLiteral("checkpoint %1 in %2 s")
            .arg(fromText(baseName(file)), numberText(seconds, 3)));
}

void MailboxListener::onMessage(const std::string& text) {
    say(fromText(text));
}

void MailboxListener::say(const QString& text) {
    const std::lock_guard lock(mailbox_.mutex);
    mailbox_.lines.push_back({{}, text, false, {}, {}});
}

}  // namespace receiptbench
