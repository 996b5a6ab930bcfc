// The child's side of a drill: a process that really dies inside a checkpoint write.
#include <unistd.h>
#include <csignal>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/workbench/drill.h"

namespace receiptbench {
namespace {

// No destructor, no flush, no handler runs: as when the power of the process is cut.
[[noreturn]] void dieNow() {
    ::kill(::getpid(), SIGKILL);
    for (;;) {
        ::pause();
    }
}

}  // namespace

std::string toString(CrashWhen when) {
    return when == CrashWhen::Before ? "before" : when == CrashWhen::Inside ? "inside" : "after";
}

CrashWhen parseCrashWhen(const std::string& text) {
    for (const auto when : {CrashWhen::Before, CrashWhen::Inside, CrashWhen::After}) {
        if (text == toString(when)) {
            return when;
        }
    }
    throw Error(ErrorCode::Usage, "crash moment \"" + printable(text) + "\" is unknown",
                "use before, inside or after");
}

CrashPoint parseCrashPoint(const std::string& text) {
    const auto parts = split(text, ':');
    if (parts.size() == 3) {
        const auto update = parseInt(parts[0]), call = parseInt(parts[1]);
        if (update && call && *update >= 1 && *call >= 1) {
            return {*update, *call, parseCrashWhen(parts[2])};
        }
    }
    throw Error(ErrorCode::Usage, "crash point \"" + printable(text) + "\" is no UPDATE:CALL:WHEN",
                "for example 20:2:inside");
}

std::unique_ptr<FileSystem> dyingFileSystem(FileSystem& real, std::int64_t call, CrashWhen when) {
    const auto dieAt = [call](const FileCall& reached) {
        if (reached.index == call) {
            dieNow();
        }
    };
    TraceHooks hooks;
    switch (when) {
        case CrashWhen::Before:
            hooks.before = dieAt;
            break;
        case CrashWhen::Inside:
            hooks.inside = dieAt;
            hooks.splitWrite = [call](const FileCall& reached) { return reached.index == call; };
            break;
        case CrashWhen::After:
            hooks.after = dieAt;
            break;
    }
    return traceFileSystem(real, nullptr, std::move(hooks));
}

}  // namespace receiptbench
