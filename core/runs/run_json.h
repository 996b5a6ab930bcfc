// run.json.
#pragma once

#include <string>

#include "core/runs/run_directory.h"

namespace receiptbench {

inline constexpr const char* kRunFile = "run.json";
inline constexpr const char* kEventsFile = "events.jsonl";
inline constexpr const char* kLockFile = "run.lock";
inline constexpr const char* kCheckpointFolder = "checkpoints";
inline constexpr const char* kPredictionsFile = "predictions.safetensors";

std::string runToJson(const RunDescription& description);
// Error(Data) naming the field. what names the text in messages.
RunDescription runFromJson(const std::string& text, const std::string& what);

}  // namespace receiptbench
