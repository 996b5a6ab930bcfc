// What was imported, on disk: catalogue.json for the program, rejects.csv for people.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/workbench/catalogue.h"

namespace receiptbench {
namespace {

using nlohmann::json;

RejectReason parseReason(const std::string& text) {
    for (int value = 0; value <= static_cast<int>(RejectReason::Hidden); ++value) {
        if (toString(static_cast<RejectReason>(value)) == text) {
            return static_cast<RejectReason>(value);
        }
    }
    throw Error(ErrorCode::Data, "reject reason \"" + printable(text) + "\" is unknown");
}

json itemsJson(const std::vector<CatalogueItem>& items) {
    json list = json::array();
    for (const auto& item : items) {
        list.push_back({{"path", item.path},
                        {"label", item.label},
                        {"identity", item.identity},
                        {"split", item.split},
                        {"sha256", item.sha256},
                        {"line", item.line}});
    }
    return list;
}

// Paths of rejected rows may hold anything: what is not UTF-8 cannot stand in JSON.
json rejectsJson(const std::vector<Reject>& rejects) {
    json list = json::array();
    for (const auto& reject : rejects) {
        list.push_back({{"path", isValidUtf8(reject.path) ? reject.path : printable(reject.path)},
                        {"line", reject.line},
                        {"reason", toString(reject.reason)},
                        {"message", printable(reject.message)}});
    }
    return list;
}

Catalogue parseCatalogue(const json& content) {
    Catalogue catalogue;
    content.at("root").get_to(catalogue.root);
    content.at("warnings").get_to(catalogue.warnings);
    for (const auto& item : content.at("items")) {
        catalogue.items.push_back(
            {item.at("path").get<std::string>(), item.at("label").get<std::string>(),
             item.at("identity").get<std::string>(), item.at("split").get<std::string>(),
             item.at("sha256").get<std::string>(), item.at("line").get<std::int64_t>()});
    }
    for (const auto& reject : content.at("rejects")) {
        catalogue.rejects.push_back({reject.at("path").get<std::string>(),
                                     reject.at("line").get<std::int64_t>(),
                                     parseReason(reject.at("reason").get<std::string>()),
                                     reject.at("message").get<std::string>()});
    }
    return catalogue;
}

json readCatalogue(const Project& project) {
    const auto path = project.paths().catalogue();
    if (!project.files().exists(path)) {
        throw Error(ErrorCode::Data, project.paths().root + ": nothing was imported yet",
                    "run receiptbench import SOURCE, or receiptbench freeze --example N");
    }
    auto content = json::parse(readText(project.files(), path), nullptr, false);
    if (!content.is_object()) {
        throw Error(ErrorCode::Data, path + " is damaged", "import again");
    }
    return content;
}

}  // namespace

void saveCatalogue(const Project& project, const Catalogue& catalogue, bool readableOnly) {
    const json content{{"format", 1},
                       {"root", catalogue.root},
                       {"readableOnly", readableOnly},
                       {"items", itemsJson(catalogue.items)},
                       {"rejects", rejectsJson(catalogue.rejects)},
                       {"warnings", catalogue.warnings}};
    std::string table = "path,line,reason,message\n";
    for (const auto& reject : catalogue.rejects) {
        table += fmt::format("{},{},{},{}\n", csvCell(printable(reject.path)), reject.line,
                             toString(reject.reason), csvCell(printable(reject.message)));
    }
    writeAtomically(project.files(), project.paths().rejects(), table);
    writeAtomically(project.files(), project.paths().catalogue(),
                    content.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

std::unique_ptr<FileLock> lockProject(const Project& project) {
    auto lock = project.files().tryLock(joinPath(project.paths().root, "project.lock"));
    if (!lock) {
        throw Error(ErrorCode::Failed,
                    project.paths().root + " is being imported into or frozen by another process",
                    "wait for it or stop it; its lock frees itself when it ends");
    }
    return lock;
}

Catalogue importInto(Project& project, const ImportOptions& options, Progress& progress) {
    const auto lock = lockProject(project);
    if (project.isFrozen()) {
        throw Error(ErrorCode::Failed,
                    project.paths().root + " is frozen: its images cannot be changed",
                    "import into a new project folder");
    }
    auto catalogue = importImages(options, progress);
    saveCatalogue(project, catalogue, !options.impliedLabel.empty());
    return catalogue;
}

Catalogue loadCatalogue(const Project& project) {
    try {
        return parseCatalogue(readCatalogue(project));
    } catch (const json::exception& error) {
        throw Error(ErrorCode::Data, project.paths().catalogue() + " is damaged: " + error.what(),
                    "import again");
    }
}

bool cataloguesReadableOnly(const Project& project) {
    return project.files().exists(project.paths().catalogue()) &&
           readCatalogue(project).value("readableOnly", false);
}

}  // namespace receiptbench
