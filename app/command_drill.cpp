#include <memory>

#include <fmt/format.h>

#include "app/context.h"
#include "app/options.h"
#include "app/output.h"
#include "app/result_view.h"
#include "app/signals.h"
#include "core/base/text.h"
#include "core/workbench/drill.h"

namespace receiptbench {
namespace {

struct DrillArguments {
    DrillRequest request;
    std::string mode = "kill", when = "inside";
    bool tape = false;
};

void showTape(const Context& context, const std::vector<FileCall>& tape) {
    if (context.json) {
        nlohmann::json calls = nlohmann::json::array();
        for (const auto& call : tape) {
            calls.push_back({{"index", call.index},
                             {"operation", call.operation},
                             {"path", call.path},
                             {"bytes", call.bytes}});
        }
        printJson("tape", {{"calls", calls}});
        return;
    }
    std::vector<std::vector<std::string>> rows{{"call", "operation", "bytes", "path"}};
    for (const auto& call : tape) {
        rows.push_back({std::to_string(call.index), call.operation,
                        call.bytes > 0 ? std::to_string(call.bytes) : "", call.path});
    }
    printTable(rows);
}

void showFolder(const std::string& title, const std::vector<DirectoryEntry>& entries) {
    printLine(bold(title));
    for (const auto& entry : entries) {
        printLine(fmt::format("  {}  {}", printable(entry.name),
                              formatBytes(static_cast<std::int64_t>(entry.size))));
    }
}

void showDrill(const Context& context, const DrillResult& result) {
    if (context.json) {
        printJson("drill", result);
        return;
    }
    showFolder("before", result.before);
    showFolder("after the crash", result.afterCrash);
    showFolder("after recovery", result.afterRecovery);
    for (const auto& line : drillWords(result)) {
        printLine(line);
    }
}

}  // namespace

void addDrillCommand(CLI::App& app, Context& context) {
    auto* drill = app.add_subcommand(
        "drill", "Let a child die inside a checkpoint write and prove the continuation");
    auto arguments = std::make_shared<DrillArguments>();
    auto& request = arguments->request;
    drill->add_option("run", request.run, "Whose checkpoint write dies (a copy of it)")->required();
    drill->add_option("--mode", arguments->mode, "kill")
        ->check(CLI::IsMember({"kill"}))
        ->capture_default_str();
    drill->add_option("--at-update", request.atUpdate, "Whose checkpoint")->check(atLeast(1));
    drill->add_option("--call", request.call, "Call on the tape (default: the data write)")
        ->check(atLeast(1));
    drill->add_option("--when", arguments->when, "before, inside or after the call")
        ->capture_default_str();
    drill
        ->add_option("--compare", request.compareUpdates,
                     "Updates compared (default: to the end of the next epoch)")
        ->check(atLeast(1));
    drill->add_option("--microbatch", request.resumeMicrobatch, "Resume with another plan")
        ->check(atLeast(1));
    drill->add_flag("--tape", arguments->tape, "Only show the calls of a checkpoint write");
    drill->callback([&context, arguments] {
        const auto project = Project::open(context.files(), context.project);
        if (arguments->tape) {
            showTape(context, callTape(project, arguments->request.run));
            return;
        }
        arguments->request.when = parseCrashWhen(arguments->when);
        arguments->request.program = context.program;
        TerminalProgress progress(context);
        const auto result = runDrill(project, arguments->request, progress, &cancelOnSignals());
        progress.end();
        showDrill(context, result);
        context.exitCode = result.proven ? 0 : static_cast<int>(ErrorCode::Failed);
    });
}

}  // namespace receiptbench
