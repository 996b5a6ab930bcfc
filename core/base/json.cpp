#include "core/base/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace receiptbench {
namespace {

// nlohmann's parser keeps the last of two equal keys: what one reader checks another could then see
// differently.
class DuplicateKeys {
 public:
    DuplicateKeys(const std::string& what, int deepest) : what_(what), deepest_(deepest) {}

    bool operator()(int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
        using Event = nlohmann::json::parse_event_t;
        if (depth > deepest_) {
            refuse(fmt::format("nested more than {} deep", deepest_));
        }
        if (event == Event::object_start) {
            keys_.emplace_back();
        } else if (event == Event::object_end) {
            keys_.pop_back();
        } else if (event == Event::key) {
            const auto& key = value.get_ref<const std::string&>();
            if (!keys_.back().insert(key).second) {
                refuse(fmt::format("key \"{}\" appears twice", printable(key)));
            }
        }
        return true;
    }

 private:
    [[noreturn]] void refuse(const std::string& reason) const {
        throw Error(ErrorCode::Data, fmt::format("{}: {}", what_, reason));
    }
    const std::string& what_;
    int deepest_;
    std::vector<std::set<std::string>> keys_;
};

}  // namespace

nlohmann::json parseJson(std::string_view text, const std::string& what, int deepest) {
    DuplicateKeys check(what, deepest);
    try {
        return nlohmann::json::parse(
            text, [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
                return check(depth, event, value);
            });
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorCode::Data,
                    fmt::format("{}: not valid JSON: {}", what, printable(error.what())));
    }
}

}  // namespace receiptbench
