#include "core/workbench/run_checkpoint.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace receiptbench {
namespace {

std::string listRejected(const std::vector<RejectedFile>& rejected, const char* whenNone) {
    std::vector<std::string> lines;
    for (const auto& file : rejected) {
        lines.push_back(fmt::format("{}: {}", printable(file.file), printable(file.reason)));
    }
    return lines.empty() ? whenNone : fmt::format("{}", fmt::join(lines, "; "));
}

// A checkpoint of another run would go on under this one's name: its precision is the run's, and
// the ledger knows its update by the receipt.
void demandOwn(FileSystem& files, const std::string& folder, const RunDescription& description,
               const Recovery& recovery) {
    const auto& values = recovery.state.values;
    const auto file = receiptbench::baseName(recovery.chosen->path);
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorCode::Data,
                    fmt::format("checkpoint {} is not of run {}: {}", printable(file),
                                description.name, why),
                    "resume from the run's own checkpoints; receiptbench train --weights starts a "
                    "new run from other weights");
    };
    if (values.plan.precision != description.plan.precision) {
        refuse(fmt::format("it is {}, the run is {}", toString(values.plan.precision),
                           toString(description.plan.precision)));
    }
    const bool inside = parentPath(recovery.chosen->path) == joinPath(folder, "checkpoints");
    bool listed = values.attempted == 0;
    for (const auto& update : readHistory(files, folder).updates) {
        if (update.update == values.attempted) {
            listed = update.receipt == values.receipt;
            if (!listed) {
                refuse(fmt::format("update {} has receipt {} there, {} in the run's ledger",
                                   values.attempted, values.receipt.substr(0, 12),
                                   update.receipt.substr(0, 12)));
            }
        }
    }
    if (!listed && !inside) {
        refuse(fmt::format("the run's ledger has no update {}", values.attempted));
    }
}

}  // namespace

// Never silently from scratch: without a valid checkpoint the run is not touched.
Recovery newestCheckpoint(FileSystem& files, const std::string& folder,
                          const RunDescription& description, bool removeTemporaries) {
    auto recovery = recoverCheckpoint(files, joinPath(folder, "checkpoints"),
                                      description.contractHash, removeTemporaries);
    if (!recovery.chosen) {
        throw Error(ErrorCode::NoCheckpoint,
                    fmt::format("run {} has no valid checkpoint: {}", description.name,
                                listRejected(recovery.rejected, "the folder holds none")),
                    "start a new run with receiptbench train");
    }
    demandOwn(files, folder, description, recovery);
    return recovery;
}

Recovery namedCheckpoint(FileSystem& files, const std::string& folder,
                         const RunDescription& description, const std::string& checkpoint) {
    const auto path = checkpoint.find('/') == std::string::npos
                          ? joinPath(joinPath(folder, "checkpoints"), checkpoint)
                          : checkpoint;
    Recovery recovery;
    CheckpointInfo info;
    try {
        recovery.state = openCheckpoint(files, path, description.contractHash, &info);
    } catch (const Error& error) {
        throw Error(ErrorCode::NoCheckpoint,
                    fmt::format("checkpoint {} cannot be used: {}", printable(path), error.what()),
                    "leave the name out to take the newest valid one");
    }
    recovery.chosen = info;
    demandOwn(files, folder, description, recovery);
    return recovery;
}

void demandContract(const RunDescription& description, const LoadedContract& loaded) {
    if (description.contractHash != loaded.hash) {
        throw Error(
            ErrorCode::Data,
            fmt::format("run {} belongs to contract {}, this project's is {}", description.name,
                        description.contractHash.substr(0, 16), loaded.hash.substr(0, 16)),
            "open its own project");
    }
}

Recovery resultCheckpoint(FileSystem& files, const std::string& folder,
                          const RunDescription& description) {
    auto recovery = newestCheckpoint(files, folder, description, false);
    const auto history = readHistory(files, folder);
    const bool finished = history.end.is_object() && history.end.value("state", "") == "finished";
    const auto last = history.updates.empty() ? 0 : history.updates.back().update;
    const auto found = recovery.state.values.attempted;
    if (finished && found != last) {
        throw Error(ErrorCode::NoCheckpoint,
                    fmt::format("run {} finished at update {}, and its newest valid checkpoint is "
                                "of update {}: {}",
                                description.name, last, found,
                                listRejected(recovery.rejected, "no later one is there")),
                    fmt::format("receiptbench train --name {} --resume trains the missing updates "
                                "again, to the same result",
                                description.name));
    }
    return recovery;
}

}  // namespace receiptbench
