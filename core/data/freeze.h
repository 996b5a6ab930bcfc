// From a catalogue to the frozen population: split by identity first, then derive, letterbox and
// write the pixel cache.
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
    std::int64_t id = 0;  // index in its split's cache
    std::string split;    // "train", "val"
    std::string label;
    std::string identity;
    std::string source;      // path below the catalogue's root, or "synthetic:N"
    std::string derivation;  // "", or kind and severity as JSON
    bool operator==(const FrozenExample&) const = default;
};
struct FreezeOptions {
    double validationShare = 0.2;
    std::uint64_t seed = 83;
    bool derive = false;  // one blurred and one cut-off image per photo
    std::int64_t width = 192, height = 256;
    std::int64_t syntheticIdentities =
        0;            // > 0: the embedded example instead of a catalogue (derive is implied)
    int threads = 0;  // 0: one per processor; what is written does not depend on it
};
struct FrozenSet {
    LabelMap labels;
    std::vector<FrozenExample> train, validation;
    std::int64_t width = 0, height = 0;
    std::string splitDigest, datasetDigest;
    std::vector<Reject> rejects;        // found while decoding
    std::vector<std::string> warnings;  // a class absent from validation, ...
};

// Writes folder/train.pixels, folder/val.pixels, folder/split.csv and last folder/frozen.json,
// which makes the set complete: what an unfinished freeze left there is replaced. Stratified by
// label and identity: whole identities, 80/20 by default; a split in the catalogue is checked (no
// identity in two) and kept unchanged (see split.h). Photos are first limited to a long side of
// 1000, so that the strength of a derivation has one meaning. Errors: Usage (share, size), Data
// (with derive a label other than readable, one class only, a photo changed since the import,
// nothing left), Failed (folder holds a contract already), Interrupted (cancel at either level).
FrozenSet freezeImages(const Catalogue& catalogue, const FreezeOptions& options, FileSystem& files,
                       const std::string& folder, Progress& progress = Progress::none(),
                       const CancelToken* cancel = nullptr);
// Reads it back and compares split.csv, the pixel files' sizes and stored digests with frozen.json.
// full: hashes all pixels too. Error(Data) naming the file that differs.
FrozenSet openFrozen(FileSystem& files, const std::string& folder, bool full = false);

}  // namespace receiptbench
