#include "ui/run/run_records.h"

#include <nlohmann/json.hpp>

#include <utility>

#include "core/base/json.h"
#include "core/base/text.h"
#include "ui/background.h"

namespace receiptbench {
namespace {

LedgerReading readRun(const std::string& folder, const RunOverview& overview) {
    LedgerReading reading;
    auto& files = posixFileSystem();
    try {
        const auto project = Project::open(files, folder);
        const auto contract = project.contract().contract;
        reading.examplesPerUpdate = contract.examplesPerUpdate;
        reading.updatesPlanned = contract.updates;
        reading.validationExamples = contract.validationExamples;
        reading.updates = readHistory(files, overview.folder).updates;
        const auto check = joinPath(overview.folder, "check.json");
        if (files.exists(check)) {
            reading.check = parseJson(readText(files, check), check).get<GradientCheckResult>();
        }
        if (overview.state == RunState::Finished) {
            reading.facts = gatherRunFacts(project, overview.description.name);
        }
    } catch (const Error& error) {
        reading.problem =
            QStringLiteral("%1. %2").arg(QString::fromStdString(printable(error.what())),
                                         QString::fromStdString(printable(error.hint())));
    } catch (const std::exception& error) {
        reading.problem = QString::fromStdString(printable(error.what()));
    }
    return reading;
}

// The receipts chain over everything before them.
bool sameUpdates(const LedgerReading& a, const LedgerReading& b) {
    return a.updates.size() == b.updates.size() &&
           (a.updates.empty() || (a.updates.back().receipt == b.updates.back().receipt &&
                                  a.updates.back().update == b.updates.back().update));
}

}  // namespace

RunRecords::RunRecords(Session& session, QObject* parent) : QObject(parent), session_(session) {
    connect(&session, &Session::projectChanged, this, &RunRecords::projectChanged);
    connect(&session, &Session::liveReset, this, &RunRecords::liveReset);
    connect(&session, &Session::liveUpdated, this, &RunRecords::addLive);
    connect(&session, &Session::runsChanged, this, [this] {
        std::vector<QString> known;
        for (const auto& [run, entry] : entries_) {
            known.push_back(run);
        }
        for (const auto& run : known) {
            of(run);
        }
    });
}

void RunRecords::projectChanged() {
    entries_.clear();
    taken_ = 0;
    ++generation_;
}

bool RunRecords::isLive(const QString& run) const {
    const auto kind = session_.job().kind;
    if (!session_.busy() || run.toStdString() != session_.live().name) {
        return false;
    }
    // The example goes on after its last run.
    const int row = session_.runIndex(run);
    const bool ended =
        row >= 0 && session_.runs()[static_cast<std::size_t>(row)].state == RunState::Finished;
    return kind == JobKind::Train || kind == JobKind::Resume ||
           (kind == JobKind::Example && !ended);
}

std::string RunRecords::keyOf(const QString& run) const {
    const int row = session_.runIndex(run);
    if (row < 0) {
        return {};
    }
    const auto& overview = session_.runs()[static_cast<std::size_t>(row)];
    return toString(overview.state) + " " + std::to_string(overview.updates) + " " +
           formatDouble(overview.lastLoss);
}

const LedgerReading* RunRecords::of(const QString& run) {
    const auto found = entries_.find(run);
    const bool known = found != entries_.end() && found->second.known;
    const bool current = known && (isLive(run) || found->second.key == keyOf(run));
    const bool loading = found != entries_.end() && found->second.loading;
    if (!current && !loading && !isLive(run) && session_.runIndex(run) >= 0) {
        read(run);
    }
    return known ? &entries_[run].reading : nullptr;
}

void RunRecords::read(const QString& run) {
    auto& entry = entries_[run];
    entry.loading = true;
    const auto overview = session_.runs()[static_cast<std::size_t>(session_.runIndex(run))];
    const auto folder = session_.projectFolder().toStdString();
    readInBackground<LedgerReading>(
        this, [folder, overview] { return readRun(folder, overview); },
        [this, run, key = keyOf(run), asked = generation_](const LedgerReading& reading) {
            if (asked == generation_) {
                received(run, reading, key);
            }
        });
}

void RunRecords::received(const QString& run, LedgerReading reading, const std::string& key) {
    auto& entry = entries_[run];
    entry.loading = false;
    if (isLive(run)) {
        return;  // it began while its folder was being read: its live records are newer
    }
    entry.known = true;
    entry.key = key;
    const bool same = sameUpdates(entry.reading, reading);
    entry.reading = std::move(reading);
    if (same) {
        Q_EMIT grew(run);
    } else {
        Q_EMIT replaced(run);
    }
    if (key != keyOf(run)) {
        of(run);  // it has changed meanwhile
    }
}

// The live records hold a resumed run from its first update on.
void RunRecords::liveReset() {
    taken_ = 0;
    const auto run = QString::fromStdString(session_.live().name);
    if (run.isEmpty()) {
        return;
    }
    auto& entry = entries_[run];
    entry.reading = {};
    entry.known = true;
    entry.key.clear();
    addLive();
    Q_EMIT replaced(run);
}

void RunRecords::addLive() {
    const auto& live = session_.live();
    const auto run = QString::fromStdString(live.name);
    const auto found = entries_.find(run);
    if (found == entries_.end() || !found->second.known) {
        return;  // follows once its ledger has been read
    }
    auto& reading = found->second.reading;
    reading.updatesPlanned = live.updatesPlanned;
    reading.check = live.check;
    reading.updates.insert(reading.updates.end(),
                           live.updates.begin() + static_cast<std::ptrdiff_t>(taken_),
                           live.updates.end());
    taken_ = live.updates.size();
    Q_EMIT grew(run);
}

}  // namespace receiptbench
