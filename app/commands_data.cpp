// import and freeze.
#include <memory>

#include <fmt/format.h>

#include "app/context.h"
#include "app/freeze_options.h"
#include "app/options.h"
#include "app/output.h"
#include "app/signals.h"
#include "core/base/text.h"
#include "core/workbench/project.h"

namespace receiptbench {
namespace {

constexpr std::size_t kRejectsShown = 20;

std::map<std::string, std::string> parseColumns(const std::vector<std::string>& pairs) {
    std::map<std::string, std::string> columns;
    for (const auto& pair : pairs) {
        const auto at = pair.find('=');
        if (at == std::string::npos || at == 0 || at + 1 == pair.size()) {
            throw Error(ErrorCode::Usage,
                        fmt::format("--column \"{}\" is no NAME=COLUMN", printable(pair)),
                        "for example --column label=quality");
        }
        columns[pair.substr(0, at)] = pair.substr(at + 1);
    }
    return columns;
}

nlohmann::json rejectsJson(const std::vector<Reject>& rejects) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& reject : rejects) {
        list.push_back({{"path", printable(reject.path)},
                        {"line", reject.line},
                        {"reason", toString(reject.reason)},
                        {"message", printable(reject.message)}});
    }
    return list;
}

void showRejects(const std::vector<Reject>& rejects) {
    for (std::size_t i = 0; i < std::min(rejects.size(), kRejectsShown); ++i) {
        const auto& reject = rejects[i];
        printLine(fmt::format("rejected {}{}: {}: {}", printable(reject.path),
                              reject.line > 0 ? fmt::format(" (line {})", reject.line) : "",
                              toString(reject.reason), printable(reject.message)));
    }
    if (rejects.size() > kRejectsShown) {
        printLine(fmt::format("... and {} more in rejects.csv", rejects.size() - kRejectsShown));
    }
}

void showCatalogue(const Context& context, const Catalogue& catalogue) {
    if (context.json) {
        printJson("import", {{"root", printable(catalogue.root)},
                             {"accepted", catalogue.items.size()},
                             {"rejected", catalogue.rejects.size()},
                             {"rejects", rejectsJson(catalogue.rejects)},
                             {"warnings", catalogue.warnings}});
        return;
    }
    std::map<std::string, std::int64_t> byLabel;
    for (const auto& item : catalogue.items) {
        ++byLabel[item.label];
    }
    showRejects(catalogue.rejects);
    for (const auto& warning : catalogue.warnings) {
        printLine("warning: " + printable(warning));
    }
    std::string labels;
    for (const auto& [label, count] : byLabel) {
        labels += fmt::format("{}{} {}", labels.empty() ? "" : ", ", count, printable(label));
    }
    printLine(fmt::format("{} images accepted ({}), {} rejected", catalogue.items.size(), labels,
                          catalogue.rejects.size()));
}

struct ImportArguments {
    ImportOptions options;
    std::vector<std::string> columns;
    bool derive = false;
};

void runImport(Context& context, ImportArguments& arguments) {
    auto& options = arguments.options;
    options.columns = parseColumns(arguments.columns);
    if (arguments.derive) {
        options.impliedLabel = "readable";
        options.declaredLabels = {"readable"};
    }
    TerminalProgress progress(context);
    if (context.dryRun) {
        const auto catalogue = importImages(options, progress);
        progress.end();
        showCatalogue(context, catalogue);
        return;
    }
    // The source is looked at first: a wrong one leaves no project behind.
    const bool isNew = !context.files().exists(joinPath(context.project, "project.json"));
    auto dry = options;
    dry.decodeAll = false;
    if (isNew) {
        importImages(dry);
    }
    auto project = Project::openOrCreate(context.files(), context.project, options.source);
    const auto catalogue = importInto(project, options, progress);
    progress.end();
    showCatalogue(context, catalogue);
}

void runFreeze(Context& context, FreezeArguments& arguments) {
    const auto request = freezeRequest(arguments);
    if (context.dryRun) {
        const bool isNew = request.data.syntheticIdentities > 0 &&
                           !context.files().exists(joinPath(context.project, "project.json"));
        std::optional<Project> existing;
        if (!isNew) {
            existing = Project::open(context.files(), context.project);
        }
        checkFreeze(existing ? &*existing : nullptr, request);
        printJson("freeze", {{"contract", nlohmann::json::parse(canonicalJson(request.contract))},
                             {"memoryLimit", request.memoryLimit},
                             {"syntheticIdentities", request.data.syntheticIdentities},
                             {"dryRun", true}});
        return;
    }
    TerminalProgress progress(context);
    const bool example = request.data.syntheticIdentities > 0;
    auto project = example
                       ? Project::openOrCreate(context.files(), context.project, "embedded example")
                       : Project::open(context.files(), context.project);
    const auto frozen = freezeProject(project, request, progress, &cancelOnSignals());
    progress.end();
    const auto& contract = frozen.contract;
    if (context.json) {
        printJson("freeze", {{"hash", frozen.hash},
                             {"contract", nlohmann::json::parse(canonicalJson(contract))},
                             {"memoryLimit", frozen.environment.memoryLimit}});
        return;
    }
    printLine(fmt::format("frozen: {} training and {} validation images of {}x{}",
                          contract.trainExamples, contract.validationExamples, contract.height,
                          contract.width));
    printLine("contract sha256 " + frozen.hash);
    if (!example) {
        showRejects(loadCatalogue(project).rejects);
    }
}

}  // namespace

void addDataCommands(CLI::App& app, Context& context) {
    auto* import =
        app.add_subcommand("import", "Take in a manifest (CSV, TSV, JSONL) or a folder of images");
    auto arguments = std::make_shared<ImportArguments>();
    import->add_option("source", arguments->options.source, "Manifest or folder")->required();
    import->add_flag("--derive", arguments->derive,
                     "Readable receipts only; freeze derives blurred and cut-off ones");
    import->add_flag("--strict", arguments->options.strict, "Any rejected row is an error");
    import
        ->add_option("--label", arguments->options.declaredLabels,
                     "Known labels; others are rejected")
        ->delimiter(',');
    import->add_option("--column", arguments->columns,
                       "path, label, identity or split = name in the manifest");
    import->callback([&context, arguments] { runImport(context, *arguments);
});

auto* freeze =
    app.add_subcommand("freeze", "Split by identity and fix images and contract for good");
auto frozen = std::make_shared<FreezeArguments>();
addFreezeOptions(*freeze, *frozen);
freeze->callback([&context, frozen] { runFreeze(context, *frozen); });
}  // namespace receiptbench

}  // namespace receiptbench
