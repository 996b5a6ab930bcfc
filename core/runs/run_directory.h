// One run on disk: run.json, events.jsonl (the one stream), predictions.safetensors, checkpoints/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/file_system.h"
#include "core/contract/run_plan.h"
#include "core/contract/update_record.h"

namespace receiptbench {

struct RunDescription {        // run.json, written once
    std::string name;          // directory name, unique in the project
    std::string kind = "run";  // "run", "wrong", "overflow", "reference", "drill"
    std::string contractHash, splitDigest, datasetDigest;
    RunPlan plan;
    std::int64_t memoryLimit = 0;
    Normalisation normalisation = Normalisation::AcceptedCount;
    EnvironmentFingerprint environment;
    std::string created;             // UTC
    std::string startedFromWeights;  // file, when not the contract's initial ones
};

// events.jsonl, one object a line: {"type": ..., "time": UTC, ...}. Types: "start", "update"
// (UpdateRecord in "record"), "memory" (list of MemorySample in "samples"), "checkpoint", "resume"
// ("update": the last one that still counts), "message", "end" (TrainSummary fields, "state":
// "finished" | "stopped" | "failed", "error"). Numbers that are not finite are written as the texts
// "nan", "inf", "-inf". A line that a crash cut short stays; what follows begins on a line of its
// own.
class EventLog {
 public:
    // Appends to the file, created when missing.
    EventLog(FileSystem& files, std::string path, const Clock& clock = Clock::system());
    ~EventLog();
    // One line, not synced. From any thread. fields is an object (or null); its "type" and "time"
    // are replaced.
    void append(const std::string& type, nlohmann::json fields);
    void sync();  // before a checkpoint is announced

 private:
    struct State;
    std::unique_ptr<State> state_;
};

struct RunHistory {
    // Every update once, by number. The later record wins; what a resume left behind (updates after
    // the one that it continues from) is not part of the run's history.
    std::vector<UpdateRecord> updates;
    std::vector<MemorySample> memory;  // of those updates and the unfinished one
    std::vector<nlohmann::json> checkpoints, resumes, messages;
    nlohmann::json end;  // null when there is none since the last resume (crashed or running)
    std::int64_t damagedLines = 0;  // cut by a crash: skipped
};
RunHistory readHistory(FileSystem& files, const std::string& runFolder);

enum class RunState { Running, Finished, Stopped, Failed, Interrupted };
std::string toString(RunState state);
struct RunOverview {
    RunDescription description;
    RunState state = RunState::Interrupted;
    std::string folder;
    std::int64_t updates = 0;
    double lastLoss = 0;
    std::int64_t peakBytes = 0;
    std::string problem;  // why the folder cannot be read as a run, else empty
};
// Running: its lock is held. Otherwise what the last "end" event says; Interrupted without one.
// Sorted by creation time, then name. A folder that cannot be read is listed as Failed, of kind
// "damaged", with the reason in `problem`.
std::vector<RunOverview> listRuns(FileSystem& files, const std::string& projectFolder);
// Error(Data) naming what is missing. The name is the folder's, whatever the file says: names from
// files never become paths.
RunDescription loadRun(FileSystem& files, const std::string& runFolder);
// Error(Usage) unless 1 to 100 of A-Z a-z 0-9 . _ - not beginning with . or -.
void checkRunName(const std::string& name);
// Creates project/runs/<base>, or <base>-2, -3 ... exclusively, with run.json and checkpoints/.
// Returns the folder. The name is filled in, and the creation time when it is empty.
std::string createRun(FileSystem& files, const std::string& projectFolder, const std::string& base,
                      RunDescription description);
// Held while the run is being written; Error(Failed) naming the run when another process holds it.
std::unique_ptr<FileLock> lockRun(FileSystem& files, const std::string& runFolder);

// predictions.safetensors: logits [N,C] F32, labels [N] I64, and metadata (validation digest,
// precision, weights digest).
struct StoredPredictions {
    std::vector<float> logits;
    std::vector<std::int64_t> labels;
    std::int64_t classes = 0;
    std::string validationDigest, precision, weightsDigest;
};
void savePredictions(FileSystem& files, const std::string& runFolder,
                     const StoredPredictions& predictions);
std::optional<StoredPredictions> loadPredictions(FileSystem& files, const std::string& runFolder);

}  // namespace receiptbench
