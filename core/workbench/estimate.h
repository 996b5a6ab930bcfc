// What a contract would need before it is frozen: the planner on grey pictures and fresh weights.
// Nothing is stored.
#pragma once

#include "core/base/cancel.h"
#include "core/base/progress.h"
#include "core/data/freeze.h"
#include "core/train/planner.h"

namespace receiptbench {

struct Estimate {
    PlanResult plan;
    std::int64_t suggestedBudget = 0;  // bytes; see suggestBudget
};

// The classes that freezing would give: those imported (in any order, repeated or not), and what is
// derived or drawn.
LabelMap expectedLabels(std::vector<std::string> imported, const FreezeOptions& options);

// options.memoryLimit 0: planned within the suggested budget. The contract's height and width
// count; its labels may still be empty, then so many classes stand for them. Errors as planRun's
// and validateContract's.
Estimate estimatePlan(const ExperimentContract& contract, std::int64_t classes,
                      const PlanOptions& options, Progress& progress = Progress::none(),
                      const CancelToken* cancel = nullptr);

}  // namespace receiptbench
