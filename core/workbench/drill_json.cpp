#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/workbench/drill.h"

namespace receiptbench {
namespace {

using nlohmann::json;

constexpr const char* kKinds[] = {"file", "directory", "link", "other"};

json entriesJson(const std::vector<DirectoryEntry>& entries) {
    json list = json::array();
    for (const auto& entry : entries) {
        list.push_back({{"name", printable(entry.name)},
                        {"kind", kKinds[static_cast<int>(entry.kind)]},
                        {"size", entry.size}});
    }
    return list;
}

std::vector<DirectoryEntry> entriesFrom(const json& list) {
    std::vector<DirectoryEntry> entries;
    for (const auto& entry : list) {
        const auto kind = entry.at("kind").get<std::string>();
        int index = 0;
        while (index < 3 && kind != kKinds[index]) {
            ++index;
        }
        entries.push_back({entry.at("name").get<std::string>(), static_cast<EntryKind>(index),
                           entry.at("size").get<std::uint64_t>()});
    }
    return entries;
}

json tapeJson(const std::vector<FileCall>& tape) {
    json list = json::array();
    for (const auto& call : tape) {
        list.push_back({{"index", call.index},
                        {"operation", call.operation},
                        {"path", call.path},
                        {"bytes", call.bytes}});
    }
    return list;
}

std::vector<FileCall> tapeFrom(const json& list) {
    std::vector<FileCall> tape;
    for (const auto& call : list) {
        tape.push_back({call.at("index").get<std::int64_t>(),
                        call.at("operation").get<std::string>(), call.at("path").get<std::string>(),
                        call.at("bytes").get<std::uint64_t>()});
    }
    return tape;
}

json rejectedJson(const std::vector<RejectedFile>& rejected) {
    json list = json::array();
    for (const auto& file : rejected) {
        list.push_back({{"file", printable(file.file)}, {"reason", printable(file.reason)}});
    }
    return list;
}

}  // namespace

void to_json(json& out, const DrillResult& result) {
    out = {{"run", result.run},
           {"folder", result.folder},
           {"tape", tapeJson(result.tape)},
           {"crashedAtCall", result.crashedAtCall},
           {"crashedAtUpdate", result.crashedAtUpdate},
           {"when", toString(result.when)},
           {"childSignal", result.childSignal},
           {"childExit", result.childExit},
           {"before", entriesJson(result.before)},
           {"afterCrash", entriesJson(result.afterCrash)},
           {"afterRecovery", entriesJson(result.afterRecovery)},
           {"chosen", result.chosen},
           {"rejected", rejectedJson(result.rejected)},
           {"removedTemporaries", result.removedTemporaries},
           {"resumedAtUpdate", result.resumedAtUpdate},
           {"comparedUpdates", result.comparedUpdates},
           {"equalUpdates", result.equalUpdates},
           {"firstUpdateEqual", result.firstUpdateEqual},
           {"proven", result.proven},
           {"notBitExact", result.notBitExact},
           {"tolerance", result.tolerance},
           {"measuredDifference", result.measuredDifference},
           {"negativeControl", result.negativeControl},
           {"negativeControlDiffers", result.negativeControlDiffers}};
}

void from_json(const json& in, DrillResult& result) {
    result = {};
    in.at("run").get_to(result.run);
    in.at("folder").get_to(result.folder);
    result.tape = tapeFrom(in.at("tape"));
    in.at("crashedAtCall").get_to(result.crashedAtCall);
    in.at("crashedAtUpdate").get_to(result.crashedAtUpdate);
    result.when = parseCrashWhen(in.at("when").get<std::string>());
    in.at("childSignal").get_to(result.childSignal);
    in.at("childExit").get_to(result.childExit);
    result.before = entriesFrom(in.at("before"));
    result.afterCrash = entriesFrom(in.at("afterCrash"));
    result.afterRecovery = entriesFrom(in.at("afterRecovery"));
    in.at("chosen").get_to(result.chosen);
    for (const auto& file : in.at("rejected")) {
        result.rejected.push_back(
            {file.at("file").get<std::string>(), file.at("reason").get<std::string>()});
    }
    in.at("removedTemporaries").get_to(result.removedTemporaries);
    in.at("resumedAtUpdate").get_to(result.resumedAtUpdate);
    in.at("comparedUpdates").get_to(result.comparedUpdates);
    in.at("equalUpdates").get_to(result.equalUpdates);
    in.at("firstUpdateEqual").get_to(result.firstUpdateEqual);
    in.at("proven").get_to(result.proven);
    in.at("notBitExact").get_to(result.notBitExact);
    in.at("tolerance").get_to(result.tolerance);
    in.at("measuredDifference").get_to(result.measuredDifference);
    in.at("negativeControl").get_to(result.negativeControl);
    in.at("negativeControlDiffers").get_to(result.negativeControlDiffers);
}

std::vector<DrillResult> listDrills(const Project& project) {
    std::vector<DrillResult> drills;
    auto& files = project.files();
    if (!files.exists(project.paths().drills())) {
        return drills;
    }
    for (const auto& entry : files.list(project.paths().drills())) {
        const auto path = joinPath(joinPath(project.paths().drills(), entry.name), "drill.json");
        if (entry.kind == EntryKind::Directory &&
            files.exists(path)) {  // without it: a drill that was cut short
            drills.push_back(parseJson(readText(files, path), path).get<DrillResult>());
        }
    }
    return drills;
}

}  // namespace receiptbench
