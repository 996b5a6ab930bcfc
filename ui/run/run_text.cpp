#include "ui/run/run_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace receiptbench {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("receiptbench::RunPage", text);
}
QString plain(const std::string& text) {
    return QString::fromStdString(printable(text));
}
QString small(double value) {
    return std::isnan(value) ? tr("n/a") : QLocale::c().toString(value, 'e', 1);
}

// "2 × 16 + 15" of 16, 16, 15.
QString cutText(const std::vector<std::int64_t>& microbatches) {
    QStringList parts;
    for (std::size_t i = 0; i < microbatches.size();) {
        auto end = i;
        while (end < microbatches.size() && microbatches[end] == microbatches[i]) {
            ++end;
        }
        const auto size = QString::number(static_cast<qlonglong>(microbatches[i]));
        parts << (end - i == 1 ? size : QStringLiteral("%1 × %2").arg(end - i).arg(size));
        i = end;
    }
    return parts.join(QStringLiteral(" + "));
}

// The accepted examples are the first thing that a trick with memory changes.
Sentence acceptedSentence(const RunFacts& facts, std::int64_t wanted) {
    const auto& counts = facts.acceptedPerUpdate;
    if (counts.empty()) {
        return {Meaning::Caution, tr("No update was made")};
    }
    const auto [low, high] = std::minmax_element(counts.begin(), counts.end());
    if (*low == wanted && *high == wanted) {
        return {Meaning::Good,
                tr("%1 accepted examples in each of %2 updates").arg(wanted).arg(counts.size())};
    }
    return {Meaning::Caution, tr("%1 to %2 accepted examples in %3 updates, where the contract "
                                 "says %4")
                                  .arg(*low)
                                  .arg(*high)
                                  .arg(counts.size())
                                  .arg(wanted)};
}

QString accuracyText(const Metrics& metrics) {
    if (!metrics.accuracy) {
        return tr("no accuracy: nothing was predicted");
    }
    return tr("accuracy %1 (95 % interval %2 to %3) on %4 validation photos")
        .arg(numberText(*metrics.accuracy, 3), numberText(metrics.accuracyInterval.low, 3),
             numberText(metrics.accuracyInterval.high, 3))
        .arg(metrics.examples);
}

QString skippedText(const RunFacts& facts) {
    if (facts.skipped == 0) {
        return tr("none skipped");
    }
    return facts.deliberateOverflow ? tr("%1 skipped, by a deliberate overflow").arg(facts.skipped)
                                    : tr("%1 skipped").arg(facts.skipped);
}

Sentence finishedSentence(const RunOverview& run, const LedgerReading& reading) {
    const auto& facts = *reading.facts;
    auto accepted = acceptedSentence(facts, reading.examplesPerUpdate);
    auto peak = tr("peak %1").arg(bytesText(facts.peakBytes));
    if (facts.memoryLimit > 0) {
        peak = tr("peak %1 of %2").arg(bytesText(facts.peakBytes), bytesText(facts.memoryLimit));
    }
    auto text = tr("Finished: %1. %2, %3; %4.")
                    .arg(accuracyText(facts.metrics), accepted.text, skippedText(facts), peak);
    if (facts.wrongNormalisation) {
        return {Meaning::Caution, tr("Deliberately wrong run, never a result. ") + text};
    }
    if (run.description.kind != "run") {
        accepted.meaning = Meaning::Neutral;
    }
    return {accepted.meaning, text};
}

}  // namespace

QString memoryCategoryName(MemoryCategory category) {
    switch (category) {
        case MemoryCategory::Parameters:
            return tr("parameters");
        case MemoryCategory::Gradients:
            return tr("gradients");
        case MemoryCategory::Optimizer:
            return tr("optimizer");
        case MemoryCategory::Inputs:
            return tr("inputs");
        case MemoryCategory::Activations:
            return tr("activations");
        case MemoryCategory::Other:
            break;
    }
    return tr("other");
}

QString planText(const RunPlan& plan, std::int64_t memoryLimit) {
    return tr("%1 · microbatch %2, %3 · %4 threads · %5")
        .arg(plain(toString(plan.precision)))
        .arg(plan.microbatch)
        .arg(plain(toString(plan.memoryFormat)))
        .arg(plan.threads)
        .arg(memoryLimit > 0 ? tr("budget %1").arg(bytesText(memoryLimit)) : tr("no budget"));
}

Sentence checkSentence(const std::optional<GradientCheckResult>& check, bool wrong) {
    if (!check || check->layers.empty()) {
        return {Meaning::Neutral, tr("No gradient check yet")};
    }
    const auto& worst = check->worst();
    const auto words =
        tr("Gradient check: %1 examples as %2 against the full batch, worst layer off by %3 of "
           "%4 allowed; the wrong mean of means is off by %5")
            .arg(check->examples)
            .arg(cutText(check->microbatches), small(worst.relativeL2), small(check->tolerance),
                 small(check->wrongRelativeL2));
    if (wrong && !check->accumulatedPasses()) {
        return {Meaning::Good, tr("%1. It fails, as it must.").arg(words)};
    }
    if (!check->accumulatedPasses()) {
        return {Meaning::Bad, tr("%1. It fails at %2.").arg(words, plain(worst.parameter))};
    }
    if (!check->wrongIsCaught()) {
        return {Meaning::Caution, tr("%1, which this check cannot tell apart.").arg(words)};
    }
    return {Meaning::Good, words + QStringLiteral(".")};
}

Sentence endSentence(const RunOverview& run, const LedgerReading& reading) {
    const auto at = reading.updatesPlanned > 0
                        ? tr("update %1 of %2").arg(run.updates).arg(reading.updatesPlanned)
                        : tr("update %1").arg(run.updates);
    switch (run.state) {
        case RunState::Running:
            return {Meaning::Neutral,
                    tr("Another program is training this run, now at %1.").arg(at)};
        case RunState::Finished:
            return reading.facts ? finishedSentence(run, reading)
                                 : Sentence{Meaning::Neutral, tr("Finished at %1.").arg(at)};
        case RunState::Stopped:
            return {Meaning::Neutral, tr("Stopped at %1. Resume continues from its checkpoint, as "
                                         "if it had never stopped.")
                                          .arg(at)};
        case RunState::Interrupted:
            return {Meaning::Caution, tr("Interrupted at %1 without a word, by a crash or a kill. "
                                         "Resume continues from the last complete checkpoint.")
                                          .arg(at)};
        case RunState::Failed:
            break;
    }
    if (run.problem.empty()) {
        return {Meaning::Bad, tr("Failed at %1; the Log says why. Resume continues from the last "
                                 "complete checkpoint.")
                                  .arg(at)};
    }
    return {Meaning::Bad, tr("It cannot be read as a run: %1.").arg(plain(run.problem))};
}

}  // namespace receiptbench
