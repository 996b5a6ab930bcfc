// One child process: started, waited for, ended when the job is cancelled.
#pragma once

#include <string>
#include <vector>

#include "core/base/cancel.h"

namespace receiptbench {

struct ChildEnd {
    int exitCode = -1;  // -1: ended by a signal
    int signal = 0;     // 0: ended by itself
};

// Its output goes to the log file. Error(Failed) when it cannot be started, Error(Interrupted) when
// cancel asked to stop (the child is killed then).
ChildEnd runChild(const std::vector<std::string>& command, const std::string& logFile,
                  const CancelToken* cancel);

}  // namespace receiptbench
