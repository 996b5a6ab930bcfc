#include "core/workbench/training.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/workbench/run_session.h"

namespace receiptbench {
namespace {

using nlohmann::json;

std::int64_t limitOf(const Project& project, const TrainRequest& request) {
    return request.memoryLimit.value_or(project.contract().environment.memoryLimit);
}

// The deliberately wrong normalisation only shows where the update is cut unevenly: one microbatch,
// or equal ones, would give the right gradient.
std::int64_t unevenMicrobatch(std::int64_t examples, std::int64_t wanted) {
    for (auto microbatch = std::min(wanted, examples - 1); microbatch >= 2; --microbatch) {
        if (examples % microbatch != 0) {
            return microbatch;
        }
    }
    throw Error(ErrorCode::OverBudget,
                fmt::format("the wrong run needs a short last microbatch, which {} examples at "
                            "microbatch {} do not have",
                            examples, wanted),
                "raise the budget so that 2 examples fit");
}

bool stillFits(const PlanResult& plan, std::int64_t limit, int threads) {
    return plan.memoryLimit == limit && plan.chosen && plan.chosen->threads == threads;
}

PlanOptions planOptions(const TrainRequest& request, std::int64_t limit) {
    PlanOptions options;
    options.precision = request.precision;
    options.memoryLimit = limit;
    options.microbatch = request.microbatch;
    options.memoryFormat = request.memoryFormat;
    options.threads = request.threads;
    return options;
}

RunPlan chosenPlan(const Project& project, const TrainRequest& request, Progress& progress,
                   const CancelToken* cancel) {
    const auto limit = limitOf(project, request);
    const bool fixed = request.microbatch || request.memoryFormat;
    if (request.microbatch && request.memoryFormat) {
        return {request.precision, *request.microbatch, *request.memoryFormat, request.threads};
    }
    if (const auto stored = storedPlan(project, request.precision);
        !fixed && stored && stillFits(*stored, limit, request.threads)) {
        return *stored->chosen;
    }
    const auto options = planOptions(request, limit);
    const auto result = [&] {
        if (!fixed) {
            return planProject(project, options, progress, cancel);
        }
        const auto source = project.trainSource();  // what the user fixed is no plan for later runs
        return planRun(project.contract().contract, project.initialWeights(), *source, options,
                       progress, cancel);
    }();
    if (!result.notSupported.empty()) {
        throw Error(ErrorCode::NoDevice, result.notSupported,
                    "leave this mode out with --modes or --precision");
    }
    if (!result.chosen) {
        throw nothingFits(result, request.precision);
    }
    return *result.chosen;
}

void refuseUnready(const Project& project, const TrainRequest& request) {
    if (const auto reason = unsupportedReason(request.precision); !reason.empty()) {
        throw Error(ErrorCode::NoDevice, "not supported: " + reason,
                    "train with another --precision");
    }
    if (request.precision != Precision::Fp32 && baselineRun(project).empty()) {
        throw Error(
            ErrorCode::Data,
            fmt::format(
                "a {} run needs a finished fp32 baseline of this contract, and there is none",
                toString(request.precision)),
            "run receiptbench train --precision fp32 first");
    }
    const auto spec = project.contract().contract;
    if (request.microbatch &&
        (*request.microbatch < 1 || *request.microbatch > spec.examplesPerUpdate)) {
        throw Error(ErrorCode::Usage,
                    fmt::format("microbatch {} is not between 1 and {}", *request.microbatch,
                                spec.examplesPerUpdate),
                    "the contract's update has that many examples");
    }
    const auto last = std::min(spec.updates, request.stopAfter.value_or(spec.updates));
    for (const auto update : request.injectOverflowAt) {
        if (update < 1 || update > last) {
            throw Error(ErrorCode::Usage,
                        fmt::format("there is no update {} to inject an overflow at", update),
                        fmt::format("this run has the updates 1 to {}", last));
        }
    }
}

RunDescription describe(const LoadedContract& loaded, const TrainRequest& request,
                        const RunPlan& plan, std::int64_t limit) {
    RunDescription description;
    description.kind = request.kind;
    description.contractHash = loaded.hash;
    description.splitDigest = loaded.contract.splitDigest;
    description.datasetDigest = loaded.contract.datasetDigest;
    description.plan = plan;
    description.memoryLimit = limit;
    description.normalisation = request.normalisation;
    description.environment = currentEnvironment(plan.threads);
    description.created = Clock::system().utc();
    description.startedFromWeights = request.weights;
    return description;
}

std::optional<std::int64_t> largestProbed(const Project& project, Precision precision,
                                          std::int64_t limit) {
    const auto stored = storedPlan(project, precision);
    if (!stored || stored->memoryLimit != limit) {
        return std::nullopt;
    }
    std::optional<std::int64_t> largest;
    for (const auto& probe : stored->probes) {
        if (probe.fits && (!largest || probe.plan.microbatch > *largest)) {
            largest = probe.plan.microbatch;
        }
    }
    return largest;
}

TrainerOptions trainerOptions(const Project& project, const TrainRequest& request,
                              const RunDescription& description) {
    TrainerOptions options;
    options.plan = description.plan;
    options.memoryLimit = description.memoryLimit;
    options.onOverBudget = request.onOverBudget;
    options.normalisation = request.normalisation;
    options.injectOverflowAt = request.injectOverflowAt;
    options.stopAfter = request.stopAfter;
    options.largestMicrobatchThatFits =
        largestProbed(project, request.precision, description.memoryLimit);
    return options;
}

std::string baseName(const TrainRequest& request) {
    if (!request.name.empty()) {
        return request.name;
    }
    return request.kind == "run" ? toString(request.precision) : request.kind;
}

// The run that the wrong normalisation stands for must fail the check; every other one must pass
// it.
void demandCheck(const GradientCheckResult& check, const TrainRequest& request) {
    if (check.passed() || request.normalisation != Normalisation::AcceptedCount) {
        return;
    }
    const auto what =
        check.accumulatedPasses()
            ? fmt::format("the deliberately wrong gradient was not caught (relative L2 {:.2e})",
                          check.wrongRelativeL2)
            : fmt::format(
                  "accumulated against full batch, relative L2 of {} is {:.2e}, allowed is {:.0e}",
                  check.worst().parameter, check.worst().relativeL2, check.tolerance);
    throw Error(ErrorCode::Failed, "the gradient check failed, the run was not started: " + what,
                "see check.json in the run's folder, layer by layer");
}

struct Start {  // what a new run begins with
    LoadedContract loaded;
    std::vector<HostTensor> weights;
};

// Other weights are another revision; the hash recorded stays the contract's, and the run is
// labelled.
Start startOf(const Project& project, const TrainRequest& request) {
    Start start{project.contract(), {}};
    if (request.weights.empty()) {
        start.weights = project.initialWeights();
    } else {
        start.weights = readSafetensors(project.files(), request.weights).tensors;
        start.loaded.contract.model.revision = digestOfTensors(start.weights);
    }
    return start;
}

}  // namespace

RunPlan resolvePlan(const Project& project, const TrainRequest& request, Progress& progress,
                    const CancelToken* cancel) {
    auto plan = chosenPlan(project, request, progress, cancel);
    if (request.normalisation == Normalisation::MeanOfMeans) {
        plan.microbatch =
            unevenMicrobatch(project.contract().contract.examplesPerUpdate, plan.microbatch);
    }
    return plan;
}

TrainOutcome trainRun(const Project& project, const TrainRequest& request, TrainListener& listener,
                      const CancelToken& cancel) {
    refuseUnready(project, request);
    const auto start = startOf(project, request);
    const auto plan = resolvePlan(project, request, Progress::none(), &cancel);
    const auto source = project.trainSource();
    auto description = describe(start.loaded, request, plan, limitOf(project, request));
    auto& files = project.files();
    const auto folder = createRun(files, project.paths().root, baseName(request), description);
    description.name = receiptbench::baseName(folder);

    RunSession session(project, folder, listener);
    return session.guard([&] {
        writeAtomically(files, joinPath(folder, "contract.json"),
                        readText(files, project.paths().contract()));
        session.events().append("start", {{"run", description.name},
                                          {"kind", description.kind},
                                          {"contractHash", description.contractHash},
                                          {"plan", planJson(plan)},
                                          {"memoryLimit", description.memoryLimit},
                                          {"startedFromWeights", description.startedFromWeights}});
        listener.onStart(description.name, plan);
        const auto check = checkGradients(start.loaded.contract, start.weights, *source, plan,
                                          description.memoryLimit, request.normalisation);
        writeAtomically(files, joinPath(folder, "check.json"), json(check).dump(1) + "\n");
        listener.onCheck(check);
        demandCheck(check, request);
        SaveOptions save;
        save.contractHash = description.contractHash;
        session.saveAs(save, request.dieAt);
        Trainer trainer(start.loaded.contract, start.weights, *source,
                        trainerOptions(project, request, description));
        auto outcome =
            session.execute(trainer, description, start.loaded.contract.updates, true, cancel);
        outcome.check = check;
        return outcome;
    });
}

}  // namespace receiptbench
