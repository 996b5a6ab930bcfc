// The frozen set's text files: split.csv (who is where) and frozen.json (what belongs together).
// For freeze.cpp only.
//
// split.csv: header "id,split,label,identity,source,derivation", one line per example, ids
// ascending, train before val,
// "\n" ends each line. Canonical: reading and writing again gives the same bytes.
// frozen.json: {"format":1,"split","dataset": SHA-256, "train","val": {"count","sha256"},
// "height","width","labels","rejects", "warnings"}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/data/freeze.h"

namespace receiptbench {

inline constexpr const char* kSplitFile = "split.csv";
inline constexpr const char* kTrainPixels = "train.pixels";
inline constexpr const char* kValidationPixels = "val.pixels";
inline constexpr const char* kFrozenFile = "frozen.json";

std::string splitCsv(const FrozenSet& set);
// Fills train and validation. Error(Data) naming path and line when text is not what splitCsv
// writes.
void parseSplitCsv(std::string_view text, const std::string& path, FrozenSet& set);

// The pixels that belong to a split.csv.
struct PixelDigests {
    std::string train, validation;
    bool operator==(const PixelDigests&) const = default;
};
std::string datasetDigest(const FrozenSet& set, const PixelDigests& pixels);

std::string frozenJson(const FrozenSet& set, const PixelDigests& pixels);
struct FrozenFacts {
    FrozenSet set;  // without examples
    PixelDigests pixels;
    std::int64_t trainCount = 0, validationCount = 0;
};
FrozenFacts parseFrozenJson(const std::string& text, const std::string& path);  // Error(Data)

}  // namespace receiptbench
