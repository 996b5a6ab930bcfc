#include "core/data/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/file_system.h"
#include "core/base/text.h"
#include "core/data/import/candidates.h"
#include "core/data/import/manifest.h"

namespace receiptbench {

std::string rejectsCsv(const std::vector<Reject>& rejects) {
    std::string text = "path,line,reason,message\n";
    for (const Reject& reject : rejects) {
        text += fmt::format("{},{},{},{}\n", csvCell(reject.path), reject.line,
                            toString(reject.reason), csvCell(reject.message));
    }
    return text;
}

std::string countByReason(const std::vector<Reject>& rejects) {
    std::map<std::string, std::int64_t> counts;
    for (const Reject& reject : rejects) {
        ++counts[toString(reject.reason)];
    }
    std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (const auto& [reason, count] : sorted) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason, count);
    }
    return text;
}

namespace {

namespace fs = std::filesystem;

void checkOptions(const ImportOptions& options) {
    for (const auto& [ours, theirs] : options.columns) {
        if (std::find(kFieldNames.begin(), kFieldNames.end(), ours) == kFieldNames.end() ||
            theirs.empty()) {
            throw Error(
                ErrorCode::Usage,
                fmt::format("column \"{}\" = \"{}\" cannot be mapped", printable(ours),
                            printable(theirs)),
                "Map path, label, identity, split or weight to the name that the manifest uses.");
        }
    }
}

// Hugging Face's image folder: a metadata file beside the images speaks for them.
std::string manifestIn(const std::string& folder) {
    for (const char* name : {"metadata.csv", "metadata.jsonl"}) {
        std::error_code ignored;
        if (fs::is_regular_file(fs::path(folder) / name, ignored)) {
            return (fs::path(folder) / name).string();
        }
    }
    return {};
}

bool hasManifestSuffix(const std::string& path) {
    const auto suffix = fs::path(path).extension().string();
    return suffix == ".csv" || suffix == ".tsv" || suffix == ".jsonl" || suffix == ".ndjson";
}

Candidates readSource(const ImportOptions& options) {
    std::error_code error;
    const bool folder = fs::is_directory(options.source, error);
    if (!fs::exists(options.source, error)) {
        throw Error(ErrorCode::Usage, fmt::format("{} does not exist", printable(options.source)),
                    "Give a manifest (.csv, .tsv, .jsonl) or a folder of photos.");
    }
    const std::string manifest = folder ? manifestIn(options.source) : options.source;
    return manifest.empty() ? scanTree(options.source, options) : readManifest(manifest, options);
}

Catalogue catalogueOf(Candidates&& candidates, const std::vector<Examined>& examined) {
    Catalogue catalogue{std::move(candidates.root),
                        {},
                        std::move(candidates.rejects),
                        std::move(candidates.warnings)};
    for (std::size_t i = 0; i < examined.size(); ++i) {
        Candidate& item = candidates.items[i];
        if (examined[i].problem) {
            catalogue.rejects.push_back({std::move(item.path), item.line,
                                         examined[i].problem->reason,
                                         examined[i].problem->message});
        } else {
            // Without identities each file is its own receipt.
            std::string identity = item.identity.empty() ? item.path : trimBlanks(item.identity);
            catalogue.items.push_back({std::move(item.path), std::move(item.label),
                                       std::move(identity), std::move(item.split),
                                       examined[i].sha256, item.line});
        }
    }
    std::stable_sort(catalogue.rejects.begin(), catalogue.rejects.end(),
                     [](const Reject& a, const Reject& b) {
                         return a.line != b.line ? a.line < b.line : a.path < b.path;
                     });
    return catalogue;
}

std::string firstRejects(const std::vector<Reject>& rejects) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < std::min<std::size_t>(rejects.size(), 3); ++i) {
        const Reject& reject = rejects[i];
        texts.push_back(fmt::format("{}{} {}",
                                    reject.line > 0 ? fmt::format("line {}: ", reject.line) : "",
                                    reject.path, reject.message));
    }
    return shortList(texts);
}

void requireSomething(const Catalogue& catalogue, const ImportOptions& options) {
    const std::string source = printable(options.source);
    if (catalogue.items.empty() && catalogue.rejects.empty()) {
        throw Error(
            ErrorCode::Data, fmt::format("{} holds no photos", source),
            "Put the photos into folders named for their labels, or name them in a manifest.");
    }
    if (catalogue.items.empty()) {
        throw Error(ErrorCode::Data,
                    fmt::format("{}: nothing is left, {} rejected ({}): {}", source,
                                catalogue.rejects.size(), countByReason(catalogue.rejects),
                                firstRejects(catalogue.rejects)),
                    "Correct these rows or files.");
    }
    if (options.strict && !catalogue.rejects.empty()) {
        throw Error(ErrorCode::Data,
                    fmt::format("{}: {} rejected ({}): {}", source, catalogue.rejects.size(),
                                countByReason(catalogue.rejects), firstRejects(catalogue.rejects)),
                    "Correct these rows or files, or import without --strict.");
    }
}

void warnOfSpellings(const std::set<std::string>& labels, Catalogue& catalogue) {
    std::map<std::string, std::vector<std::string>> byKey;
    for (const std::string& label : labels) {
        byKey[identityKey(label)].push_back(label);
    }
    for (const auto& [key, spellings] : byKey) {
        if (spellings.size() > 1) {
            catalogue.warnings.push_back(fmt::format(
                "classes that differ only by case, blanks or Unicode form stay separate: {}",
                shortList(spellings)));
        }
    }
}

void warnOfAbsentClasses(const std::set<std::string>& labels, Catalogue& catalogue) {
    std::set<std::pair<std::string, std::string>> there;
    for (const CatalogueItem& item : catalogue.items) {
        there.emplace(item.split, item.label);
    }
    if (catalogue.items.front().split.empty()) {
        return;
    }
    for (const std::string& label : labels) {
        for (const char* split : {"train", "val"}) {
            if (there.count({split, label}) == 0) {
                catalogue.warnings.push_back(
                    fmt::format("class \"{}\" has no photo in {}", printable(label), split));
            }
        }
    }
}

void warnOfClasses(const ImportOptions& options, Catalogue& catalogue) {
    std::set<std::string> labels;
    for (const CatalogueItem& item : catalogue.items) {
        labels.insert(item.label);
    }
    if (catalogue.items.size() == 1) {
        catalogue.warnings.push_back("one photo only: it cannot be split, so it cannot be frozen");
    }
    if (labels.size() == 1 && options.impliedLabel.empty()) {
        catalogue.warnings.push_back(fmt::format(
            "one class only (\"{}\"): a classifier needs two, so it cannot be frozen as it is",
            printable(*labels.begin())));
    }
    warnOfSpellings(labels, catalogue);
    warnOfAbsentClasses(labels, catalogue);
}

}  // namespace

PhotoList listPhotos(const std::string& source) {
    PhotoList list;
    ImportOptions options;
    options.source = source;
    options.impliedLabel = "any";
    std::error_code ignored;
    if (!fs::is_directory(source, ignored) && !hasManifestSuffix(source)) {
        if (!fs::exists(source, ignored)) {
            throw Error(ErrorCode::Usage, printable(source) + " does not exist",
                        "name a picture, a folder or a manifest");
        }
        list.paths.push_back(source);
        return list;
    }
    auto found = readSource(options);
    for (const auto& item : found.items) {
        list.paths.push_back(joinPath(found.root, item.path));
    }
    list.rejects = std::move(found.rejects);
    return list;
}

Catalogue importImages(const ImportOptions& options, Progress& progress) {
    checkOptions(options);
    Candidates candidates = readSource(options);
    checkIdentities(candidates.items, options.source);
    const std::vector<Examined> examined =
        examineFiles(candidates.root, candidates.items, options.decodeAll, progress);
    Catalogue catalogue = catalogueOf(std::move(candidates), examined);
    requireSomething(catalogue, options);
    joinEqualFiles(catalogue);
    warnOfClasses(options, catalogue);
    return catalogue;
}

}  // namespace receiptbench
