// Inside the import: the rows of a manifest or the files of a tree before their bytes are looked
// at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/import.h"

namespace receiptbench {

struct Candidate {
    std::string path;  // normalised, relative to the root
    std::string label;
    std::string identity;  // "": none given
    std::string split;     // "", "train", "val"
    std::int64_t line = 0;
};
struct Candidates {
    std::string root;  // absolute, links resolved
    std::vector<Candidate> items;
    std::vector<Reject> rejects;
    std::vector<std::string> warnings;
};

// manifest: absolute or relative path of the file. Errors as importImages.
Candidates readManifest(const std::string& manifest, const ImportOptions& options);
Candidates scanTree(const std::string& folder, const ImportOptions& options);

struct Problem {
    RejectReason reason;
    std::string message;
};

// A relative path without "", "." and "..": what two spellings of one file have in common.
struct PathResult {
    std::string path;
    std::optional<Problem> problem;  // OutsideRoot, NotAFile, Hidden
};
PathResult normalisePath(std::string_view text);

// What looking at a candidate's bytes found.
struct Examined {
    std::string sha256;
    std::optional<Problem> problem;
};
// On all processors; the result's order is that of items. Links that leave root are refused without
// being opened.
std::vector<Examined> examineFiles(const std::string& root, const std::vector<Candidate>& items,
                                   bool decodeAll, Progress& progress);

// The same for spellings that differ only by case, blanks (no-break and zero-width ones too) or
// Unicode form.
std::string identityKey(std::string_view text);
// Without white space of any script at both ends.
std::string trimBlanks(std::string_view text);

// Error(Data) for spellings of one identity and for an identity in two splits.
void checkIdentities(const std::vector<Candidate>& items, const std::string& source);
// Byte-equal files: label conflicts and leaks between splits become warnings; without splits,
// identities that share bytes become one.
void joinEqualFiles(Catalogue& catalogue);

// A list for a message: "a, b, c and 4 more".
std::string shortList(const std::vector<std::string>& entries, std::size_t most = 8);

}  // namespace receiptbench
