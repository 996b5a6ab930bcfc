// From a catalogue to the frozen population: split by identity first, then derive, letterbox and write the pixel cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/file_system.h"
#include "core/base/progress.h"
#include "core/data/import.h"

namespace receiptbench {

struct FrozenExample {
    std::int64_t id = 0;        // index in its split's cache
    std::string split;          // "train", "val"
    std::string label;
    std::string identity;
    std::string source;         // path below the catalogue's root, or "synthetic:N"
    std::string derivation;     // "", or kind and severity as JSON
};
struct FreezeOptions {
    double validationShare = 0.2;
    std::uint64_t seed = 83;
    bool derive = false;                  // one blurred and one cut-off image per photo
    std::int64_t width = 192, height = 256;
    std::int64_t syntheticIdentities = 0; // > 0: the embedded example instead of a catalogue (derive is implied)
};
struct FrozenSet {
    LabelMap labels;
    std::vector<FrozenExample> train, validation;
    std::string splitDigest, datasetDigest;
    std::vector<Reject> rejects;          // found while decoding
    std::vector<std::string> warnings;    // a class absent from validation, ...
};

// Writes folder/split.csv, folder/train.pixels, folder/val.pixels (atomically). Stratified by label and identity: whole
// identities, 80/20 by default; a split in the catalogue is checked (no identity in two) and kept unchanged.
FrozenSet freezeImages(const Catalogue& catalogue, const FreezeOptions& options, FileSystem& files, const std::string& folder,
                       Progress& progress = Progress::none(), const CancelToken* cancel = nullptr);
// Reads it back. full: hashes all pixels and compares (Error(Data) naming the file).
FrozenSet openFrozen(FileSystem& files, const std::string& folder, bool full = false);

}  // namespace receiptbench
