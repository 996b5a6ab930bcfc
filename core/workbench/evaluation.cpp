// From weights to stored predictions and metrics.
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/workbench/run_checkpoint.h"
#include "core/workbench/run_session.h"

namespace receiptbench {
namespace {

std::vector<std::int64_t> labelsOf(const BatchSource& source) {
    std::vector<std::int64_t> labels;
    for (std::int64_t id = 0; id < source.size(); ++id) {
        labels.push_back(source.label(id));
    }
    return labels;
}

}  // namespace

Metrics metricsOf(const StoredPredictions& predictions, const ExperimentContract& contract) {
    return computeMetrics(fromLogits(predictions.logits, predictions.labels, predictions.classes),
                          contract.labels.index(contract.acceptLabel).value());
}

Metrics validate(const Project& project, const std::string& folder, Trainer& trainer,
                 Precision precision) {
    const auto contract = project.contract().contract;
    const auto source = project.validationSource();
    StoredPredictions predictions;
    predictions.logits = trainer.predict(*source, precision);
    predictions.labels = labelsOf(*source);
    predictions.classes = contract.labels.size();
    predictions.validationDigest = project.validationDigest();
    predictions.precision = toString(precision);
    predictions.weightsDigest = digestOfTensors(trainer.weights());
    savePredictions(project.files(), folder, predictions);
    return metricsOf(predictions, contract);
}

Evaluation evaluateRun(const Project& project, const std::string& run) {
    auto& files = project.files();
    const auto folder = project.paths().run(run);
    const auto description = loadRun(files, folder);
    const auto loaded = project.contract();
    const auto lock = lockRun(files, folder);
    demandContract(description, loaded);
    const auto recovery = resultCheckpoint(files, folder, description);
    const auto source = project.trainSource();
    TrainerOptions options;
    options.plan = recovery.state.values.plan;
    options.memoryLimit = description.memoryLimit;
    Trainer trainer(loaded.contract, project.initialWeights(), *source, options);
    trainer.restore(recovery.state);
    return {validate(project, folder, trainer, options.plan.precision),
            fileName(recovery.chosen->name), recovery.state.values.attempted};
}

StoredPredictions predictionsOf(const Project& project, const std::string& run) {
    auto stored = loadPredictions(project.files(), project.paths().run(run));
    if (!stored) {
        throw Error(ErrorCode::Data, "run " + printable(run) + " has no predictions",
                    "finish it, or run receiptbench evaluate " + printable(run));
    }
    return *stored;
}

std::string baselineRun(const Project& project) {
    const auto loaded = project.contract();
    for (const auto& run : listRuns(project.files(), project.paths().root)) {
        const auto& description = run.description;
        if (run.state == RunState::Finished && description.kind == "run" &&
            description.plan.precision == Precision::Fp32 &&
            description.contractHash == loaded.hash && description.startedFromWeights.empty() &&
            run.updates >= loaded.contract.updates) {
            return description.name;
        }
    }
    return {};
}

}  // namespace receiptbench
