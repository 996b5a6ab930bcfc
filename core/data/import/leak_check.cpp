// What would let a photo of one receipt stand on both sides of a split.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "core/base/text.h"
#include "core/data/import/candidates.h"

namespace receiptbench {

std::string shortList(const std::vector<std::string>& entries, std::size_t most) {
    std::string list;
    for (std::size_t i = 0; i < std::min(entries.size(), most); ++i) {
        list += (i == 0 ? "" : ", ") + printable(entries[i]);
    }
    return entries.size() > most ? fmt::format("{} and {} more", list, entries.size() - most)
                                 : list;
}

namespace {

std::string shown(const std::string& identity) {
    constexpr std::size_t kMost = 60;
    const std::string text = printable(identity);
    return text.size() > kMost
               ? fmt::format("\"{}...\" ({} characters)", text.substr(0, kMost), text.size())
               : fmt::format("\"{}\"", text);
}

void checkSpellings(const std::vector<Candidate>& items, const std::string& source) {
    std::unordered_map<std::string_view, const Candidate*> firstOfSpelling;
    for (const Candidate& item : items) {
        firstOfSpelling.emplace(item.identity, &item);
    }
    std::map<std::string, std::vector<const Candidate*>> byKey;
    for (const auto& [spelling, item] : firstOfSpelling) {
        byKey[identityKey(spelling)].push_back(item);
    }
    std::vector<std::pair<std::int64_t, std::string>> variants;
    for (auto& [key, uses] : byKey) {
        if (uses.size() < 2) {
            continue;
        }
        std::sort(uses.begin(), uses.end(),
                  [](const Candidate* a, const Candidate* b) { return a->line < b->line; });
        std::string text;
        for (const Candidate* use : uses) {
            text += fmt::format("{}{} (line {})", text.empty() ? "" : " = ", shown(use->identity),
                                use->line);
        }
        variants.emplace_back(uses.front()->line, std::move(text));
    }
    if (variants.empty()) {
        return;
    }
    std::sort(variants.begin(), variants.end());
    std::vector<std::string> texts;
    for (auto& variant : variants) {
        texts.push_back(std::move(variant.second));
    }
    throw Error(ErrorCode::Data,
                fmt::format("{}: identities that differ only by case, blanks or Unicode form: {}",
                            printable(source), shortList(texts)),
                "Spell one receipt's identity in one way; a receipt under two names leaks between "
                "the splits.");
}

void checkSplits(const std::vector<Candidate>& items, const std::string& source) {
    std::unordered_map<std::string_view, const Candidate*> firstOf;
    std::set<std::string_view> reported;
    std::vector<std::string> texts;
    for (const Candidate& item : items) {
        const Candidate* first = firstOf.emplace(item.identity, &item).first->second;
        if (first->split != item.split && reported.insert(item.identity).second) {
            texts.push_back(fmt::format("{} ({} on line {}, {} on line {})", shown(item.identity),
                                        first->split, first->line, item.split, item.line));
        }
    }
    if (!texts.empty()) {
        throw Error(
            ErrorCode::Data,
            fmt::format("{}: identities in two splits: {}", printable(source), shortList(texts)),
            "Keep all photos of one receipt in one split, or leave the split column out.");
    }
}

}  // namespace

void checkIdentities(const std::vector<Candidate>& items, const std::string& source) {
    if (items.empty() || items.front().identity.empty()) {
        return;  // a manifest names an identity in every row or in none
    }
    checkSpellings(items, source);
    checkSplits(items, source);
}

namespace {

using Group = std::vector<CatalogueItem*>;  // equal bytes, in the catalogue's order

std::vector<Group> equalFiles(Catalogue& catalogue) {
    std::unordered_map<std::string_view, std::size_t> groupOf;
    std::vector<Group> groups;
    for (CatalogueItem& item : catalogue.items) {
        const auto [found, isNew] = groupOf.emplace(item.sha256, groups.size());
        if (isNew) {
            groups.emplace_back();
        }
        groups[found->second].push_back(&item);
    }
    groups.erase(std::remove_if(groups.begin(), groups.end(),
                                [](const Group& group) { return group.size() < 2; }),
                 groups.end());
    return groups;
}

bool differ(const Group& group, std::string CatalogueItem::*member) {
    return std::any_of(group.begin(), group.end(), [&](const CatalogueItem* item) {
        return item->*member != group.front()->*member;
    });
}

std::string textOf(const Group& group, std::string CatalogueItem::*shownToo = nullptr) {
    std::vector<std::string> parts;
    for (const CatalogueItem* item : group) {
        parts.push_back(shownToo == nullptr ? item->path
                                            : fmt::format("{} ({})", item->path, item->*shownToo));
    }
    std::string text = printable(parts.front());
    for (std::size_t i = 1; i < std::min<std::size_t>(parts.size(), 4); ++i) {
        text += " = " + printable(parts[i]);
    }
    return parts.size() > 4 ? fmt::format("{} and {} more", text, parts.size() - 4) : text;
}

// Identities linked by equal bytes, directly or through others.
class IdentitySets {
 public:
    explicit IdentitySets(const Catalogue& catalogue) {
        for (const CatalogueItem& item : catalogue.items) {
            if (indexOf_.emplace(item.identity, names_.size()).second) {
                names_.push_back(item.identity);
            }
        }
        parent_.resize(names_.size());
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }
    void join(const std::string& a, const std::string& b) {
        const std::size_t x = rootOf(indexOf_.at(a)), y = rootOf(indexOf_.at(b));
        parent_[std::max(x, y)] = std::min(x, y);  // the first one named stands
    }
    const std::string& nameOf(const std::string& identity) {
        return names_[rootOf(indexOf_.at(identity))];
    }

 private:
    std::size_t rootOf(std::size_t index) {
        while (parent_[index] != index) {
            index = parent_[index] = parent_[parent_[index]];
        }
        return index;
    }
    std::unordered_map<std::string, std::size_t> indexOf_;
    std::vector<std::string> names_;
    std::vector<std::size_t> parent_;
};

void mergeIdentities(Catalogue& catalogue, const std::vector<Group>& groups) {
    IdentitySets sets(catalogue);
    for (const Group& group : groups) {
        for (const CatalogueItem* item : group) {
            sets.join(group.front()->identity, item->identity);
        }
    }
    for (CatalogueItem& item : catalogue.items) {
        item.identity = sets.nameOf(item.identity);
    }
}

}  // namespace

void joinEqualFiles(Catalogue& catalogue) {
    const std::vector<Group> groups = equalFiles(catalogue);
    std::vector<std::string> conflicts, leaks, merged, repeated;
    std::vector<Group> toMerge;
    for (const Group& group : groups) {
        if (differ(group, &CatalogueItem::label)) {
            conflicts.push_back(textOf(group, &CatalogueItem::label));
        }
        if (differ(group, &CatalogueItem::split)) {
            leaks.push_back(textOf(group, &CatalogueItem::split));
        } else if (differ(group, &CatalogueItem::identity) && group.front()->split.empty()) {
            merged.push_back(textOf(group, &CatalogueItem::identity));
            toMerge.push_back(group);
        } else {
            repeated.push_back(textOf(group));
        }
    }
    const auto warn = [&](const std::vector<std::string>& texts, const char* what) {
        if (!texts.empty()) {
            catalogue.warnings.push_back(
                fmt::format("{} {}: {}", texts.size(), what, shortList(texts)));
        }
    };
    warn(conflicts, "label conflicts, the same bytes under different labels");
    warn(leaks, "leaks, the same bytes in both splits");
    warn(merged, "sets of equal files under different identities, each now one identity");
    warn(repeated, "sets of equal files, counted as often as they are there");
    if (!toMerge.empty()) {
        mergeIdentities(catalogue, toMerge);
    }
}

}  // namespace receiptbench
