// events.jsonl read back: what happened, once each, whatever crashes and resumes lie in between.
#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "core/base/json.h"
#include "core/contract/json_fields.h"
#include "core/runs/run_directory.h"
#include "core/runs/run_json.h"

namespace receiptbench {
namespace {

using nlohmann::json;

class HistoryReader {
 public:
    void add(std::string_view line) {
        if (line.empty()) {
            return;  // what an append after a cut line began with
        }
        try {
            addEvent(parseJson(line, kEventsFile));
        } catch (const Error&) {
            ++history_.damagedLines;
        } catch (const json::exception&) {
            ++history_.damagedLines;
        }
    }

    RunHistory finish() {
        for (auto& [number, record] : updates_) {
            history_.updates.push_back(std::move(record));
        }
        return std::move(history_);
    }

 private:
    void addEvent(json event) {
        JsonFields fields(event, "");
        std::string type;
        fields.read("type", type);
        if (type == "update") {
            UpdateRecord record = fields.at("record").get<UpdateRecord>();
            updates_[record.update] = std::move(record);
        } else if (type == "memory") {
            addMemory(fields.at("samples").get<std::vector<MemorySample>>());
        } else if (type == "checkpoint") {
            history_.checkpoints.push_back(std::move(event));
        } else if (type == "resume") {
            std::int64_t update = 0;
            fields.read("update", update);
            forgetAfter(update);
            history_.resumes.push_back(std::move(event));
        } else if (type == "message") {
            history_.messages.push_back(std::move(event));
        } else if (type == "end") {
            history_.end = std::move(event);
        }
    }

    void addMemory(std::vector<MemorySample> samples) {
        std::move(samples.begin(), samples.end(), std::back_inserter(history_.memory));
    }

    // The run continues after `update`: what came later is not its past any more, nor is its end.
    void forgetAfter(std::int64_t update) {
        updates_.erase(updates_.upper_bound(update), updates_.end());
        std::erase_if(history_.memory,
                      [&](const MemorySample& sample) { return sample.update > update; });
        history_.end = nullptr;
    }

    std::map<std::int64_t, UpdateRecord> updates_;
    RunHistory history_;
};

}  // namespace

RunHistory readHistory(FileSystem& files, const std::string& runFolder) {
    HistoryReader reader;
    const std::string path = joinPath(runFolder, kEventsFile);
    if (!files.exists(path)) {
        return reader.finish();  // died before its first event
    }
    const std::string text = readText(files, path);
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        reader.add(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return reader.finish();
}

}  // namespace receiptbench
