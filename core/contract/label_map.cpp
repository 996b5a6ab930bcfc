#include "core/contract/label_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"

namespace receiptbench {
namespace {

const std::vector<std::string>& ownLabels() {
    static const std::vector<std::string> labels{"readable", "blurred", "cut-off"};
    return labels;
}

}  // namespace

LabelMap::LabelMap(std::vector<std::string> names) : names_(std::move(names)) {
    std::set<std::string> seen;
    for (const std::string& name : names_) {
        if (name.empty() || !isValidUtf8(name)) {
            throw Error(ErrorCode::Data, fmt::format("label \"{}\" is {}", printable(name),
                                                     name.empty() ? "empty" : "not valid UTF-8"));
        }
        if (!seen.insert(name).second) {
            throw Error(ErrorCode::Data, fmt::format("label \"{}\" appears twice", printable(name)),
                        "give each class one name");
        }
    }
}

LabelMap LabelMap::fromLabels(const std::vector<std::string>& labels) {
    const std::set<std::string> distinct(labels.begin(), labels.end());  // in byte order
    const auto& own = ownLabels();
    const bool allOwn =
        std::all_of(distinct.begin(), distinct.end(), [&](const std::string& label) {
            return std::find(own.begin(), own.end(), label) != own.end();
        });
    return LabelMap(allOwn ? own : std::vector<std::string>(distinct.begin(), distinct.end()));
}

std::optional<std::int64_t> LabelMap::index(const std::string& wanted) const {
    const auto found = std::find(names_.begin(), names_.end(), wanted);
    if (found == names_.end()) {
        return std::nullopt;
    }
    return found - names_.begin();
}

}  // namespace receiptbench
