// A folder tree: label/..., or split/label/.... Links to folders are not followed, so a scan always
// ends.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/data/file_bytes.h"
#include "core/data/import/candidates.h"

namespace receiptbench {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 18> kPictureSuffixes{
    ".jpg",  ".jpeg", ".jpe",  ".jfif", ".png",  ".bmp", ".dib", ".webp", ".tif",
    ".tiff", ".gif",  ".heic", ".heif", ".avif", ".jp2", ".jxl", ".ppm",  ".svg"};
// What other tools call their splits. Taken for labels, they would silently become classes.
constexpr std::array<std::string_view, 9> kSplitNames{
    "train", "val", "valid", "validation", "dev", "test", "eval", "training", "testing"};
constexpr std::size_t kDeepest = 64;

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return result;
}

bool hasPictureSuffix(const std::string& name) {
    const std::string suffix = lower(fs::path(name).extension().string());
    return std::find(kPictureSuffixes.begin(), kPictureSuffixes.end(), suffix) !=
           kPictureSuffixes.end();
}

bool isSplitName(const std::string& name) {
    return std::find(kSplitNames.begin(), kSplitNames.end(), lower(name)) != kSplitNames.end();
}

struct Entry {
    std::string name;
    bool folder = false, link = false;
};

// By bytes: the order of classes and photos is the same on every machine and in every locale.
std::vector<Entry> listSorted(const std::string& folder) {
    std::vector<Entry> entries;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        entries.push_back(
            {it->path().filename().string(), it->is_directory(ignored), it->is_symlink(ignored)});
    }
    if (error) {
        throw Error(ErrorCode::Data,
                    fmt::format("{} cannot be listed: {}", printable(folder), error.message()),
                    "Allow reading it, or leave it out.");
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.name < b.name; });
    return entries;
}

class TreeScan {
 public:
    TreeScan(std::string root, const ImportOptions& options)
        : options_(options),
          declared_(options.declaredLabels.begin(), options.declaredLabels.end()) {
        found_.root = std::move(root);
    }

    Candidates run() {
        const bool splits = isSplitTree();
        for (const Entry& entry : listSorted(found_.root)) {
            if (!visible(entry, entry.name)) {
                continue;
            }
            if (!entry.folder) {
                takeLoose(entry.name, "");
            } else if (splits) {
                scanSplit(entry.name);
            } else {
                scanClass(entry.name, entry.name, "");
            }
        }
        finish();
        return std::move(found_);
    }

 private:
    // Every folder at the top is called like a split, or train and val are both there.
    bool isSplitTree() {
        bool all = true, train = false, val = false, any = false;
        std::vector<std::string> others;
        for (const Entry& entry : listSorted(found_.root)) {
            if (!entry.folder || entry.link || entry.name.starts_with('.')) {
                continue;
            }
            any = true;
            all &= isSplitName(entry.name);
            train |= entry.name == "train";
            val |= entry.name == "val";
            if (entry.name != "train" && entry.name != "val") {
                others.push_back(fmt::format("\"{}\"", printable(entry.name)));
            }
        }
        const bool splits = (any && all) || (train && val);
        if (splits && !others.empty()) {
            throw Error(ErrorCode::Data,
                        fmt::format("{} holds unknown split folders: {}", printable(found_.root),
                                    shortList(others)),
                        "Name the splits exactly train and val, and move other folders away.");
        }
        return splits;
    }

    void scanSplit(const std::string& split) {
        for (const Entry& entry : listSorted(found_.root + "/" + split)) {
            const std::string path = split + "/" + entry.name;
            if (!visible(entry, path)) {
                continue;
            }
            if (entry.folder) {
                scanClass(path, entry.name, split);
            } else {
                takeLoose(path, split);
            }
        }
    }

    void scanClass(const std::string& folder, const std::string& label, const std::string& split) {
        const std::size_t before = found_.items.size() + found_.rejects.size();
        scanFiles(folder, label, split, 0);
        if (found_.items.size() + found_.rejects.size() == before) {
            emptyClasses_.push_back(fmt::format("\"{}\"", printable(folder)));
        }
    }

    void scanFiles(const std::string& folder, const std::string& label, const std::string& split,
                   std::size_t depth) {
        if (depth > kDeepest) {
            throw Error(ErrorCode::Data,
                        fmt::format("{} is nested more than {} deep", printable(folder), kDeepest));
        }
        for (const Entry& entry : listSorted(found_.root + "/" + folder)) {
            const std::string path = folder + "/" + entry.name;
            if (!visible(entry, path)) {
                continue;
            }
            if (entry.folder) {
                scanFiles(path, label, split, depth + 1);
            } else if (isPicture(path, entry.name)) {
                take(path, label, split);
            }
        }
    }

    void takeLoose(const std::string& path, const std::string& split) {
        if (!isPicture(path, path)) {
            return;
        }
        if (!options_.impliedLabel.empty()) {
            take(path, options_.impliedLabel, split);
        } else {
            reject(path, RejectReason::EmptyLabel,
                   "has no class: put it into a folder named for its label");
        }
    }

    void take(const std::string& path, const std::string& label, const std::string& split) {
        if (!isValidUtf8(path)) {
            reject(path, RejectReason::InvalidUtf8, "its name is not UTF-8; rename it");
        } else if (!declared_.empty() && declared_.count(label) == 0) {
            reject(path, RejectReason::UnknownLabel,
                   fmt::format("label \"{}\" is none of {}", printable(label),
                               shortList(options_.declaredLabels)));
        } else {
            found_.items.push_back({path, label, {}, split, 0});
        }
    }
    void reject(const std::string& path, RejectReason reason, std::string message) {
        found_.rejects.push_back(
            {isValidUtf8(path) ? path : printable(path), 0, reason, std::move(message)});
    }

    bool visible(const Entry& entry, const std::string& path) {
        if (entry.name.starts_with('.')) {
            hidden_.push_back(printable(path));
            return false;
        }
        if (entry.folder && entry.link) {
            folderLinks_.push_back(printable(path));
            return false;
        }
        return true;
    }
    // A read-me or a thumbnail database among photos is no error of theirs.
    bool isPicture(const std::string& path, const std::string& name) {
        if (hasPictureSuffix(name) || startsLikePicture(found_.root + "/" + path)) {
            return true;
        }
        otherFiles_.push_back(printable(path));
        return false;
    }

    void finish() {
        std::sort(found_.items.begin(), found_.items.end(),
                  [](const Candidate& a, const Candidate& b) { return a.path < b.path; });
        const auto warn = [&](const std::vector<std::string>& names, const char* what) {
            if (!names.empty()) {
                found_.warnings.push_back(
                    fmt::format("{} {}: {}", names.size(), what, shortList(names)));
            }
        };
        warn(emptyClasses_, "folders without a photo are no classes");
        warn(otherFiles_, "files that are no pictures were passed over");
        warn(hidden_, "hidden files or folders were passed over");
        warn(folderLinks_, "links to folders were not followed");
    }

    const ImportOptions& options_;
    const std::set<std::string> declared_;
    Candidates found_;
    std::vector<std::string> emptyClasses_, otherFiles_, hidden_, folderLinks_;
};

}  // namespace

Candidates scanTree(const std::string& folder, const ImportOptions& options) {
    std::error_code error;
    const std::string root = fs::canonical(folder, error).string();
    if (error) {
        throw Error(ErrorCode::Usage, fmt::format("{}: {}", printable(folder), error.message()),
                    "Give a manifest or a folder of photos.");
    }
    return TreeScan(root, options).run();
}

}  // namespace receiptbench
