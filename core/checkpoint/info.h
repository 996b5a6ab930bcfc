// Where a checkpoint's bytes go.
#pragma once

#include <cstdint>
#include <string>

#include "core/checkpoint/store.h"

namespace receiptbench {

// Adds a tensor's bytes to "weights" (and buffers), "optimizer" or "rng".
void addPart(CheckpointInfo& info, const std::string& tensorName, std::uint64_t bytes);
// What is left of info.bytes is "state and header".
void finishParts(CheckpointInfo& info);

}  // namespace receiptbench
