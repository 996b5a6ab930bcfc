#include "ui/recovery/tape_facts.h"

#include <algorithm>
#include <map>

#include "core/runs/run_directory.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

using Ledger = std::map<std::int64_t, UpdateRecord>;

Ledger ledgerOf(const Project& project, const std::string& folder) {
    Ledger ledger;
    for (auto& record : readHistory(project.files(), folder).updates) {
        const auto update = record.update;
        ledger.emplace(update, std::move(record));
    }
    return ledger;
}

ReceiptPair pairOf(const Ledger& expected, const Ledger& found, std::int64_t update) {
    ReceiptPair pair;
    pair.update = update;
    if (const auto at = expected.find(update); at != expected.end()) {
        pair.expected = at->second.receipt;
        pair.expectedLoss = at->second.loss;
    }
    if (const auto at = found.find(update); at != found.end()) {
        pair.found = at->second.receipt;
        pair.foundLoss = at->second.loss;
    }
    return pair;
}

std::uint64_t bytesUpTo(const std::vector<FileCall>& tape, std::int64_t index) {
    std::uint64_t sum = 0;
    for (const auto& call : tape) {
        sum += call.operation == "write" && call.index <= index ? call.bytes : 0;
    }
    return sum;
}

QString sizeText(std::uint64_t bytes) {
    return bytesText(static_cast<std::int64_t>(bytes));
}

}  // namespace

TapeFacts readTape(const Project& project, const std::string& run) {
    TapeFacts facts;
    facts.run = run;
    facts.tape = callTape(project, run);
    const auto folder = project.paths().run(run);
    const auto kept = listCheckpoints(project.files(), joinPath(folder, "checkpoints"));
    const auto ledger = ledgerOf(project, folder);
    if (kept.empty() || ledger.empty()) {
        return facts;
    }
    facts.lastUpdate = ledger.rbegin()->first;
    const auto contract = project.contract().contract;
    const auto oldest = kept.back().step;  // newest first
    for (auto update = oldest + 1; update <= std::min(facts.lastUpdate, contract.updates);
         ++update) {
        if (update % contract.checkpointInterval == 0 || update == contract.updates) {
            facts.updates.push_back(update);
        }
    }
    return facts;
}

DrillPoint defaultPoint(const std::vector<FileCall>& tape) {
    const auto largest =
        std::max_element(tape.begin(), tape.end(),
                         [](const FileCall& a, const FileCall& b) { return a.bytes < b.bytes; });
    return largest == tape.end() ? DrillPoint{} : DrillPoint{largest->index, CrashWhen::Inside};
}

bool canBeCut(const FileCall& call, CrashWhen when) {
    return when != CrashWhen::Inside || call.operation == "write";
}

QString refusal(const TapeFacts& facts, std::int64_t update, const DrillPoint& point) {
    if (facts.updates.empty()) {
        return QStringLiteral(
            "This run keeps no checkpoint with recorded updates after it. Choose a run with at "
            "least two checkpoints.");
    }
    const auto published = firstCall(facts.tape, "rename");
    const bool newOneStands =
        published > 0 &&
        (point.call > published || (point.call == published && point.when == CrashWhen::After));
    if (update >= facts.lastUpdate && newOneStands) {
        return QStringLiteral(
                   "After this point the checkpoint of update %1 stands, and the run ended there: "
                   "nothing is left to compare. Choose an earlier update or an earlier call.")
            .arg(update);
    }
    return {};
}

QString whenText(CrashWhen when) {
    return text(toString(when));
}

QString callText(const FileCall& call) {
    return call.bytes > 0 ? text(call.operation) + u' ' + sizeText(call.bytes)
                          : text(call.operation);
}

QString fileText(const FileCall& call) {
    if (call.path == ".") {
        return QStringLiteral("the checkpoint folder");
    }
    return text(call.path).replace(QStringLiteral(" -> "), QStringLiteral(" → "));
}

QString pointText(const std::vector<FileCall>& tape, const DrillPoint& point) {
    const auto at = static_cast<std::size_t>(point.call - 1);
    return point.call < 1 || at >= tape.size() ? QStringLiteral("no call chosen")
                                               : QStringLiteral("%1 call %2 (%3)")
                                                     .arg(whenText(point.when))
                                                     .arg(point.call)
                                                     .arg(callText(tape[at]));
}

QString durableText(const std::vector<FileCall>& tape, const FileCall& call) {
    const auto sync = firstCall(tape, "sync"), rename = firstCall(tape, "rename"),
               folder = firstCall(tape, "sync-directory");
    if (folder > 0 && call.index >= folder) {
        return QStringLiteral("the new checkpoint, name and bytes");
    }
    if (rename > 0 && call.index >= rename) {
        return QStringLiteral("its bytes; the new name only once the folder is synced");
    }
    if (sync > 0 && call.index >= sync) {
        return QStringLiteral("%1 of bytes, still under the temporary name")
            .arg(sizeText(bytesUpTo(tape, call.index)));
    }
    const auto written = bytesUpTo(tape, call.index);
    return written == 0 ? QStringLiteral("the previous checkpoint only")
                        : QStringLiteral("the previous checkpoint only; %1 wait in memory")
                              .arg(sizeText(written));
}

std::int64_t firstCall(const std::vector<FileCall>& tape, const std::string& operation) {
    const auto at = std::find_if(tape.begin(), tape.end(),
                                 [&](const FileCall& call) { return call.operation == operation; });
    return at == tape.end() ? 0 : at->index;
}

PointState pointState(const std::vector<DrillResult>& drills, const TapeFacts& facts,
                      std::int64_t update, const DrillPoint& point) {
    const auto at = static_cast<std::size_t>(point.call - 1);
    if (at >= facts.tape.size() || !canBeCut(facts.tape[at], point.when)) {
        return PointState::CannotBeCut;
    }
    auto state = PointState::NotTried;
    for (const auto& drill : drills) {
        if (drill.run == facts.run && drill.crashedAtUpdate == update &&
            drill.crashedAtCall == point.call && drill.when == point.when) {
            if (!drill.proven) {
                return PointState::NotProven;  // one failure is not outweighed by a later success
            }
            state = PointState::Proven;
        }
    }
    return state;
}

DrillReceipts readReceipts(const Project& project, const DrillResult& drill) {
    const auto folder = joinPath(project.paths().drills(), baseName(drill.folder));
    const auto expected = ledgerOf(project, project.paths().run(drill.run));
    const auto found = ledgerOf(project, joinPath(folder, "run"));
    DrillReceipts receipts;
    const auto first = drill.resumedAtUpdate + 1;
    for (auto update = first; update < first + drill.comparedUpdates; ++update) {
        receipts.chain.push_back(pairOf(expected, found, update));
    }
    const auto control = joinPath(folder, "control");
    if (project.files().exists(control)) {
        receipts.control = pairOf(expected, ledgerOf(project, control), first);
    }
    return receipts;
}

}  // namespace receiptbench
