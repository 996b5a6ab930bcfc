// Records the call tape of another FileSystem: what the drill shows and where it can be made to
// fail.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/file_system.h"

namespace receiptbench {

struct FileCall {
    std::int64_t index;  // 1, 2, ... in order
    std::string
        operation;  // "create", "write", "sync", "close", "rename", "remove", "sync-directory", ...
    std::string path;     // as given; for a rename "FROM -> TO"
    std::uint64_t bytes;  // for write and read, else 0
};

// Before and after each call, hooks may throw or end the process. A write may also be interrupted
// inside, see splitWrite. The tape must outlive the file system and its handles.
struct TraceHooks {
    std::function<void(const FileCall&)> before, after, inside;
    std::function<bool(const FileCall&)>
        splitWrite;  // true: write half, call inside, then the rest
};

std::unique_ptr<FileSystem> traceFileSystem(FileSystem& real, std::vector<FileCall>* tape,
                                            TraceHooks hooks = {});

}  // namespace receiptbench
