// From a manifest or a folder tree to a catalogue: what is accepted, what is rejected and why. Never writes beside the images.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/contract/label_map.h"
#include "core/data/decode.h"

namespace receiptbench {

struct CatalogueItem {
    std::string path;       // relative to the catalogue's root
    std::string label;
    std::string identity;
    std::string split;      // "", "train" or "val" as supplied
    std::string sha256;     // of the file
    std::int64_t line = 0;  // in the manifest; 0 for a folder tree
};
struct Reject {
    std::string path;
    std::int64_t line = 0;
    RejectReason reason;
    std::string message;
};
struct Catalogue {
    std::string root;       // absolute
    std::vector<CatalogueItem> items;
    std::vector<Reject> rejects;
    std::vector<std::string> warnings;   // leaks, label conflicts, empty classes, ...
};

struct ImportOptions {
    std::string source;                          // manifest (.csv, .tsv, .jsonl) or folder
    std::map<std::string, std::string> columns;  // "path" -> name in the file; "file" stands for path anyway
    std::vector<std::string> declaredLabels;     // not empty: others are rejected
    std::string impliedLabel;                    // label of rows in a manifest without a label column (--derive: readable)
    bool strict = false;                         // any reject is Error(Data)
    bool decodeAll = true;                       // decode each file now (else only header and hash)
};
// Errors: Error(Data) with the manifest named (missing column naming what was seen, unbalanced quote with its line, not UTF-8,
// empty, no row left, one class only unless impliedLabel, an identity in two supplied splits, identity spellings that differ
// only by case, blanks or Unicode form); Error(Usage) when the source does not exist.
Catalogue importImages(const ImportOptions& options, Progress& progress = Progress::none());

}  // namespace receiptbench
