// contract: what is frozen, how it differs from another, and whether it still is what it was.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "app/context.h"
#include "app/output.h"
#include "core/base/text.h"
#include "core/workbench/verification.h"

namespace receiptbench {
namespace {

void runShow(Context& context) {
    const auto loaded = Project::open(context.files(), context.project).contract();
    const auto contract = nlohmann::json::parse(canonicalJson(loaded.contract));
    if (context.json) {
        printJson("contract", {{"hash", loaded.hash},
                               {"contract", contract},
                               {"memoryLimit", loaded.environment.memoryLimit},
                               {"device", loaded.environment.device}});
        return;
    }
    printLine("sha256 " + loaded.hash);
    std::vector<std::vector<std::string>> rows{{"field", "value"}};
    const auto fields = contract.flatten();
    for (const auto& [field, value] : fields.items()) {
        auto name = field.substr(1);
        std::replace(name.begin(), name.end(), '/', '.');
        rows.push_back({printable(name), printable(value.dump())});
    }
    printTable(rows);
}

// A project folder, or the file itself.
LoadedContract otherContract(Context& context, const std::string& other) {
    return context.files().exists(joinPath(other, "project.json"))
               ? Project::open(context.files(), other).contract()
               : loadContract(context.files(), other);
}

void runDiff(Context& context, const std::string& other) {
    const auto here = Project::open(context.files(), context.project).contract();
    const auto there = otherContract(context, other);
    const auto differences = diffContracts(here.contract, there.contract);
    context.exitCode = differences.empty() ? 0 : static_cast<int>(ErrorCode::Data);
    if (context.json) {
        nlohmann::json list = nlohmann::json::array();
        for (const auto& difference : differences) {
            list.push_back({{"field", difference.field},
                            {"here", printable(difference.left)},
                            {"there", printable(difference.right)}});
        }
        printJson("contract-diff",
                  {{"here", here.hash}, {"there", there.hash}, {"differences", list}});
        return;
    }
    if (differences.empty()) {
        printLine("the same contract, sha256 " + here.hash);
        return;
    }
    std::vector<std::vector<std::string>> rows{{"field", "here", "there"}};
    for (const auto& difference : differences) {
        rows.push_back({difference.field, printable(difference.left), printable(difference.right)});
    }
    printTable(rows);
}

void runVerify(Context& context) {
    const auto project = Project::open(context.files(), context.project);
    const auto all = verifyProject(project);
    nlohmann::json list = nlohmann::json::array();
    for (const auto& one : all) {
        list.push_back({{"what", one.what}, {"problem", one.problem}, {"remedy", one.remedy}});
        if (!one.problem.empty()) {
            context.exitCode = static_cast<int>(ErrorCode::Data);
        }
        if (!context.json) {
            printLine(
                fmt::format("{}: {}", one.what, one.problem.empty() ? "as it was" : one.problem));
            if (!one.remedy.empty()) {
                printLine("  remedy: " + one.remedy);
            }
        }
    }
    if (context.json) {
        printJson("contract-verify", {{"items", list}, {"intact", context.exitCode == 0}});
    }
}

}  // namespace

void addContractCommand(CLI::App& app, Context& context) {
    auto* contract = app.add_subcommand("contract", "Show, compare or verify what is frozen");
    contract->require_subcommand(1);
    contract->add_subcommand("show", "Every field, and the hash")->callback([&context] {
        runShow(context);
    });
    auto* diff = contract->add_subcommand("diff", "The fields in which another contract differs");
    auto other = std::make_shared<std::string>();
    diff->add_option("other", *other, "Project folder or contract.json")->required();
    diff->callback([&context, other] { runDiff(context, *other); });
    contract
        ->add_subcommand("verify",
                         "Hash everything again: contract, split, pictures, weights, runs")
        ->callback([&context] { runVerify(context); });
}

}  // namespace receiptbench
