// plan, check, train and evaluate.
#include <memory>

#include <fmt/format.h>

#include "app/context.h"
#include "app/options.h"
#include "app/output.h"
#include "app/result_view.h"
#include "app/signals.h"
#include "core/base/text.h"
#include "core/checkpoint/store.h"
#include "core/workbench/drill.h"
#include "core/workbench/run_session.h"
#include "core/workbench/training.h"

namespace receiptbench {
namespace {

struct TrainArguments {
    std::string precision = "fp32", name, budget, memoryFormat, onOverBudget = "stop", weights,
                dieAt;
    std::vector<std::string> modes{"fp32"};
    std::optional<std::string> resume;  // given without a value: the newest checkpoint
    std::optional<std::int64_t> microbatch, stopAfter;
    std::vector<std::int64_t> injectOverflowAt;
    std::optional<int> threads;
    bool wrong = false;
};

void addPlanOptions(CLI::App& command, TrainArguments& arguments) {
    command.add_option("--microbatch", arguments.microbatch, "Fixed number of examples")
        ->check(atLeast(1));
    command.add_option("--memory-format", arguments.memoryFormat,
                       "contiguous or channels-last; else tried");
    command.add_option("--budget", arguments.budget, "Memory limit; else the frozen one");
    command.add_option("--threads", arguments.threads, "Threads of the run (default 2)")
        ->check(CLI::Range(1, 1024));
}

TrainRequest requestOf(const TrainArguments& arguments) {
    TrainRequest request;
    request.precision = parsePrecision(arguments.precision);
    request.name = arguments.name;
    request.microbatch = arguments.microbatch;
    request.stopAfter = arguments.stopAfter;
    request.weights = arguments.weights;
    request.threads = arguments.threads.value_or(2);
    if (!arguments.memoryFormat.empty()) {
        request.memoryFormat = parseMemoryFormat(arguments.memoryFormat);
    }
    if (!arguments.budget.empty()) {
        request.memoryLimit = parseBudget(arguments.budget);
    }
    if (arguments.onOverBudget == "replan") {
        request.onOverBudget = OverBudgetPolicy::Replan;
    }
    if (arguments.wrong) {
        request.kind = "wrong";
        request.normalisation = Normalisation::MeanOfMeans;
    }
    if (!arguments.injectOverflowAt.empty()) {
        request.kind = "overflow";
        request.injectOverflowAt = {arguments.injectOverflowAt.begin(),
                                    arguments.injectOverflowAt.end()};
    }
    if (!arguments.dieAt.empty()) {
        request.dieAt = parseCrashPoint(arguments.dieAt);
    }
    return request;
}

void showProbes(const PlanResult& result) {
    std::vector<std::vector<std::string>> rows{{"microbatch", "format", "peak", "examples/s", ""}};
    for (const auto& probe : result.probes) {
        const bool chosen = result.chosen && probe.plan == *result.chosen;
        rows.push_back(
            {std::to_string(probe.plan.microbatch), toString(probe.plan.memoryFormat),
             probe.fits ? formatBytes(probe.peak.total) : "-",
             probe.fits ? fmt::format("{:.1f}", probe.examplesPerSecond) : "-",
             chosen ? "chosen" : (probe.fits ? "" : "does not fit: " + printable(probe.reason))});
    }
    printTable(rows);
}

// The worst of the modes decides the exit code.
int showPlan(const PlanResult& result, const std::string& mode) {
    if (!result.notSupported.empty()) {
        printLine(fmt::format("{}: not supported: {}", mode, result.notSupported));
        return static_cast<int>(ErrorCode::NoDevice);
    }
    printLine(
        bold(fmt::format("{} within {}", mode,
                         result.memoryLimit > 0 ? formatBytes(result.memoryLimit) : "no limit")));
    showProbes(result);
    if (!result.chosen) {
        const auto error = nothingFits(result, parsePrecision(mode));
        complain(error.what(), error.hint());
        return static_cast<int>(ErrorCode::OverBudget);
    }
    return 0;
}

void runPlan(Context& context, const TrainArguments& arguments) {
    const auto project = Project::open(context.files(), context.project);
    const auto request = requestOf(arguments);
    TerminalProgress progress(context);
    nlohmann::json plans = nlohmann::json::object();
    for (const auto mode : parseModes(arguments.modes)) {
        PlanOptions options;
        options.precision = mode;
        options.memoryLimit =
            request.memoryLimit.value_or(project.contract().environment.memoryLimit);
        options.microbatch = request.microbatch;
        options.memoryFormat = request.memoryFormat;
        options.threads = request.threads;
        const auto result = planProject(project, options, progress, &cancelOnSignals());
        progress.end();
        plans[toString(mode)] = result;
        if (!context.json) {
            context.exitCode = std::max(context.exitCode, showPlan(result, toString(mode)));
        } else if (!result.chosen) {
            context.exitCode = static_cast<int>(result.notSupported.empty() ? ErrorCode::OverBudget
                                                                            : ErrorCode::NoDevice);
        }
    }
    if (context.json) {
        printJson("plan", {{"plans", plans}});
    }
}

void runCheck(Context& context, const TrainArguments& arguments) {
    const auto project = Project::open(context.files(), context.project);
    const auto request = requestOf(arguments);
    TerminalProgress progress(context);
    const auto plan = resolvePlan(project, request, progress, &cancelOnSignals());
    const auto limit = request.memoryLimit.value_or(project.contract().environment.memoryLimit);
    const auto check = checkProject(project, plan, limit);
    progress.end();
    context.exitCode = check.passed() ? 0 : static_cast<int>(ErrorCode::Failed);
    if (context.json) {
        printJson("check", {{"check", check}, {"passed", check.passed()}});
        return;
    }
    std::vector<std::vector<std::string>> rows{{"parameter", "norm", "accumulated", "wrong"}};
    for (const auto& layer : check.layers) {
        rows.push_back({layer.parameter, fmt::format("{:.3e}", layer.fullNorm),
                        fmt::format("{:.2e}", layer.relativeL2),
                        fmt::format("{:.2e}", layer.wrongRelativeL2)});
    }
    printTable(rows);
    printLine(
        fmt::format("{} examples as {} at {}x{}{}: relative L2 {:.2e}, of the worst layer ({}) "
                    "{:.2e} (allowed {:.0e}); wrong normalisation {:.2e}: {}",
                    check.examples, fmt::join(check.microbatches, "+"), check.height, check.width,
                    check.reducedSize ? " (" + check.reason + ")" : "", check.relativeL2,
                    check.worst().parameter, check.worst().relativeL2, check.tolerance,
                    check.wrongRelativeL2, check.passed() ? "passed" : "FAILED"));
}

void showOutcome(Context& context, const TrainOutcome& outcome) {
    const auto& summary = outcome.summary;
    if (context.json) {
        nlohmann::json content = summaryJson(summary);
        content["run"] = outcome.run;
        content["folder"] = outcome.folder;
        content["notBitExact"] = outcome.notBitExact;
        content["metrics"] = outcome.metrics ? nlohmann::json(*outcome.metrics) : nlohmann::json();
        content["checkpointsDegraded"] = outcome.degraded;
        printJson("train", content);
        return;
    }
    if (!outcome.resumedFrom.empty() && outcome.resumedAtUpdate == summary.attempted) {
        printLine(fmt::format("run {} had all its {} updates: nothing was left to train",
                              outcome.run, summary.attempted));
        return;
    }
    printLine(
        fmt::format("run {}: {} updates attempted, {} applied, {} skipped, {} examples accepted, "
                    "{:.1f} examples/s",
                    outcome.run, summary.attempted, summary.applied, summary.skipped,
                    summary.acceptedExamples, summary.examplesPerSecond));
    printLine(fmt::format("peak memory {}", formatBytes(summary.peak.total)));
    if (!outcome.notBitExact.empty()) {
        printLine("not bit-exact after the resume: " + outcome.notBitExact);
    }
    if (outcome.metrics) {
        printLine(fmt::format("validation: {} of {} correct ({})", outcome.metrics->correct,
                              outcome.metrics->examples, percent(outcome.metrics->accuracy)));
    }
}

void endOf(Context& context, const TrainOutcome& outcome) {
    showOutcome(context, outcome);
    if (!outcome.degraded.empty()) {
        complain("the last checkpoint could not be written: " + outcome.degraded,
                 "make room or permit writing, then run receiptbench train --resume");
        context.exitCode = static_cast<int>(ErrorCode::Failed);
    }
    if (outcome.summary.cancelled && signalExitCode() != 0) {
        complain(fmt::format("stopped after update {}", outcome.summary.attempted),
                 fmt::format("continue with receiptbench train --name {} --resume", outcome.run));
        context.exitCode = signalExitCode();
    }
}

void showResumable(const Context& context, const Project& project, const std::string& run) {
    const auto recovery =
        recoverCheckpoint(context.files(), joinPath(project.paths().run(run), "checkpoints"),
                          project.contract().hash, false);
    nlohmann::json rejected = nlohmann::json::array();
    for (const auto& file : recovery.rejected) {
        rejected.push_back({{"file", printable(file.file)}, {"reason", printable(file.reason)}});
    }
    printJson("train",
              {{"dryRun", true},
               {"run", run},
               {"checkpoint", recovery.chosen ? nlohmann::json(fileName(recovery.chosen->name))
                                              : nlohmann::json()},
               {"rejected", rejected}});
}

void resumeTraining(Context& context, const TrainArguments& arguments, const Project& project) {
    ResumeRequest request;
    request.run = arguments.name.empty() ? arguments.precision : arguments.name;
    request.checkpoint = *arguments.resume;
    request.microbatch = arguments.microbatch;
    request.threads = arguments.threads;
    request.stopAfter = arguments.stopAfter;
    if (!arguments.dieAt.empty()) {
        request.dieAt = parseCrashPoint(arguments.dieAt);
    }
    if (context.dryRun) {
        showResumable(context, project, request.run);
        return;
    }
    TerminalProgress progress(context);
    progress.stage("training " + baseName(request.run),
                   arguments.stopAfter.value_or(project.contract().contract.updates));
    const auto outcome = resumeRun(project, request, progress, cancelOnSignals());
    progress.end();
    endOf(context, outcome);
}

void runTrain(Context& context, const TrainArguments& arguments) {
    const auto project = Project::open(context.files(), context.project);
    if (arguments.resume) {
        resumeTraining(context, arguments, project);
        return;
    }
    const auto request = requestOf(arguments);
    if (context.dryRun) {
        TerminalProgress progress(context);
        const auto plan = resolvePlan(project, request, progress);
        progress.end();
        printJson("train", {{"dryRun", true}, {"kind", request.kind}, {"plan", planJson(plan)}});
        return;
    }
    TerminalProgress progress(context);
    progress.stage("training " + arguments.precision,
                   arguments.stopAfter.value_or(project.contract().contract.updates));
    const auto outcome = trainRun(project, request, progress, cancelOnSignals());
    progress.end();
    endOf(context, outcome);
}

void addTrain(CLI::App& app, Context& context) {
    auto* train = app.add_subcommand("train", "Train a run, or continue one");
    auto arguments = std::make_shared<TrainArguments>();
    train->add_option("--precision", arguments->precision, "fp32, bf16 or fp16")
        ->capture_default_str();
    train->add_option("--name", arguments->name, "Of the run (default: the precision)");
    addPlanOptions(*train, *arguments);
    train
        ->add_option("--on-over-budget", arguments->onOverBudget,
                     "stop, or replan with a smaller microbatch")
        ->check(CLI::IsMember({"stop", "replan"}))
        ->capture_default_str();
    train->add_option("--weights", arguments->weights,
                      "Start a new run from these weights (safetensors)");
    train->add_option("--stop-after", arguments->stopAfter, "Attempted updates")->check(atLeast(1));
    train->add_flag("--wrong-normalisation", arguments->wrong,
                    "The deliberately wrong run (labelled)");
    train
        ->add_option("--inject-overflow-at", arguments->injectOverflowAt,
                     "Updates with a deliberate overflow (labelled)")
        ->delimiter(',');
    train->add_option("--die-at", arguments->dieAt)->group("");  // for a drill's child
    auto* resume = train
                       ->add_option_function<std::vector<std::string>>(
                           "--resume",
                           [arguments](const std::vector<std::string>& value) {
                               arguments->resume = value.empty() ? std::string() : value.front();
                           },
                           "Continue from the newest valid checkpoint, or the named one")
                       ->expected(0, 1);
    resume->excludes("--weights")
        ->excludes("--wrong-normalisation")
        ->excludes("--inject-overflow-at");
    train->callback([&context, arguments] { runTrain(context, *arguments); });
}

}  // namespace

void addTrainCommands(CLI::App& app, Context& context) {
    auto* plan =
        app.add_subcommand("plan", "Find microbatch and memory format by trying on a copied model");
    auto planned = std::make_shared<TrainArguments>();
    plan->add_option("--modes,--precision", planned->modes, "Comma separated: fp32, bf16, fp16")
        ->delimiter(',');
    addPlanOptions(*plan, *planned);
    plan->callback([&context, planned] { runPlan(context, *planned); });

    auto* check =
        app.add_subcommand("check", "Accumulated gradient against full batch, on a copied model");
    auto checked = std::make_shared<TrainArguments>();
    check->add_option("--precision", checked->precision, "Whose plan is checked")
        ->capture_default_str();
    addPlanOptions(*check, *checked);
    check->callback([&context, checked] { runCheck(context, *checked); });

    addTrain(app, context);

    auto* evaluate = app.add_subcommand(
        "evaluate", "Predict the frozen validation set with a run's newest checkpoint");
    auto run = std::make_shared<std::string>();
    evaluate->add_option("run", *run, "Its name")->required();
    evaluate->callback([&context, run] {
        const auto project = Project::open(context.files(), context.project);
        const auto evaluation = evaluateRun(project, *run);
        if (context.json) {
            printJson("evaluate", {{"run", *run},
                                   {"checkpoint", evaluation.checkpoint},
                                   {"update", evaluation.update},
                                   {"metrics", evaluation.metrics}});
            return;
        }
        printLine(fmt::format("run {}, weights of checkpoint {} (update {})", *run,
                              evaluation.checkpoint, evaluation.update));
        showMetrics(evaluation.metrics, project.contract().contract.labels);
    });
}

}  // namespace receiptbench
