// demo: the whole job in one command.
#include <memory>

#include <fmt/format.h>

#include "app/context.h"
#include "app/options.h"
#include "app/output.h"
#include "app/result_view.h"
#include "app/signals.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/workbench/demo.h"

namespace receiptbench {
namespace {

struct DemoArguments {
    DemoRequest request;
    std::string size, budget;
    std::vector<std::string> modes{"fp32", "bf16", "fp16"};
};

DemoRequest requestOf(const Context& context, const DemoArguments& arguments) {
    auto request = arguments.request;
    request.program = context.program;
    request.modes = parseModes(arguments.modes);
    if (!arguments.size.empty()) {
        const auto [height, width] = parseSize(arguments.size);
        request.height = height;
        request.width = width;
    }
    if (!arguments.budget.empty()) {
        request.memoryLimit = parseBudget(arguments.budget);
    }
    return request;
}

const nlohmann::json* firstOfKind(const nlohmann::json& report, const char* kind) {
    for (const auto& run : report.at("runs")) {
        if (run.at("kind") == kind) {
            return &run;
        }
    }
    return nullptr;
}

// Skips are seen to be counted: both were made on purpose, and the scale was halved once for each.
void showOverflow(const nlohmann::json& report) {
    const auto* run = firstOfKind(report, "overflow");
    if (run == nullptr || run->at("updates").empty()) {
        return;
    }
    const auto& updates = run->at("updates");
    const auto& ledger = run->at("ledger");
    printLine(bold("deliberate overflow") +
              fmt::format(
                  ": fp16 side run of {} updates, {} skipped as injected, loss scale {:g} -> {:g}",
                  ledger.at("attempted").get<std::int64_t>(),
                  ledger.at("skipped").get<std::int64_t>(),
                  updates.front().at("scaleBefore").get<double>(),
                  updates.back().at("scaleAfter").get<double>()));
}

void showGradientCheck(const nlohmann::json& report) {
    for (const auto& run : report.at("runs")) {
        const auto& check = run.at("gradientCheck");
        if (run.at("kind") == "run" && check.is_object()) {
            printLine(bold("gradient check of " + run.at("name").get<std::string>()) +
                      fmt::format(": every layer within {:.1e} of full batch (allowed {:.0e}); "
                                  "wrong normalisation is off by {:.1e}",
                                  check.at("worstRelativeL2").get<double>(),
                                  check.at("tolerance").get<double>(),
                                  check.at("wrongRelativeL2").get<double>()));
        }
    }
}

void showLastScreen(Context& context, const DemoResult& result) {
    const auto report = parseJson(readText(context.files(), result.reportJson), result.reportJson);
    printLine("");
    showComparison(result.comparison, context.verbose);
    printLine("");
    showRuns(report);
    printLine("");
    showGradientCheck(report);
    showOverflow(report);
    for (const auto& drill : result.drills) {
        printLine(bold("crash and recovery of " + drill.run));
        for (const auto& line : drillWords(drill)) {
            printLine("  " + line);
        }
    }
    printLine(fmt::format("\nreport: {}\n        {}", result.reportMarkdown, result.reportJson));
    printLine("done in " + formatDuration(result.seconds));
}

void showPlanned(const DemoRequest& request) {
    const auto plan = planDemo(request);
    std::vector<std::string> modes;
    for (const auto mode : request.modes) {
        modes.push_back(toString(mode));
    }
    printJson("demo", {{"dryRun", true},
                       {"out", request.out},
                       {"data", plan.example ? "embedded example" : request.data},
                       {"identities", plan.data.syntheticIdentities},
                       {"modes", modes},
                       {"contract", nlohmann::json::parse(canonicalJson(plan.contract))}});
}

void runDemoCommand(Context& context, const DemoArguments& arguments) {
    const auto request = requestOf(context, arguments);
    if (context.dryRun) {
        checkDemo(context.files(), request);
        showPlanned(request);
        return;
    }
    DemoResult result;
    {
        TerminalProgress progress(context);
        result = runDemo(context.files(), request, progress, progress, cancelOnSignals());
    }
    bool proven = true;
    for (const auto& drill : result.drills) {
        proven = proven && drill.proven;
    }
    context.exitCode =
        proven ? verdictExitCode(result.comparison) : static_cast<int>(ErrorCode::Failed);
    if (context.json) {
        printJson("demo", {{"comparison", result.comparison},
                           {"drills", result.drills},
                           {"report", result.reportJson},
                           {"memoryLimit", result.memoryLimit},
                           {"seconds", result.seconds}});
        return;
    }
    showLastScreen(context, result);
}

}  // namespace

void addDemoCommand(CLI::App& app, Context& context) {
    auto* demo =
        app.add_subcommand("demo", "The whole job on the embedded example, or on your images");
    auto arguments = std::make_shared<DemoArguments>();
    auto& request = arguments->request;
    request.out = "receiptbench-demo";
    demo->add_option("--out", request.out, "Project folder, new or empty")->capture_default_str();
    demo->add_option("--data", request.data, "Manifest or folder (default: the embedded example)");
    demo->add_flag("--derive", request.derive,
                   "The images are readable receipts: derive blurred and cut-off ones");
    demo->add_option("--budget", arguments->budget,
                     "Memory limit (default: one that makes it bite)");
    demo->add_option("--updates", request.updates, "Optimizer updates")->check(atLeast(1));
    demo->add_option("--size", arguments->size, "Image size HEIGHTxWIDTH");
    demo->add_option("--modes", arguments->modes, "fp32 is always there, as the baseline")
        ->delimiter(',')
        ->capture_default_str();
    demo->add_option("--microbatch", request.microbatch, "Fixed instead of tried")
        ->check(atLeast(1));
    demo->add_option("--identities", request.identities, "Receipts of the embedded example")
        ->check(CLI::Range(4, 100000))
        ->capture_default_str();
    demo->add_option("--threads", request.threads, "Threads")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    demo->add_option("--seed", request.seed, "Of everything random")->capture_default_str();
    demo->callback([&context, arguments] { runDemoCommand(context, *arguments); });
}

}  // namespace receiptbench
