#include "core/workbench/estimate.h"

#include "core/model/model.h"
#include "core/workbench/blank_source.h"
#include "core/workbench/project.h"

namespace receiptbench {

LabelMap expectedLabels(std::vector<std::string> imported, const FreezeOptions& options) {
    if (options.derive || options.syntheticIdentities > 0) {
        imported.insert(imported.end(), {"readable", "blurred", "cut-off"});
    }
    return LabelMap::fromLabels(imported);
}

Estimate estimatePlan(const ExperimentContract& contract, std::int64_t classes,
                      const PlanOptions& options, Progress& progress, const CancelToken* cancel) {
    auto tried = withLabels(contract, classes);
    validateContract(tried);
    const auto weights = initialWeights(tried.model, classes, tried.seed);
    tried.model.revision = digestOfTensors(weights);
    progress.stage("measuring memory", 0);
    Estimate estimate;
    estimate.suggestedBudget = suggestBudget(tried, classes, options.threads);
    auto within = options;
    if (within.memoryLimit == 0) {
        within.memoryLimit = estimate.suggestedBudget;
    }
    estimate.plan = planRun(tried, weights, BlankSource(tried, classes), within, progress, cancel);
    return estimate;
}

}  // namespace receiptbench
