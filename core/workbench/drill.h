// Crash drills on a copy of a run: a child `receiptbench train` dies inside a checkpoint write;
// recovery, and proof that the continuation equals the uninterrupted run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/cancel.h"
#include "core/base/trace_file_system.h"
#include "core/checkpoint/store.h"
#include "core/workbench/training.h"

namespace receiptbench {

struct DrillRequest {
    std::string run;  // whose checkpoint write dies
    std::optional<std::int64_t>
        call;  // index on the tape of that checkpoint's write; none: the middle of the data write
    CrashWhen when = CrashWhen::Inside;
    std::optional<std::int64_t> atUpdate;  // whose checkpoint; none: the second checkpoint
    std::int64_t compareUpdates =
        0;  // how far the continuation is compared; 0: to the end of the next epoch or of
            // the run (another plan: 5 updates, since small differences grow)
    std::optional<std::int64_t>
        resumeMicrobatch;  // another plan: states tolerance and measured difference
    std::string program;   // path of the receiptbench executable
};
struct DrillResult {
    std::string run, folder;     // the copy below drills/
    std::vector<FileCall> tape;  // of the checkpoint write
    std::int64_t crashedAtCall = 0, crashedAtUpdate = 0;
    CrashWhen when = CrashWhen::Inside;
    int childSignal = 0, childExit = 0;  // the child really died: SIGKILL = 9
    std::vector<DirectoryEntry> before, afterCrash, afterRecovery;
    std::string chosen;  // checkpoint file
    std::vector<RejectedFile> rejected;
    std::vector<std::string> removedTemporaries;
    std::int64_t resumedAtUpdate = 0, comparedUpdates = 0, equalUpdates = 0;
    bool firstUpdateEqual = false;  // bit for bit: loss, receipt chain
    bool proven =
        false;  // all compared receipts equal (same plan), or within tolerance (another plan)
    std::string notBitExact;                       // differing items, or empty
    double tolerance = 0, measuredDifference = 0;  // of the loss, when not bit-exact
    std::string negativeControl;  // one field perturbed: which, and that the chain then differs
    bool negativeControlDiffers = false;
};
void to_json(nlohmann::json& json, const DrillResult& result);
void from_json(const nlohmann::json& json, DrillResult& result);

DrillResult runDrill(const Project& project, const DrillRequest& request,
                     Progress& progress = Progress::none(), const CancelToken* cancel = nullptr);
std::vector<DrillResult> listDrills(const Project& project);
// The call tape of saving this run's newest checkpoint, recorded on a scratch copy.
std::vector<FileCall> callTape(const Project& project, const std::string& run);

std::string toString(CrashWhen when);                 // "before", "inside", "after"
CrashWhen parseCrashWhen(const std::string& text);    // Error(Usage)
CrashPoint parseCrashPoint(const std::string& text);  // "UPDATE:CALL:WHEN", Error(Usage)

// In the child: wraps the file system so that the process kills itself at that call of the
// checkpoint write of that update. Reads the hidden option --die-at UPDATE:CALL:WHEN.
std::unique_ptr<FileSystem> dyingFileSystem(FileSystem& real, std::int64_t call, CrashWhen when);

}  // namespace receiptbench
