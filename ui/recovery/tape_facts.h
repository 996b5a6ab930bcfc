// What the Recovery page knows about a run's checkpoint write: its calls, where a drill may cut it,
// what was proven there. Plain values; the readers run on the job thread.
#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/workbench/drill.h"

namespace receiptbench {

struct DrillPoint {
    std::int64_t call = 0;  // index on the tape, from 1
    CrashWhen when = CrashWhen::Inside;
    bool operator==(const DrillPoint&) const = default;
};

struct TapeFacts {
    std::string run;
    std::vector<FileCall> tape;
    std::vector<std::int64_t> updates;  // whose checkpoint write a drill can cut; empty: none
    std::int64_t lastUpdate = 0;        // of the ledger: the end of what can be compared
};
// Error(Data) when the run is unreadable, Error(NoCheckpoint) when none of its checkpoints
// verifies.
TapeFacts readTape(const Project& project, const std::string& run);

// The data write, inside: what a drill cuts when nothing is chosen.
DrillPoint defaultPoint(const std::vector<FileCall>& tape);
// Only a write can be cut inside.
bool canBeCut(const FileCall& call, CrashWhen when);
// Why a drill at this point could prove nothing; empty: it can.
QString refusal(const TapeFacts& facts, std::int64_t update, const DrillPoint& point);

QString whenText(CrashWhen when);        // "before", "inside", "after"
QString callText(const FileCall& call);  // "write 948.9 KiB"
QString fileText(const FileCall& call);  // the path, a rename with an arrow
QString pointText(const std::vector<FileCall>& tape, const DrillPoint& point);
// What a power cut right after the call leaves for sure.
QString durableText(const std::vector<FileCall>& tape, const FileCall& call);
// Index of the first such call, 0 when there is none.
std::int64_t firstCall(const std::vector<FileCall>& tape, const std::string& operation);

enum class PointState { CannotBeCut, NotTried, Proven, NotProven };
PointState pointState(const std::vector<DrillResult>& drills, const TapeFacts& facts,
                      std::int64_t update, const DrillPoint& point);

// One update of the continued run beside the same update of the uninterrupted one.
struct ReceiptPair {
    std::int64_t update = 0;
    std::string expected, found;  // receipts; empty: not recorded
    double expectedLoss = 0, foundLoss = 0;
    bool equal() const { return !expected.empty() && expected == found; }
};
struct DrillReceipts {
    std::vector<ReceiptPair> chain;
    std::optional<ReceiptPair> control;  // the deliberately perturbed resume
};
// The drill's folder is looked up below the project, wherever that was when the drill was done.
DrillReceipts readReceipts(const Project& project, const DrillResult& drill);

}  // namespace receiptbench
