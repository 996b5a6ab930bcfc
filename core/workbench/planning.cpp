// Plan and check: what is tried on a copied model before a run.
#include <nlohmann/json.hpp>

#include "core/workbench/project.h"

namespace receiptbench {

PlanResult planProject(const Project& project, const PlanOptions& options, Progress& progress,
                       const CancelToken* cancel) {
    const auto loaded = project.contract();
    const auto source = project.trainSource();
    auto result =
        planRun(loaded.contract, project.initialWeights(), *source, options, progress, cancel);
    const auto path = project.paths().plan(toString(options.precision));
    project.files().makeDirectories(parentPath(path));
    nlohmann::json content = result;
    content["threads"] = options.threads;
    writeAtomically(project.files(), path, content.dump(1) + "\n");
    return result;
}

std::optional<PlanResult> storedPlan(const Project& project, Precision precision) {
    const auto path = project.paths().plan(toString(precision));
    if (!project.files().exists(path)) {
        return std::nullopt;
    }
    try {
        return nlohmann::json::parse(readText(project.files(), path)).get<PlanResult>();
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorCode::Data, path + " is damaged: " + error.what(),
                    "run receiptbench plan again");
    }
}

GradientCheckResult checkProject(const Project& project, const RunPlan& plan,
                                 std::int64_t memoryLimit) {
    const auto source = project.trainSource();
    return checkGradients(project.contract().contract, project.initialWeights(), *source, plan,
                          memoryLimit);
}

}  // namespace receiptbench
