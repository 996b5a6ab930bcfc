// From a manifest or a folder tree to a catalogue: what is accepted, what is rejected and why.
// Never writes beside the images.
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
    std::string path;  // relative to the catalogue's root
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
    std::string root;  // absolute
    std::vector<CatalogueItem> items;
    std::vector<Reject> rejects;
    std::vector<std::string> warnings;  // leaks, label conflicts, empty classes, ...
};

struct ImportOptions {
    // A manifest (.csv, .tsv, .jsonl), or a folder: label/..., split/label/..., or one with
    // metadata.csv or metadata.jsonl.
    std::string source;
    // Ours ("path", "label", "identity", "split", "weight") -> name in the file; "file",
    // "file_name" stand for path anyway.
    std::map<std::string, std::string> columns;
    std::vector<std::string> declaredLabels;  // not empty: others are rejected
    // Label of rows in a manifest without a label column, and of photos in no class folder
    // (--derive: readable).
    std::string impliedLabel;
    bool strict = false;    // any reject is Error(Data)
    bool decodeAll = true;  // decode each file now (else only header and hash)
};
// Errors: Error(Data) with the manifest named (missing column naming what was seen, unbalanced
// quote with its line, not UTF-8, empty, no row left, an unknown split, an identity in two supplied
// splits, identity spellings that differ only by case, blanks or Unicode form); Error(Usage) when
// the source does not exist or an option names an unknown column. One class only, or one photo
// only, is a warning here (see POLICIES.md): freezing refuses it.
Catalogue importImages(const ImportOptions& options, Progress& progress = Progress::none());

// The photos of a source that is only looked at: a picture file, a folder tree, or a manifest,
// whose labels do not count. Nothing is opened but the manifest. Errors as importImages.
struct PhotoList {
    std::vector<std::string> paths;  // as the source was given, in order
    std::vector<Reject> rejects;
};
PhotoList listPhotos(const std::string& source);

// path,line,reason,message with a header line; RFC 4180.
std::string rejectsCsv(const std::vector<Reject>& rejects);
// "missing 3, duplicate 1", most frequent first.
std::string countByReason(const std::vector<Reject>& rejects);

}  // namespace receiptbench
