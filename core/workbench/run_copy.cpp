#include "core/workbench/run_copy.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace receiptbench {
namespace {

using nlohmann::json;

// Events that a run interrupted right after that update would hold.
bool happenedUpTo(const json& event, std::int64_t update) {
    const auto type = event.value("type", "");
    if (type == "start") {
        return true;
    }
    if (type == "update") {
        return event.at("record").at("update").get<std::int64_t>() <= update;
    }
    if (type == "checkpoint") {
        return event.at("update").get<std::int64_t>() <= update;
    }
    return false;
}

std::string eventsUpTo(const std::string& text, std::int64_t update) {
    std::string kept;
    for (const auto& line : split(text, '\n')) {
        const auto event = json::parse(line, nullptr, false);
        if (event.is_object() && happenedUpTo(event, update)) {
            kept += line + "\n";
        }
    }
    return kept;
}

}  // namespace

void copyRunUpTo(FileSystem& files, const std::string& from, const std::string& to,
                 std::int64_t update) {
    files.makeDirectories(joinPath(to, "checkpoints"));
    for (const char* name : {"run.json", "contract.json", "check.json"}) {
        if (files.exists(joinPath(from, name))) {
            writeAtomically(files, joinPath(to, name), readText(files, joinPath(from, name)));
        }
    }
    const auto events = joinPath(from, "events.jsonl");
    writeAtomically(files, joinPath(to, "events.jsonl"),
                    eventsUpTo(readText(files, events), update));
}

}  // namespace receiptbench
