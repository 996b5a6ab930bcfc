// One run while it is written: its lock, its event log, its checkpoints and its final event. Shared
// by train and resume.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/store.h"
#include "core/workbench/training.h"

namespace receiptbench {

class RunSession : public TrainObserver {
 public:
    // Takes the run's lock: Error(Failed) when another process writes it.
    RunSession(const Project& project, std::string folder, TrainListener& listener);

    EventLog& events() { return events_; }
    const std::string& folder() const { return folder_; }
    std::string checkpoints() const { return joinPath(folder_, "checkpoints"); }
    // For every checkpoint from here on.
    void saveAs(SaveOptions options, std::optional<CrashPoint> dieAt);

    // Every exception of the body, unknown ones too, becomes the final event and goes on to the
    // caller.
    TrainOutcome guard(const std::function<TrainOutcome()>& body);
    // Trains, validates (when asked and not stopped at once), writes the final event.
    TrainOutcome execute(Trainer& trainer, const RunDescription& description,
                         std::int64_t contractUpdates, bool validate, const CancelToken& cancel);

    void onUpdate(const UpdateRecord& record) override;
    void onMemory(const MemorySample& sample) override;
    void onMessage(const std::string& text) override;
    void onCheckpointDue(const TrainingState& state) override;

 private:
    void flushMemory();
    CheckpointInfo save(const TrainingState& state);
    void checkpointFailed(const Error& error, std::int64_t update);
    Metrics validateWith(Trainer& trainer, const RunDescription& description);
    void failed(const std::string& text) noexcept;

    const Project& project_;
    std::string folder_;
    TrainListener& listener_;
    std::unique_ptr<FileLock> lock_;
    EventLog events_;
    SaveOptions save_;
    std::optional<CrashPoint> dieAt_;
    std::vector<MemorySample> samples_;  // of the current update
    std::string degraded_;
};

// Predictions of the frozen validation set with the trainer's weights, stored in the run folder.
Metrics validate(const Project& project, const std::string& folder, Trainer& trainer,
                 Precision precision);
Metrics metricsOf(const StoredPredictions& predictions, const ExperimentContract& contract);
nlohmann::json summaryJson(const TrainSummary& summary);
nlohmann::json planJson(const RunPlan& plan);

}  // namespace receiptbench
