#include "core/data/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/base/random.h"
#include "core/base/text.h"

namespace receiptbench {
namespace {

// What must stay together.
struct Group {
    std::string name;       // its first identity in byte order
    std::uint64_t lot = 0;  // random, from seed and name
    std::vector<std::size_t> items;
    std::set<std::string> labels;
    bool validation = false;
};

std::string where(const CatalogueItem& item) {
    return item.line > 0 ? fmt::format("{} (line {})", printable(item.path), item.line)
                         : printable(item.path);
}

// Identities joined where two of them hold a file with the same bytes.
class Joined {
 public:
    explicit Joined(const std::vector<CatalogueItem>& items) {
        std::map<std::string, std::string> holder;
        for (const CatalogueItem& item : items) {
            if (item.sha256.empty()) {
                continue;
            }
            const auto [place, isNew] = holder.emplace(item.sha256, item.identity);
            if (!isNew) {
                join(place->second, item.identity);
            }
        }
    }
    std::string root(const std::string& identity) const {
        std::string name = identity;
        for (auto next = parent_.find(name); next != parent_.end(); next = parent_.find(name)) {
            name = next->second;
        }
        return name;
    }

 private:
    void join(const std::string& left, const std::string& right) {
        const std::string a = root(left), b = root(right);
        if (a != b) {
            parent_[std::max(a, b)] = std::min(a, b);
        }
    }
    std::map<std::string, std::string> parent_;
};

std::vector<Group> makeGroups(const std::vector<CatalogueItem>& items, std::uint64_t seed) {
    const Joined joined(items);
    std::map<std::string, Group> groups;
    for (std::size_t i = 0; i < items.size(); ++i) {
        Group& group = groups[joined.root(items[i].identity)];
        group.items.push_back(i);
        group.labels.insert(items[i].label);
    }
    std::vector<Group> result;
    for (auto& [name, group] : groups) {
        group.name = name;
        group.lot = RandomStream(seed, "split", hashName(name)).next64();
        result.push_back(std::move(group));
    }
    std::sort(result.begin(), result.end(), [](const Group& a, const Group& b) {
        return std::tie(a.lot, a.name) < std::tie(b.lot, b.name);
    });
    return result;
}

// Within each stratum the first ones of the draw, until the share is reached; what rounding leaves
// over is owed to the next.
void drawValidation(std::vector<Group>& groups, double share) {
    std::map<std::set<std::string>, std::vector<Group*>> strata;
    for (Group& group : groups) {
        strata[group.labels].push_back(&group);
    }
    double owed = 0;
    for (auto& [labels, members] : strata) {
        for (const Group* group : members) {
            owed += share * static_cast<double>(group->items.size());
        }
        for (Group* group : members) {
            const auto size = static_cast<double>(group->items.size());
            if (size / 2 <= owed) {
                group->validation = true;
                owed -= size;
            }
        }
    }
}

int countOf(const std::vector<Group>& groups, const std::string& label, bool validation) {
    return static_cast<int>(std::count_if(groups.begin(), groups.end(), [&](const Group& group) {
        return group.validation == validation && group.labels.count(label) > 0;
    }));
}

// Moves the first group that carries label to the side that lacks it, unless that empties the other
// side of any class.
void bringClass(std::vector<Group>& groups, const std::string& label, bool toValidation) {
    for (Group& group : groups) {
        if (group.validation == toValidation || group.labels.count(label) == 0) {
            continue;
        }
        const bool others = std::all_of(
            group.labels.begin(), group.labels.end(),
            [&](const std::string& own) { return countOf(groups, own, !toValidation) >= 2; });
        if (others) {
            group.validation = toValidation;
            return;
        }
    }
}

std::set<std::string> allLabels(const std::vector<Group>& groups) {
    std::set<std::string> labels;
    for (const Group& group : groups) {
        labels.insert(group.labels.begin(), group.labels.end());
    }
    return labels;
}

SplitResult resultOf(const std::vector<Group>& groups, std::size_t items) {
    SplitResult result{std::vector<bool>(items), {}};
    for (const Group& group : groups) {
        for (const std::size_t item : group.items) {
            result.validation[item] = group.validation;
        }
    }
    for (const std::string& label : allLabels(groups)) {
        for (const bool validation : {false, true}) {
            if (countOf(groups, label, validation) == 0) {
                result.warnings.push_back(
                    fmt::format("class '{}' is absent from {}: too few identities carry it",
                                printable(label), validation ? "validation" : "training"));
            }
        }
    }
    return result;
}

SplitResult drawSplit(const std::vector<CatalogueItem>& items, double share, std::uint64_t seed) {
    std::vector<Group> groups = makeGroups(items, seed);
    if (groups.size() < 2) {
        throw Error(ErrorCode::Data,
                    fmt::format("all {} images belong to one identity ('{}'): they cannot be split",
                                items.size(), printable(groups.front().name)),
                    "add photos of other receipts, or give each receipt its own identity");
    }
    drawValidation(groups, share);
    for (const std::string& label : allLabels(groups)) {
        for (const bool validation : {true, false}) {
            if (countOf(groups, label, validation) == 0) {
                bringClass(groups, label, validation);
            }
        }
    }
    // Groups that each carry their own set of labels may still lie on one side only.
    for (const bool validation : {true, false}) {
        if (std::all_of(groups.begin(), groups.end(),
                        [&](const Group& group) { return group.validation != validation; })) {
            groups.front().validation = validation;
        }
    }
    return resultOf(groups, items.size());
}

SplitResult keepSplit(const std::vector<CatalogueItem>& items) {
    std::map<std::string, const CatalogueItem*> firstOf, bytesOf;
    std::map<bool, std::map<std::string, std::int64_t>> classes;
    SplitResult result;
    for (const CatalogueItem& item : items) {
        if (item.split != "train" && item.split != "val") {
            throw Error(ErrorCode::Data,
                        fmt::format("{} has the split '{}'", where(item), printable(item.split)),
                        "use train or val in every row, or leave the column out in every row");
        }
        const auto [first, isNew] = firstOf.emplace(item.identity, &item);
        if (!isNew && first->second->split != item.split) {
            throw Error(ErrorCode::Data,
                        fmt::format("identity '{}' is in two splits: {} in {}, {} in {}",
                                    printable(item.identity), where(*first->second),
                                    first->second->split, where(item), item.split),
                        "put all photos of one receipt into one split");
        }
        const auto [same, isFirst] = bytesOf.emplace(item.sha256, &item);
        if (!item.sha256.empty() && !isFirst && same->second->split != item.split) {
            result.warnings.push_back(
                fmt::format("{} and {} have the same bytes but lie in different splits",
                            where(*same->second), where(item)));
        }
        result.validation.push_back(item.split == "val");
        ++classes[result.validation.back()][item.label];
    }
    for (const bool validation : {false, true}) {
        if (classes[validation].empty()) {
            throw Error(
                ErrorCode::Data,
                fmt::format("the supplied split has no row in '{}'", validation ? "val" : "train"),
                "move some identities there, or leave the split column out");
        }
        for (const auto& [label, count] : classes[!validation]) {
            if (classes[validation].count(label) == 0) {
                result.warnings.push_back(
                    fmt::format("class '{}' is absent from {} in the supplied split",
                                printable(label), validation ? "validation" : "training"));
            }
        }
    }
    return result;
}

}  // namespace

void checkValidationShare(double validationShare) {
    if (!(validationShare > 0 && validationShare < 1)) {
        throw Error(ErrorCode::Usage,
                    fmt::format("validation share {} is not between 0 and 1",
                                formatDouble(validationShare)),
                    "0.2 puts a fifth of the identities into validation");
    }
}

SplitResult splitByIdentity(const std::vector<CatalogueItem>& items, double validationShare,
                            std::uint64_t seed) {
    checkValidationShare(validationShare);
    if (items.empty()) {
        throw Error(ErrorCode::Data, "there is no image to split", "import some images first");
    }
    const auto supplied = std::find_if(
        items.begin(), items.end(), [](const CatalogueItem& item) { return !item.split.empty(); });
    return supplied != items.end() ? keepSplit(items) : drawSplit(items, validationShare, seed);
}

}  // namespace receiptbench
