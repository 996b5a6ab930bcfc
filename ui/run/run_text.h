// The Run page's sentences.
#pragma once

#include <QString>

#include "ui/run/run_records.h"
#include "ui/theme.h"

namespace receiptbench {

struct Sentence {
    Meaning meaning = Meaning::Neutral;
    QString text;
};

QString memoryCategoryName(MemoryCategory category);
// "fp32 · microbatch 16, channels-last · 2 threads · budget 33.0 MiB"
QString planText(const RunPlan& plan, std::int64_t memoryLimit);
// wrong: the deliberately wrong run, whose own gradient must fail.
Sentence checkSentence(const std::optional<GradientCheckResult>& check, bool wrong = false);
// How a run that is no longer running ended, and what that means.
Sentence endSentence(const RunOverview& run, const LedgerReading& reading);

}  // namespace receiptbench
