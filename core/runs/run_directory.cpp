#include "core/runs/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "core/base/text.h"
#include "core/runs/run_json.h"

namespace receiptbench {
namespace {

constexpr std::size_t kLongestName = 100;
constexpr int kMostRuns = 100000;
constexpr std::uint64_t kMostDescriptionBytes = 1u << 20;
// Whoever lists the runs holds each lock for a moment; that must not look like another training
// process.
constexpr int kLockTries = 20;
constexpr std::chrono::milliseconds kLockPause{10};

std::string runsFolder(const std::string& project) {
    return joinPath(project, "runs");
}

// True when this call made the run; false when another process took the name meanwhile.
bool claim(FileSystem& files, const std::string& folder, const RunDescription& description) {
    files.makeDirectories(joinPath(folder, kCheckpointFolder));
    try {
        writeAtomically(files, joinPath(folder, kRunFile), runToJson(description),
                        /*replace=*/false);
        return true;
    } catch (const FileError& error) {
        if (error.errorNumber() == EEXIST) {
            return false;
        }
        throw;
    }
}

}  // namespace

std::string toString(RunState state) {
    switch (state) {
        case RunState::Running:
            return "running";
        case RunState::Finished:
            return "finished";
        case RunState::Stopped:
            return "stopped";
        case RunState::Failed:
            return "failed";
        case RunState::Interrupted:
            break;
    }
    return "interrupted";
}

void checkRunName(const std::string& name) {
    const bool allowed = std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    });
    if (!allowed || name.empty() || name.size() > kLongestName || name[0] == '.' ||
        name[0] == '-') {
        throw Error(ErrorCode::Usage,
                    fmt::format("\"{}\" cannot be the name of a run", printable(name)),
                    fmt::format("use 1 to {} of the characters A-Z a-z 0-9 . _ - and begin with a "
                                "letter, a digit or _",
                                kLongestName));
    }
}

std::string createRun(FileSystem& files, const std::string& projectFolder, const std::string& base,
                      RunDescription description) {
    checkRunName(base);
    if (description.created.empty()) {
        description.created = Clock::system().utc();
    }
    for (int number = 1; number <= kMostRuns; ++number) {
        description.name = number == 1 ? base : fmt::format("{}-{}", base, number);
        std::string folder = joinPath(runsFolder(projectFolder), description.name);
        // A folder without run.json may be somebody's: only a new name is used.
        if (!files.exists(folder) && claim(files, folder, description)) {
            return folder;
        }
    }
    throw Error(ErrorCode::Failed, fmt::format("{} runs are named \"{}\" already", kMostRuns, base),
                "choose another name");
}

RunDescription loadRun(FileSystem& files, const std::string& runFolder) {
    const std::string path = joinPath(runFolder, kRunFile);
    if (!files.exists(path)) {
        throw Error(ErrorCode::Data,
                    fmt::format("{} is no run: it has no {}", printable(runFolder), kRunFile),
                    "receiptbench runs lists the runs");
    }
    RunDescription description = runFromJson(readText(files, path, kMostDescriptionBytes), path);
    description.name = baseName(runFolder);
    return description;
}

std::unique_ptr<FileLock> lockRun(FileSystem& files, const std::string& runFolder) {
    for (int attempt = 1;; ++attempt) {
        if (auto lock = files.tryLock(joinPath(runFolder, kLockFile))) {
            return lock;
        }
        if (attempt == kLockTries) {
            throw Error(ErrorCode::Failed,
                        fmt::format("the run \"{}\" is being written by another process",
                                    printable(baseName(runFolder))),
                        "wait for it or stop it; its lock frees itself when it ends");
        }
        std::this_thread::sleep_for(kLockPause);
    }
}

}  // namespace receiptbench
