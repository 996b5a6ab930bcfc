// A run as it was at an earlier checkpoint, in a folder of its own: what drills act on.
#pragma once

#include <string>

#include "core/checkpoint/store.h"
#include "core/workbench/training.h"

namespace receiptbench {

// Copies run.json, contract.json, check.json, the events up to the checkpoint's update, and no
// checkpoint.
void copyRunUpTo(FileSystem& files, const std::string& from, const std::string& to,
                 std::int64_t update);

}  // namespace receiptbench
