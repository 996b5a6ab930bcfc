// What the inspector says of a run, an update or a checkpoint: groups of name and value, ready to
// be shown.
#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "core/runs/run_directory.h"

namespace receiptbench {

struct FactGroup {
    QString title;
    std::vector<std::pair<QString, QString>> rows;
};

struct CheckpointEntry {
    std::int64_t update = 0, generation = 0;
    QString file, written, digest;  // written: UTC, as in the run's log
    double seconds = 0;
    std::int64_t bytes = 0;
    std::vector<std::pair<QString, std::int64_t>> parts;  // name, bytes
    bool kept = false;                                    // still on disk
};
// What the log says was written, beside what the folder holds. Oldest first.
std::vector<CheckpointEntry> checkpointEntries(const RunHistory& history,
                                               const std::vector<std::string>& onDisk);

std::vector<FactGroup> runFacts(const RunOverview& run, const RunHistory& history);
std::vector<FactGroup> updateFacts(const UpdateRecord& record);
std::vector<FactGroup> checkpointFacts(const CheckpointEntry& checkpoint);

}  // namespace receiptbench
