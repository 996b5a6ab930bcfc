// compare, select, report, runs and doctor.
#include <unistd.h>
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "app/context.h"
#include "app/output.h"
#include "app/report_pdf.h"
#include "app/result_view.h"
#include "core/base/text.h"
#include "core/runs/run_directory.h"
#include "core/workbench/comparison.h"
#include "core/workbench/demo.h"
#include "core/workbench/reporting.h"
#include "ui/pdf/pdf_file.h"

namespace receiptbench {
namespace {

void runCompare(Context& context, const std::vector<std::string>& names) {
    const auto project = Project::open(context.files(), context.project);
    const auto comparison = compareRuns(project, names);
    context.exitCode = verdictExitCode(comparison);
    if (context.json) {
        printJson("comparison", comparison);
        return;
    }
    showComparison(comparison, context.verbose);
}

// Only a bundle that is there already would be lost.
void confirmReplacing(const Context& context, const std::string& bundle) {
    if (context.yes || !context.files().exists(bundle)) {
        return;
    }
    if (::isatty(STDIN_FILENO) == 1) {
        fmt::print(stderr, "{} exists. Replace it? [y/N] ", bundle);
        std::string answer;
        if (std::getline(std::cin, answer) && (answer == "y" || answer == "yes")) {
            return;
        }
    }
    throw Error(ErrorCode::Failed, bundle + " exists already", "replace it with --yes");
}

void runSelect(Context& context, const std::string& run, bool force) {
    const auto project = Project::open(context.files(), context.project);
    confirmReplacing(context, project.paths().bundle());
    const auto bundle = selectRun(project, run, force);
    if (context.json) {
        printJson("select",
                  {{"run", run}, {"folder", bundle.folder}, {"checkpoint", bundle.checkpoint}});
        return;
    }
    printLine(fmt::format("run {}, weights of checkpoint {}, is in {}", run, bundle.checkpoint,
                          bundle.folder));
}

struct ReportArguments {
    std::string output;  // a PDF; empty: none
    std::string page = "A4";
    std::vector<std::string> sections;
};

void runReport(Context& context, const ReportArguments& arguments) {
    const auto project = Project::open(context.files(), context.project);
    if (!arguments.output.empty()) {
        demandPdfPath(arguments.output);
    }
    const auto paths = writeReport(project);
    nlohmann::json written{{"json", paths.json}, {"markdown", paths.markdown}};
    if (!paths.comparisonProblem.empty()) {
        written["comparisonProblem"] = paths.comparisonProblem;
        complain("the report holds no comparison: " + paths.comparisonProblem,
                 "receiptbench compare says what to do");
    }
    if (!arguments.output.empty()) {
        writeReportPdf(project.paths().root, paths.json,
                       {arguments.output, arguments.page == "Letter", arguments.sections});
        written["pdf"] = arguments.output;
    }
    if (context.json) {
        printJson("report", written);
        return;
    }
    printLine(paths.markdown);
    printLine(paths.json);
    if (!arguments.output.empty()) {
        printLine(arguments.output);
    }
}

void addReportCommand(CLI::App& app, Context& context) {
    auto* report =
        app.add_subcommand("report", "Write report.json and report.md, with -o also a PDF");
    auto arguments = std::make_shared<ReportArguments>();
    report->add_option("-o,--output", arguments->output, "The PDF's path");
    report->add_option("--page", arguments->page, "Its page: A4 or Letter (default: A4)")
        ->transform(CLI::IsMember({"A4", "Letter"}, CLI::ignore_case));
    report
        ->add_option("--sections", arguments->sections,
                     "Its parts (default: all), e.g. verdict,memory,loss")
        ->delimiter(',');
    report->callback([&context, arguments] { runReport(context, *arguments); });
}

void runRuns(Context& context) {
    const auto project = Project::open(context.files(), context.project);
    const auto runs = listRuns(context.files(), project.paths().root);
    nlohmann::json list = nlohmann::json::array();
    std::vector<std::vector<std::string>> rows{{"run", "kind", "state", "precision", "microbatch",
                                                "updates", "last loss", "peak", "budget"}};
    for (const auto& run : runs) {
        const auto& description = run.description;
        list.push_back({{"name", description.name},
                        {"kind", description.kind},
                        {"state", toString(run.state)},
                        {"precision", toString(description.plan.precision)},
                        {"microbatch", description.plan.microbatch},
                        {"updates", run.updates},
                        {"lastLoss", run.lastLoss},
                        {"peakBytes", run.peakBytes},
                        {"memoryLimit", description.memoryLimit},
                        {"folder", run.folder}});
        rows.push_back(
            {description.name, description.kind, toString(run.state),
             toString(description.plan.precision), std::to_string(description.plan.microbatch),
             std::to_string(run.updates), fmt::format("{:.4f}", run.lastLoss),
             formatBytes(run.peakBytes),
             description.memoryLimit > 0 ? formatBytes(description.memoryLimit) : "none"});
    }
    if (context.json) {
        printJson("runs", {{"runs", list}});
    } else {
        printTable(rows);
    }
}

void runDoctor(Context& context) {
    const auto facts = examineComputer();
    if (context.json) {
        printJson("doctor", {{"processor", facts.processor},
                             {"cores", facts.cores},
                             {"cpuCapability", facts.cpuCapability},
                             {"device", facts.device},
                             {"memoryBytes", facts.memoryBytes},
                             {"freeMemoryBytes", facts.freeMemoryBytes},
                             {"suggestedBudget", facts.suggestedBudget},
                             {"libraries", facts.libraries},
                             {"precisions", facts.precisions},
                             {"problems", facts.problems}});
        return;
    }
    std::vector<std::vector<std::string>> rows{
        {"receiptbench", RECEIPTBENCH_VERSION},
        {"processor", facts.processor},
        {"cores", std::to_string(facts.cores)},
        {"CPU capability", facts.cpuCapability},
        {"memory", formatBytes(facts.memoryBytes)},
        {"free memory", formatBytes(facts.freeMemoryBytes)},
        {"suggested budget", formatBytes(facts.suggestedBudget)}};
    for (const auto& pairs : {facts.libraries, facts.precisions}) {
        for (const auto& [name, value] : pairs) {
            rows.push_back({name, value});
        }
    }
    for (const auto& problem : facts.problems) {
        rows.push_back({"problem", problem});
    }
    printTable(rows, false);
}

}  // namespace

void addResultCommands(CLI::App& app, Context& context) {
    auto* compare =
        app.add_subcommand("compare", "Compare runs with the fp32 baseline and judge them");
    auto names = std::make_shared<std::vector<std::string>>();
    compare->add_option("runs", *names, "Names or run folders (default: every finished run)");
    compare->callback([&context, names] { runCompare(context, *names); });

    auto* select = app.add_subcommand("select", "Pick the final run and write its bundle");
    auto run = std::make_shared<std::string>();
    auto force = std::make_shared<bool>(false);
    select->add_option("run", *run, "Its name")->required();
    select->add_flag("--force", *force, "Also when its result is not preserved");
    select->callback([&context, run, force] { runSelect(context, *run, *force); });

    addReportCommand(app, context);
    app.add_subcommand("runs", "List the project's runs")->callback([&context] {
        runRuns(context);
    });
    app.add_subcommand("doctor", "What this computer can do")->callback([&context] {
        runDoctor(context);
    });
}

}  // namespace receiptbench
