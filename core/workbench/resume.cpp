#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/workbench/run_checkpoint.h"
#include "core/workbench/run_session.h"

namespace receiptbench {
namespace {

using nlohmann::json;

void addDifference(std::vector<std::string>& items, const char* name, const std::string& before,
                   const std::string& now) {
    if (before != now) {
        items.push_back(fmt::format("{} {} -> {}", name, before, now));
    }
}

// What bit-exactness depends on, item by item.
std::string differences(const StateValues& saved, const RunPlan& plan) {
    std::vector<std::string> items;
    const auto now = currentEnvironment(plan.threads);
    const auto& before = saved.environment;
    const auto yes = [](bool value) { return std::string(value ? "on" : "off"); };
    addDifference(items, "microbatch", std::to_string(saved.plan.microbatch),
                  std::to_string(plan.microbatch));
    addDifference(items, "memory format", toString(saved.plan.memoryFormat),
                  toString(plan.memoryFormat));
    addDifference(items, "threads", std::to_string(before.threads), std::to_string(now.threads));
    addDifference(items, "LibTorch", before.torchVersion, now.torchVersion);
    addDifference(items, "CPU capability", before.cpuCapability, now.cpuCapability);
    addDifference(items, "device", before.device, now.device);
    addDifference(items, "oneDNN", yes(before.oneDnn), yes(now.oneDnn));
    addDifference(items, "deterministic algorithms", yes(before.deterministic),
                  yes(now.deterministic));
    return fmt::format("{}", fmt::join(items, ", "));
}

void refuseUnfit(const RunDescription& description, const LoadedContract& loaded) {
    demandContract(description, loaded);
    if (description.kind == "overflow") {
        throw Error(
            ErrorCode::Usage,
            fmt::format(
                "run {} is an overflow side run: a resumed one would not inject the overflow",
                description.name),
            "start a new one");
    }
}

// Another plan is proven like a first one.
std::optional<GradientCheckResult> checkNewPlan(const Project& project,
                                                const RunDescription& description,
                                                const RunPlan& plan, const BatchSource& source) {
    if (plan == description.plan || description.normalisation != Normalisation::AcceptedCount) {
        return std::nullopt;
    }
    auto check = checkGradients(project.contract().contract, project.initialWeights(), source, plan,
                                description.memoryLimit);
    if (!check.passed()) {
        throw Error(ErrorCode::Failed,
                    fmt::format("the gradient check of microbatch {} failed (relative L2 of {}: "
                                "{:.2e}); the run was not resumed",
                                plan.microbatch, check.worst().parameter, check.worst().relativeL2),
                    "resume it with the plan it had");
    }
    return check;
}

}  // namespace

TrainOutcome resumeRun(const Project& project, const ResumeRequest& request,
                       TrainListener& listener, const CancelToken& cancel) {
    auto& files = project.files();
    const auto folder = project.paths().run(request.run);
    const auto description = loadRun(files, folder);
    const auto loaded = project.contract();
    refuseUnfit(description, loaded);
    RunSession session(project, folder, listener);
    // Before the guard: a run that cannot be resumed keeps its last event.
    const auto recovery = request.checkpoint.empty()
                              ? newestCheckpoint(files, folder, description)
                              : namedCheckpoint(files, folder, description, request.checkpoint);
    const auto& values = recovery.state.values;
    auto plan = values.plan;
    plan.microbatch = request.microbatch.value_or(plan.microbatch);
    if (plan.microbatch < 1 || plan.microbatch > loaded.contract.examplesPerUpdate) {
        throw Error(ErrorCode::Usage,
                    fmt::format("microbatch {} is not between 1 and {}", plan.microbatch,
                                loaded.contract.examplesPerUpdate),
                    "the contract's update has that many examples");
    }
    plan.threads = request.threads.value_or(plan.threads);
    const auto notBitExact = differences(values, plan);
    const auto source = project.trainSource();

    return session.guard([&] {
        const auto check = checkNewPlan(project, description, plan, *source);
        SaveOptions save{.contractHash = loaded.hash,
                         .generation = std::max(nextGeneration(files, session.checkpoints()),
                                                recovery.chosen->name.generation + 1),
                         .parentDigest = recovery.chosen->digest};
        session.saveAs(save, request.dieAt);
        json rejected = json::array();
        for (const auto& file : recovery.rejected) {
            rejected.push_back(
                {{"file", printable(file.file)}, {"reason", printable(file.reason)}});
        }
        session.events().append("resume",
                                {{"checkpoint", receiptbench::baseName(recovery.chosen->path)},
                                 {"generation", save.generation},
                                 {"update", values.attempted},
                                 {"plan", planJson(plan)},
                                 {"notBitExact", notBitExact},
                                 {"rejected", rejected}});
        listener.onStart(description.name, plan);
        TrainerOptions options;
        options.plan = plan;
        options.memoryLimit = description.memoryLimit;
        options.normalisation = description.normalisation;
        options.stopAfter = request.stopAfter;
        Trainer trainer(loaded.contract, project.initialWeights(), *source, options);
        trainer.restore(recovery.state);
        auto outcome = session.execute(trainer, description, loaded.contract.updates,
                                       request.validate, cancel);
        outcome.check = check;
        outcome.notBitExact = notBitExact;
        outcome.resumedFrom = receiptbench::baseName(recovery.chosen->path);
        outcome.resumedAtUpdate = values.attempted;
        return outcome;
    });
}

}  // namespace receiptbench
