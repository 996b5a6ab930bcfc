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

struct RunDescription {                 // run.json, written once
    std::string name;                   // directory name, unique in the project
    std::string kind = "run";           // "run", "wrong", "overflow", "reference", "drill"
    std::string contractHash, splitDigest, datasetDigest;
    RunPlan plan;
    std::int64_t memoryLimit = 0;
    Normalisation normalisation = Normalisation::AcceptedCount;
    EnvironmentFingerprint environment;
    std::string created;                // UTC
    std::string startedFromWeights;     // file, when not the contract's initial ones
};

// events.jsonl, one object a line: {"type": ..., "time": UTC, ...}. Types: "start", "update" (UpdateRecord in "record"),
// "memory" (samples), "checkpoint", "resume", "message", "end" (TrainSummary fields, "state": "finished" | "stopped" |
// "failed", "error").
class EventLog {
 public:
    EventLog(FileSystem& files, std::string path, const Clock& clock = Clock::system());
    ~EventLog();
    void append(const std::string& type, nlohmann::json fields);   // one line; not synced
    void sync();                                                   // before a checkpoint is announced

 private:
    struct State;
    std::unique_ptr<State> state_;
};

struct RunHistory {
    std::vector<UpdateRecord> updates;        // every update once, also after a resume (the later record wins)
    std::vector<MemorySample> memory;
    std::vector<nlohmann::json> checkpoints, resumes, messages;
    nlohmann::json end;                       // null when there is none (crashed or running)
    std::int64_t damagedLines = 0;            // cut by a crash: skipped
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
};
// Running: its lock is held. Sorted by creation time, then name.
std::vector<RunOverview> listRuns(FileSystem& files, const std::string& projectFolder);
RunDescription loadRun(FileSystem& files, const std::string& runFolder);   // Error(Data) naming what is missing
// Creates project/runs/<base>, or <base>-2, -3 ... exclusively, with run.json and checkpoints/. Returns the folder.
std::string createRun(FileSystem& files, const std::string& projectFolder, const std::string& base, RunDescription description);
// Held while the run is being written; Error(Failed) naming the run when another process holds it.
std::unique_ptr<FileLock> lockRun(FileSystem& files, const std::string& runFolder);

// predictions.safetensors: logits [N,C] F32, labels [N] I64, and metadata (validation digest, precision, weights digest).
struct StoredPredictions {
    std::vector<float> logits;
    std::vector<std::int64_t> labels;
    std::int64_t classes = 0;
    std::string validationDigest, precision, weightsDigest;
};
void savePredictions(FileSystem& files, const std::string& runFolder, const StoredPredictions& predictions);
std::optional<StoredPredictions> loadPredictions(FileSystem& files, const std::string& runFolder);

}  // namespace receiptbench
