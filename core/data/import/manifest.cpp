#include "core/data/import/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <unordered_map>

#include "core/base/text.h"
#include "core/data/file_bytes.h"

namespace receiptbench {

std::vector<std::string> namesOf(Field field, const ImportOptions& options) {
    const std::string own = kFieldNames[static_cast<std::size_t>(field)];
    if (const auto given = options.columns.find(own); given != options.columns.end()) {
        return {given->second};
    }
    return field == Field::Path ? std::vector<std::string>{own, "file", "file_name"}
                                : std::vector<std::string>{own};
}

PathResult normalisePath(std::string_view text) {
    const auto refuse = [](RejectReason reason, std::string message) {
        return PathResult{{}, Problem{reason, std::move(message)}};
    };
    if (text.find("://") != std::string_view::npos) {
        return refuse(RejectReason::OutsideRoot,
                      "is a URL; only files beside the manifest are read");
    }
    if (text.starts_with('/')) {
        return refuse(RejectReason::OutsideRoot,
                      "is an absolute path; write it relative to the manifest");
    }
    std::vector<std::string> parts;
    for (std::string& part : split(text, '/')) {
        if (part.empty() || part == ".") {
            continue;
        }
        if (part != "..") {
            parts.push_back(std::move(part));
        } else if (!parts.empty()) {
            parts.pop_back();
        } else {
            return refuse(RejectReason::OutsideRoot, "leaves the manifest's folder");
        }
    }
    if (parts.empty()) {
        return refuse(RejectReason::NotAFile, "names a folder, not a file");
    }
    PathResult result;
    for (const std::string& part : parts) {
        if (part.starts_with('.')) {
            return refuse(RejectReason::Hidden,
                          "is hidden (a name that begins with a dot); rename it to use it");
        }
        result.path += (result.path.empty() ? "" : "/") + part;
    }
    return result;
}

namespace {

// Turns rows into candidates and rejects, and keeps what is only known at the end.
class RowChecker {
 public:
    RowChecker(const std::string& what, const ImportOptions& options, Candidates& into)
        : what_(what),
          options_(options),
          declared_(options.declaredLabels.begin(), options.declaredLabels.end()),
          into_(into) {}

    void take(const ManifestRow& row) {
        ++rows_;
        Candidate candidate;
        candidate.line = row.line;
        if (const auto problem = check(row, candidate)) {
            // What was in the cell is shown only as far as it is text.
            into_.rejects.push_back({printable(row[Field::Path].value_or("")), row.line,
                                     problem->reason, problem->message});
        } else {
            anyIdentity_ |= !candidate.identity.empty();
            anySplit_ |= !candidate.split.empty();
            into_.items.push_back(std::move(candidate));
        }
    }

    void finish() {
        if (!unknownSplits_.empty()) {
            throw Error(
                ErrorCode::Data,
                fmt::format("{} names unknown splits: {}", what_, shortList(unknownSplits_)),
                "Use exactly train and val, or leave the column out.");
        }
        if (rows_ == 0) {
            throw Error(ErrorCode::Data, fmt::format("{} holds no rows", what_),
                        "Write one row for each photo.");
        }
        if (weights_ > 0) {
            into_.warnings.push_back(fmt::format(
                "{} rows have a weight; it is checked, but all photos count alike", weights_));
        }
        rejectDuplicates();
        rejectHalfGiven();
    }

 private:
    std::optional<Problem> check(const ManifestRow& row, Candidate& candidate) {
        if (row.problem) {
            return row.problem;
        }
        if (auto problem = checkText(row)) {
            return problem;
        }
        if (auto problem = checkLabel(row, candidate)) {
            return problem;
        }
        if (auto problem = checkIdentityAndSplit(row, candidate)) {
            return problem;
        }
        if (auto problem = checkWeight(row)) {
            return problem;
        }
        if (!row[Field::Path] || row[Field::Path]->empty()) {
            return Problem{RejectReason::BadRow, "no path"};
        }
        PathResult path = normalisePath(*row[Field::Path]);
        candidate.path = std::move(path.path);
        return path.problem;
    }

    static std::optional<Problem> checkText(const ManifestRow& row) {
        for (std::size_t f = 0; f < kFieldCount; ++f) {
            if (!row.fields[f]) {
                continue;
            }
            if (!isValidUtf8(*row.fields[f])) {
                return Problem{
                    RejectReason::InvalidUtf8,
                    fmt::format("{} is not UTF-8: {}", kFieldNames[f], printable(*row.fields[f]))};
            }
            if (row.fields[f]->find('\0') != std::string::npos) {
                return Problem{RejectReason::BadRow,
                               fmt::format("{} holds a zero byte", kFieldNames[f])};
            }
        }
        return std::nullopt;
    }

    std::optional<Problem> checkLabel(const ManifestRow& row, Candidate& candidate) const {
        if (!row[Field::Label] && options_.impliedLabel.empty()) {
            return Problem{RejectReason::BadRow, "no label"};
        }
        candidate.label =
            row[Field::Label] ? trimBlanks(*row[Field::Label]) : options_.impliedLabel;
        if (candidate.label.empty()) {
            return Problem{RejectReason::EmptyLabel, "the label is empty"};
        }
        if (!declared_.empty() && declared_.count(candidate.label) == 0) {
            return Problem{RejectReason::UnknownLabel,
                           fmt::format("label \"{}\" is none of {}", printable(candidate.label),
                                       shortList(options_.declaredLabels))};
        }
        return std::nullopt;
    }

    std::optional<Problem> checkIdentityAndSplit(const ManifestRow& row, Candidate& candidate) {
        if (row[Field::Identity]) {
            // As written: two spellings of one identity are found later. Blank is no identity.
            candidate.identity = *row[Field::Identity];
            if (trimBlanks(candidate.identity).empty()) {
                return Problem{RejectReason::BadRow,
                               "the identity is empty; name the receipt that the photo shows"};
            }
        }
        candidate.split = row[Field::Split] ? trim(*row[Field::Split]) : std::string();
        if (!candidate.split.empty() && candidate.split != "train" && candidate.split != "val" &&
            splitsSeen_.insert(candidate.split).second) {
            unknownSplits_.push_back(
                fmt::format("\"{}\" (line {})", printable(candidate.split), row.line));
        }
        return std::nullopt;
    }

    std::optional<Problem> checkWeight(const ManifestRow& row) {
        const std::string text = trim(row[Field::Weight].value_or(""));
        if (text.empty()) {
            return std::nullopt;
        }
        const auto weight = parseDouble(text);
        if (!weight || !std::isfinite(*weight) || *weight < 0) {
            return Problem{
                RejectReason::BadRow,
                fmt::format("weight \"{}\" is no number from 0 (decimal point, no comma)",
                            printable(text))};
        }
        ++weights_;
        return std::nullopt;
    }

    // The first row of a file stands.
    void rejectDuplicates() {
        std::unordered_map<std::string_view, const Candidate*> first;
        std::vector<Reject> duplicates;
        std::vector<bool> keep(into_.items.size(), true);
        for (std::size_t i = 0; i < into_.items.size(); ++i) {
            const Candidate& item = into_.items[i];
            const auto [found, isNew] = first.emplace(item.path, &item);
            if (!isNew) {
                keep[i] = false;
                const bool agrees = found->second->label == item.label;
                duplicates.push_back({item.path, item.line, RejectReason::Duplicate,
                                      fmt::format("the same file as line {}{}", found->second->line,
                                                  agrees ? "" : ", and with another label")});
            }
        }
        drop(keep, std::move(duplicates));
    }

    void rejectHalfGiven() {
        std::vector<Reject> rejects;
        std::vector<bool> keep(into_.items.size(), true);
        for (std::size_t i = 0; i < into_.items.size(); ++i) {
            const Candidate& item = into_.items[i];
            const bool noIdentity = anyIdentity_ && item.identity.empty(),
                       noSplit = anySplit_ && item.split.empty();
            if (noIdentity || noSplit) {
                keep[i] = false;
                rejects.push_back({item.path, item.line, RejectReason::BadRow,
                                   fmt::format("no {}, though other rows have one",
                                               noIdentity ? "identity" : "split")});
            }
        }
        drop(keep, std::move(rejects));
    }

    void drop(const std::vector<bool>& keep, std::vector<Reject>&& rejects) {
        if (rejects.empty()) {
            return;
        }
        std::vector<Candidate> kept;
        for (std::size_t i = 0; i < keep.size(); ++i) {
            if (keep[i]) {
                kept.push_back(std::move(into_.items[i]));
            }
        }
        into_.items = std::move(kept);
        into_.rejects.insert(into_.rejects.end(), std::make_move_iterator(rejects.begin()),
                             std::make_move_iterator(rejects.end()));
    }

    const std::string& what_;
    const ImportOptions& options_;
    const std::set<std::string> declared_;
    Candidates& into_;
    std::int64_t rows_ = 0, weights_ = 0;
    bool anyIdentity_ = false, anySplit_ = false;
    std::set<std::string> splitsSeen_;
    std::vector<std::string> unknownSplits_;
};

// UTF-8 without its byte order mark.
std::string_view requireUtf8(std::string_view text, const std::string& what) {
    if (text.starts_with("\xEF\xBB\xBF")) {
        return text.substr(3);
    }
    const bool utf16 = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
                       (text.size() >= 2 && (text[0] == '\0') != (text[1] == '\0'));
    if (utf16) {
        throw Error(ErrorCode::Data, fmt::format("{} is UTF-16, not UTF-8", what),
                    "Save it as UTF-8.");
    }
    return text;
}

std::string suffixOf(const std::string& path) {
    std::string suffix = std::filesystem::path(path).extension().string();
    std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return suffix;
}

void readRows(std::string_view text, const std::string& manifest, const std::string& what,
              const ImportOptions& options, const TakeRow& take) {
    const std::string suffix = suffixOf(manifest);
    if (suffix == ".jsonl" || suffix == ".ndjson" || suffix == ".json") {
        readJsonLines(text, what, options, take);
    } else if (suffix == ".tsv" || suffix == ".tab") {
        readDelimited(text, '\t', what, options, take);
    } else if (suffix == ".csv" || suffix == ".txt" || suffix.empty()) {
        readDelimited(text, ',', what, options, take);
    } else {
        throw Error(ErrorCode::Usage, fmt::format("{} is no manifest: {}", what, suffix),
                    "Give a .csv, .tsv or .jsonl file, or a folder of photos.");
    }
}

}  // namespace

Candidates readManifest(const std::string& manifest, const ImportOptions& options) {
    const std::string what = printable(manifest);
    const std::string bytes = readTextFile(manifest, kMaxManifestBytes);
    if (bytes.empty()) {
        throw Error(ErrorCode::Data, fmt::format("{} is empty", what),
                    "Write one row for each photo.");
    }
    Candidates candidates;
    std::error_code error;
    const auto folder = std::filesystem::absolute(manifest, error).parent_path();
    candidates.root = std::filesystem::canonical(folder, error).string();
    if (error) {
        throw Error(ErrorCode::Data,
                    fmt::format("{}: {}", printable(folder.string()), error.message()));
    }
    RowChecker checker(what, options, candidates);
    readRows(requireUtf8(bytes, what), manifest, what, options,
             [&](ManifestRow&& row) { checker.take(row); });
    checker.finish();
    return candidates;
}

}  // namespace receiptbench
