// SIGINT and SIGTERM ask the running job to stop.
#pragma once

#include "core/base/cancel.h"

namespace receiptbench {

// The first one finishes the update, writes a checkpoint and ends; the second drops the update; the
// third ends at once. For the rest of the process.
CancelToken& cancelOnSignals();
// 130 or 143 once a signal came, else 0.
int signalExitCode();

}  // namespace receiptbench
