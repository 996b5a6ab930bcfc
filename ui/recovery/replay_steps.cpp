#include "ui/recovery/replay_steps.h"

#include <algorithm>

#include "core/base/text.h"

namespace receiptbench {
namespace {

constexpr int kReceiptShown = 16;  // of 64 hexadecimal digits

QString text(const std::string& words) {
    return QString::fromStdString(printable(words));
}

QString sizeText(std::uint64_t bytes) {
    return bytesText(static_cast<std::int64_t>(bytes));
}

bool isTemporary(const std::string& name) {
    return name.ends_with(".tmp");
}

const DirectoryEntry* find(const std::vector<DirectoryEntry>& entries, const std::string& name) {
    const auto at = std::find_if(entries.begin(), entries.end(),
                                 [&](const DirectoryEntry& entry) { return entry.name == name; });
    return at == entries.end() ? nullptr : &*at;
}

std::uint64_t bytesOfWrite(const DrillResult& drill) {
    std::uint64_t sum = 0;
    for (const auto& call : drill.tape) {
        sum += call.operation == "write" ? call.bytes : 0;
    }
    return sum;
}

ReplayStep before(const DrillResult& drill) {
    ReplayStep step;
    step.name = QStringLiteral("Before");
    step.head = QStringLiteral("A copy of run %1, as it was before update %2's checkpoint")
                    .arg(text(drill.run))
                    .arg(drill.crashedAtUpdate);
    step.text = QStringLiteral(
        "The drill acts on a copy: the run itself is never touched. The copy's checkpoint folder "
        "holds one sealed checkpoint to fall back on.");
    for (const auto& entry : drill.before) {
        step.files.push_back(
            {text(entry.name), entry.size, QStringLiteral("complete"), Meaning::Good, false});
    }
    return step;
}

StepCell fateOf(const DrillResult& drill, const FileCall& call) {
    const auto dead = drill.crashedAtCall;
    if (call.index < dead) {
        return {QStringLiteral("done"), Meaning::Good};
    }
    if (call.index > dead) {
        return {QStringLiteral("never reached"), Meaning::Neutral};
    }
    switch (drill.when) {
        case CrashWhen::Before:
            return {QStringLiteral("died before this call"), Meaning::Bad};
        case CrashWhen::Inside:
            return {QStringLiteral("died inside this call"), Meaning::Bad};
        case CrashWhen::After:
            return {QStringLiteral("done, then died"), Meaning::Bad};
    }
    return {};
}

ReplayStep death(const DrillResult& drill) {
    ReplayStep step;
    step.name = QStringLiteral("Death");
    step.meaning = Meaning::Bad;
    step.head = drill.childSignal != 0
                    ? QStringLiteral("Signal %1 killed the child %2")
                          .arg(drill.childSignal)
                          .arg(pointText(drill.tape, {drill.crashedAtCall, drill.when}))
                    : QStringLiteral("The child ended with exit code %1").arg(drill.childExit);
    step.text = QStringLiteral(
                    "A real process trained the copy up to update %1 and died while it wrote that "
                    "checkpoint. No handler ran, nothing was flushed.")
                    .arg(drill.crashedAtUpdate);
    step.columns = {QStringLiteral("#"), QStringLiteral("Call"), QStringLiteral("File"),
                    QStringLiteral("What happened")};
    for (const auto& call : drill.tape) {
        step.rows.push_back({{QString::number(call.index), {}},
                             {callText(call), {}},
                             {fileText(call), {}},
                             fateOf(drill, call)});
    }
    return step;
}

FileCard cardAfterCrash(const DrillResult& drill, const DirectoryEntry& entry) {
    FileCard card{text(entry.name), entry.size, {}, Meaning::Good, false};
    const auto whole = bytesOfWrite(drill);
    if (isTemporary(entry.name)) {
        const bool torn = entry.size < whole;
        card.meaning = torn ? Meaning::Bad : Meaning::Caution;
        card.word =
            torn ? QStringLiteral("torn: %1 of about %2").arg(sizeText(entry.size), sizeText(whole))
                 : QStringLiteral("all bytes, but never published");
    } else {
        card.word = find(drill.before, entry.name) != nullptr ? QStringLiteral("untouched")
                                                              : QStringLiteral("published");
    }
    return card;
}

ReplayStep afterCrash(const DrillResult& drill) {
    ReplayStep step;
    step.name = QStringLiteral("After the crash");
    step.meaning = Meaning::Caution;
    const auto torn =
        std::count_if(drill.afterCrash.begin(), drill.afterCrash.end(),
                      [](const DirectoryEntry& entry) { return isTemporary(entry.name); });
    step.head = torn > 0 ? QStringLiteral("An unfinished temporary lies beside the checkpoint")
                         : QStringLiteral("The folder holds no unfinished file");
    step.text = QStringLiteral(
        "What the dead process left behind. A final name is given only to a complete file, so that "
        "an earlier checkpoint is never harmed.");
    for (const auto& entry : drill.afterCrash) {
        step.files.push_back(cardAfterCrash(drill, entry));
    }
    return step;
}

FileCard cardAfterRecovery(const DrillResult& drill, const DirectoryEntry& entry) {
    FileCard card{text(entry.name), entry.size, QStringLiteral("kept"), Meaning::Neutral, false};
    if (entry.name == drill.chosen) {
        card.word = QStringLiteral("chosen: seal and contents verify");
        card.meaning = Meaning::Good;
    }
    for (const auto& rejected : drill.rejected) {
        if (rejected.file == entry.name) {
            card.word = QStringLiteral("rejected: %1").arg(text(rejected.reason));
            card.meaning = Meaning::Bad;
        }
    }
    const auto& removed = drill.removedTemporaries;
    if (find(drill.afterRecovery, entry.name) == nullptr ||
        std::find(removed.begin(), removed.end(), entry.name) != removed.end()) {
        card.word = QStringLiteral("removed: an orphan of the crash");
        card.gone = true;
    }
    return card;
}

ReplayStep recovery(const DrillResult& drill) {
    ReplayStep step;
    step.name = QStringLiteral("Recovery");
    step.meaning = drill.chosen.empty() ? Meaning::Bad : Meaning::Good;
    step.head = drill.chosen.empty() ? QStringLiteral("Recovery found no valid checkpoint")
                                     : QStringLiteral("Recovery chose the checkpoint of update %1")
                                           .arg(drill.resumedAtUpdate);
    step.text =
        QStringLiteral(
            "Newest first, the first whose seal verifies. %1 rejected, %2 removed. Temporaries go "
            "only after a valid checkpoint was found.")
            .arg(drill.rejected.empty() ? QStringLiteral("None")
                                        : QString::number(drill.rejected.size()))
            .arg(drill.removedTemporaries.empty()
                     ? QStringLiteral("no temporary")
                     : QStringLiteral("%1 temporary").arg(drill.removedTemporaries.size()));
    for (const auto& entry : drill.afterCrash) {
        step.files.push_back(cardAfterRecovery(drill, entry));
    }
    return step;
}

StepCell equality(bool equal) {
    return {equal ? QStringLiteral("equal") : QStringLiteral("different"),
            equal ? Meaning::Good : Meaning::Bad};
}

QString shortReceipt(const std::string& receipt) {
    return receipt.empty() ? QStringLiteral("not recorded") : text(receipt).left(kReceiptShown);
}

std::vector<StepCell> receiptRow(const ReceiptPair& pair, const StepCell& result) {
    return {{QString::number(pair.update), {}},
            {shortReceipt(pair.expected), {}},
            {shortReceipt(pair.found), {}},
            {QString::fromStdString(formatDouble(pair.expectedLoss)), {}},
            {QString::fromStdString(formatDouble(pair.foundLoss)), {}},
            result};
}

QStringList receiptColumns(const QString& found) {
    return {
        QStringLiteral("Update"),   QStringLiteral("Uninterrupted"), found,
        QStringLiteral("Its loss"), QStringLiteral("Loss here"),     QStringLiteral("Receipts")};
}

ReplayStep receiptsStep(const DrillResult& drill, const DrillReceipts* receipts) {
    ReplayStep step;
    step.name = QStringLiteral("Receipts");
    step.meaning = drill.comparedUpdates > 0 && drill.equalUpdates == drill.comparedUpdates
                       ? Meaning::Good
                   : drill.notBitExact.empty() ? Meaning::Bad
                                               : Meaning::Caution;
    step.head = QStringLiteral("Resumed at update %1: %2 of %3 receipts equal")
                    .arg(drill.resumedAtUpdate)
                    .arg(drill.equalUpdates)
                    .arg(drill.comparedUpdates);
    step.text = QStringLiteral(
        "Each update's receipt is a digest over its loss, weights and all state before it. Equal "
        "receipts mean: bit for bit the same training.");
    if (!drill.notBitExact.empty()) {
        step.text = QStringLiteral(
                        "Resumed with another plan, so not bit-exact (%1). Largest relative "
                        "difference of the loss %2, tolerance %3.")
                        .arg(text(drill.notBitExact),
                             QString::fromStdString(formatDouble(drill.measuredDifference)),
                             QString::fromStdString(formatDouble(drill.tolerance)));
    }
    step.columns = receiptColumns(QStringLiteral("Continued"));
    if (receipts != nullptr) {
        for (const auto& pair : receipts->chain) {
            step.rows.push_back(receiptRow(pair, equality(pair.equal())));
        }
    }
    return step;
}

ReplayStep control(const DrillResult& drill, const DrillReceipts* receipts) {
    ReplayStep step;
    step.name = QStringLiteral("Negative control");
    step.meaning = drill.negativeControlDiffers ? Meaning::Good : Meaning::Bad;
    step.head = drill.negativeControlDiffers
                    ? QStringLiteral("One field perturbed: the receipt differs, as it must")
                    : QStringLiteral("One field perturbed, and the receipt does NOT differ");
    step.text = QStringLiteral(
                    "Were the receipts blind, equality would prove nothing. So the same checkpoint "
                    "was resumed with one value wrong: %1.")
                    .arg(text(drill.negativeControl));
    step.columns = receiptColumns(QStringLiteral("Perturbed"));
    if (receipts != nullptr && receipts->control) {
        const bool equal = receipts->control->equal();
        step.rows.push_back(receiptRow(
            *receipts->control,
            {equal ? QStringLiteral("equal: blind") : QStringLiteral("different, as it must be"),
             equal ? Meaning::Bad : Meaning::Good}));
    }
    return step;
}

std::vector<StepCell> checkRow(const QString& name, bool passed, const QString& figures) {
    return {{passed ? QStringLiteral("yes") : QStringLiteral("no"),
             passed ? Meaning::Good : Meaning::Bad},
            {name, {}},
            {figures, {}}};
}

ReplayStep verdict(const DrillResult& drill) {
    ReplayStep step;
    step.name = QStringLiteral("Verdict");
    step.meaning = drill.proven ? Meaning::Good : Meaning::Bad;
    step.head = drillVerdict(drill);
    step.text = drill.proven
                    ? QStringLiteral(
                          "The continuation cannot be told from a run that was never interrupted.")
                    : QStringLiteral(
                          "At least one condition does not hold: do not rely on resuming this run "
                          "before it is understood.");
    step.columns = {QStringLiteral("Holds"), QStringLiteral("Condition"),
                    QStringLiteral("Figures")};
    step.rows = {
        checkRow(QStringLiteral("The child really died"), drill.childSignal != 0,
                 QStringLiteral("signal %1").arg(drill.childSignal)),
        checkRow(QStringLiteral("A valid checkpoint was found"), !drill.chosen.empty(),
                 text(drill.chosen)),
        checkRow(QStringLiteral("The first resumed update is equal"),
                 drill.firstUpdateEqual || !drill.notBitExact.empty(),
                 QStringLiteral("update %1").arg(drill.resumedAtUpdate + 1)),
        checkRow(drill.notBitExact.empty() ? QStringLiteral("All compared receipts are equal")
                                           : QStringLiteral("Losses agree within the tolerance"),
                 drill.notBitExact.empty()
                     ? drill.comparedUpdates > 0 && drill.equalUpdates == drill.comparedUpdates
                     : drill.measuredDifference <= drill.tolerance,
                 drillFigures(drill)),
        checkRow(QStringLiteral("The negative control differs"), drill.negativeControlDiffers,
                 text(drill.negativeControl).section(u':', 0, 0))};
    return step;
}

}  // namespace

std::vector<ReplayStep> replaySteps(const DrillResult& drill, const DrillReceipts* receipts) {
    return {before(drill),
            death(drill),
            afterCrash(drill),
            recovery(drill),
            receiptsStep(drill, receipts),
            control(drill, receipts),
            verdict(drill)};
}

QString drillName(const DrillResult& drill) {
    return text(baseName(drill.folder));
}

QString drillTitle(const DrillResult& drill) {
    return QStringLiteral("%1, update %2, %3 call %4")
        .arg(text(drill.run))
        .arg(drill.crashedAtUpdate)
        .arg(whenText(drill.when))
        .arg(drill.crashedAtCall);
}

QString drillVerdict(const DrillResult& drill) {
    return drill.proven ? QStringLiteral("Recovery proven") : QStringLiteral("Recovery not proven");
}

QString drillFigures(const DrillResult& drill) {
    return drill.notBitExact.empty()
               ? QStringLiteral("%1 of %2 receipts equal")
                     .arg(drill.equalUpdates)
                     .arg(drill.comparedUpdates)
               : QStringLiteral("largest difference %1, tolerance %2")
                     .arg(QString::fromStdString(formatDouble(drill.measuredDifference)),
                          QString::fromStdString(formatDouble(drill.tolerance)));
}

}  // namespace receiptbench
