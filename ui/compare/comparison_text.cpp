#include "ui/compare/comparison_text.h"

#include <QCoreApplication>

#include "core/base/text.h"

namespace receiptbench {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("receiptbench::ComparePage", text);
}
QString plain(const std::string& text) {
    return QString::fromStdString(printable(text));
}
QString whole(std::int64_t value) {
    return QString::number(static_cast<qlonglong>(value));
}
QString figure(const std::optional<double>& value, int digits) {
    return value ? numberText(*value, digits) : tr("n/a");
}
std::string full(const std::optional<double>& value) {
    return value ? formatDouble(*value) : std::string();
}

QString shareText(const ThresholdChange& change) {
    if (!change.changedShare || change.examples == 0) {
        return tr("n/a");
    }
    const double share = 100.0 *
                         static_cast<double>(change.acceptToReject + change.rejectToAccept) /
                         static_cast<double>(change.examples);
    return tr("%1 % (%2 to %3)")
        .arg(numberText(share, 1), numberText(100 * change.changedShare->low, 1),
             numberText(100 * change.changedShare->high, 1));
}

QString probabilityText(const ThresholdChange& change) {
    if (!change.mcnemarP) {
        return tr("n/a");
    }
    // "all" belongs to no family of tests.
    return change.holmP ? tr("%1 (Holm %2)")
                              .arg(numberText(*change.mcnemarP, 3), numberText(*change.holmP, 3))
                        : numberText(*change.mcnemarP, 3);
}

const std::vector<std::string> kCsvColumns{"run",
                                           "precision",
                                           "outcome",
                                           "class",
                                           "examples",
                                           "acceptToReject",
                                           "rejectToAccept",
                                           "nearThreshold",
                                           "argmaxChanges",
                                           "invalid",
                                           "largestChange",
                                           "meanChange",
                                           "changedShareLow",
                                           "changedShareHigh",
                                           "mcnemarP",
                                           "holmP",
                                           "words"};

std::vector<std::string> csvRow(const ComparedRun& run, const ThresholdChange& change) {
    const auto& share = change.changedShare;
    return {run.facts.name,
            run.facts.precision,
            toString(run.verdict.outcome),
            change.label,
            std::to_string(change.examples),
            std::to_string(change.acceptToReject),
            std::to_string(change.rejectToAccept),
            std::to_string(change.nearThreshold),
            std::to_string(change.argmaxChanges),
            std::to_string(change.invalid),
            full(change.largestChange),
            full(change.meanChange),
            share ? formatDouble(share->low) : std::string(),
            share ? formatDouble(share->high) : std::string(),
            full(change.mcnemarP),
            full(change.holmP),
            change.words};
}

std::string joined(const std::vector<std::string>& cells) {
    std::string line;
    for (const auto& cell : cells) {
        line += (line.empty() ? "" : ",") + csvCell(cell);
    }
    return line + "\r\n";
}

// A bar would begin another cell.
std::string markdownCell(const QString& text) {
    return QString(text).replace(u'|', QStringLiteral("\\|")).toStdString();
}

}  // namespace

const std::vector<ChangeColumn>& changeColumns() {
    static const std::vector<ChangeColumn> columns{
        {tr("accept → reject"), tr("Accepted by the baseline, rejected by this run"),
         [](const ThresholdChange& change) { return whole(change.acceptToReject); }},
        {tr("reject → accept"), tr("Rejected by the baseline, accepted by this run"),
         [](const ThresholdChange& change) { return whole(change.rejectToAccept); }},
        {tr("baseline near"),
         tr("Photos that the baseline scores within the contract's band "
            "around the threshold"),
         [](const ThresholdChange& change) { return whole(change.nearThreshold); }},
        {tr("largest change"), tr("Of the accept label's probability"),
         [](const ThresholdChange& change) { return figure(change.largestChange, 4); }},
        {tr("mean change"), tr("Of the accept label's probability, without its sign"),
         [](const ThresholdChange& change) { return figure(change.meanChange, 4); }},
        {tr("changed (95 %)"), tr("Share of photos whose decision changed, with its interval"),
         [](const ThresholdChange& change) { return shareText(change); }},
        {tr("p"), tr("Exact McNemar test; Holm's correction over the classes"),
         [](const ThresholdChange& change) { return probabilityText(change); }},
        {tr("in words"), tr("What these figures allow to say"),
         [](const ThresholdChange& change) { return plain(change.words); }}};
    return columns;
}

QString outcomeText(const ComparedRun& run) {
    const auto outcome = plain(toString(run.verdict.outcome));
    return isExpected(run) ? tr("%1, as it must be").arg(outcome) : outcome;
}

Meaning outcomeMeaning(const ComparedRun& run) {
    if (isExpected(run)) {
        return Meaning::Good;
    }
    switch (run.verdict.outcome) {
        case Outcome::Preserved:
            // The deliberately wrong run must be caught.
            return run.facts.wrongNormalisation ? Meaning::Bad : Meaning::Good;
        case Outcome::NotPreserved:
            return Meaning::Bad;
        case Outcome::NotComparable:
            break;
    }
    return Meaning::Caution;
}

QString runTitle(const ComparedRun& run) {
    const auto name = plain(run.facts.name);
    if (run.facts.wrongNormalisation) {
        return tr("%1 (deliberately wrong)").arg(name);
    }
    return run.kind == "run" ? name : QStringLiteral("%1 (%2)").arg(name, plain(run.kind));
}

QString accuracyText(const Metrics& metrics) {
    return metrics.accuracy ? tr("%1 (%2 to %3)")
                                  .arg(numberText(*metrics.accuracy, 3),
                                       numberText(metrics.accuracyInterval.low, 3),
                                       numberText(metrics.accuracyInterval.high, 3))
                            : tr("n/a");
}

QString differenceText(const Interval& interval) {
    return tr("%1 to %2").arg(numberText(interval.low, 3), numberText(interval.high, 3));
}

QString ruleStateText(Rule::State state) {
    return state == Rule::State::Passed   ? tr("passed")
           : state == Rule::State::Failed ? tr("failed")
                                          : tr("not judged");
}

std::string changesCsv(const Comparison& comparison) {
    auto text = joined(kCsvColumns);
    for (const auto& run : comparison.runs) {
        for (const auto& change : run.changes) {
            text += joined(csvRow(run, change));
        }
    }
    return text;
}

std::string changesMarkdown(const Comparison& comparison) {
    std::string head = "| run | class | images |", rule = "|---|---|---:|";
    for (const auto& column : changeColumns()) {
        head += " " + markdownCell(column.title) + " |";
        rule += &column == &changeColumns().back() ? "---|" : "---:|";
    }
    auto text = head + "\n" + rule + "\n";
    for (const auto& run : comparison.runs) {
        for (const auto& change : run.changes) {
            text += "| " + markdownCell(runTitle(run)) + " | " + markdownCell(plain(change.label)) +
                    " | " + std::to_string(change.examples) + " |";
            for (const auto& column : changeColumns()) {
                text += " " + markdownCell(column.text(change)) + " |";
            }
            text += "\n";
        }
    }
    return text;
}

}  // namespace receiptbench
