// A comparison's figures in words, the same on the page and in what is copied from it.
#pragma once

#include <QString>

#include <functional>
#include <string>
#include <vector>

#include "core/workbench/comparison.h"
#include "ui/theme.h"

namespace receiptbench {

struct ChangeColumn {
    QString title, hint;
    std::function<QString(const ThresholdChange&)> text;
};
const std::vector<ChangeColumn>& changeColumns();

QString outcomeText(const ComparedRun& run);  // "preserved", "not preserved, as it must be"
Meaning outcomeMeaning(const ComparedRun& run);
QString runTitle(const ComparedRun& run);          // "bf16", "wrong (deliberately wrong)"
QString accuracyText(const Metrics& metrics);      // "0.950 (0.930 to 0.965)"
QString differenceText(const Interval& interval);  // "-0.013 to 0.010"
QString ruleStateText(Rule::State state);

// Every run's every row, with all figures in full.
std::string changesCsv(const Comparison& comparison);
std::string changesMarkdown(const Comparison& comparison);

}  // namespace receiptbench
