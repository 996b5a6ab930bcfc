// The runs of a project, however damaged some of them are.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/runs/run_directory.h"
#include "core/runs/run_json.h"

namespace receiptbench {
namespace {

// Does not create the lock file: a list must not change a project, which may be read-only.
bool isLocked(FileSystem& files, const std::string& runFolder) {
    const std::string path = joinPath(runFolder, kLockFile);
    try {
        return files.exists(path) && files.tryLock(path) == nullptr;
    } catch (const FileError&) {
        return false;  // may not be opened for writing: then nobody here trains it
    }
}

RunState stateOf(const nlohmann::json& end) {
    if (!end.is_object()) {
        return RunState::Interrupted;
    }
    const auto found = end.find("state");
    const std::string state =
        found != end.end() && found->is_string() ? found->get<std::string>() : "";
    return state == "finished"  ? RunState::Finished
           : state == "stopped" ? RunState::Stopped
           : state == "failed"  ? RunState::Failed
                                : RunState::Interrupted;
}

RunOverview overview(FileSystem& files, const std::string& folder) {
    RunOverview run;
    run.folder = folder;
    run.description = loadRun(files, folder);
    const RunHistory history = readHistory(files, folder);
    run.state = isLocked(files, folder) ? RunState::Running : stateOf(history.end);
    if (!history.updates.empty()) {
        run.updates = history.updates.back().update;
        run.lastLoss = history.updates.back().loss;
    }
    for (const UpdateRecord& update : history.updates) {
        run.peakBytes = std::max(run.peakBytes, update.memory.total);
    }
    return run;
}

RunOverview damaged(const std::string& folder, const std::string& problem) {
    RunOverview run;
    run.folder = folder;
    run.description.name = baseName(folder);
    run.description.kind = "damaged";
    run.state = RunState::Failed;
    run.problem = problem;
    return run;
}

}  // namespace

std::vector<RunOverview> listRuns(FileSystem& files, const std::string& projectFolder) {
    std::vector<RunOverview> runs;
    const std::string folder = joinPath(projectFolder, "runs");
    if (!files.exists(folder)) {
        return runs;
    }
    for (const DirectoryEntry& entry : files.list(folder)) {
        if (entry.kind != EntryKind::Directory) {
            continue;
        }
        const std::string path = joinPath(folder, entry.name);
        try {
            runs.push_back(overview(files, path));
        } catch (const Error& error) {
            runs.push_back(damaged(path, error.what()));
        }
    }
    std::sort(runs.begin(), runs.end(), [](const RunOverview& left, const RunOverview& right) {
        return std::tie(left.description.created, left.description.name) <
               std::tie(right.description.created, right.description.name);
    });
    return runs;
}

}  // namespace receiptbench
