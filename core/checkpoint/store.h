// Checkpoints of one run: one self-sealed safetensors file each, published so that a crash at any
// call leaves the previous one. Format in FORMAT.md beside this file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file_system.h"
#include "core/contract/training_state.h"

namespace receiptbench {

struct CheckpointName {           // ckpt-g<GGGG>-s<SSSSSSSSSSSS>.safetensors
    std::int64_t generation = 0;  // raised by each resume
    std::int64_t step = 0;        // attempted updates
    auto operator<=>(const CheckpointName&) const = default;
};
std::string fileName(const CheckpointName& name);
std::optional<CheckpointName> parseCheckpointName(const std::string& file);

struct CheckpointInfo {
    CheckpointName name;
    std::string path;
    std::string digest;  // the seal's SHA-256
    std::string contractHash;
    std::string parentDigest;  // of the checkpoint this generation resumed from
    std::uint64_t bytes = 0;
    std::map<std::string, std::uint64_t>
        bytesByPart;  // "weights", "optimizer", "rng", "state and header"
};

struct RejectedFile {
    std::string file, reason;  // in words
};
struct Recovery {
    std::optional<CheckpointInfo> chosen;
    TrainingState state;                 // of the chosen
    std::vector<RejectedFile> rejected;  // newer ones that did not verify, with why
    std::vector<std::string> removedTemporaries;
    std::vector<std::string> untouched;  // unknown files
};

struct SaveOptions {
    std::string contractHash;
    std::int64_t generation = 1;
    std::string parentDigest;
    int keepNewest = 3;  // below 1: all
};

// exclusive temporary -> write -> fsync -> rename without replacing -> fsync(directory) -> only
// then prune. On failure the temporary is removed (best effort) and the FileError goes to the
// caller: the previous checkpoints are intact. The folder must exist and only one process may save
// into it (the run's lock). Saving the same state twice is the same checkpoint.
CheckpointInfo saveCheckpoint(FileSystem& files, const std::string& folder,
                              const TrainingState& state, const SaveOptions& options);

// Newest to oldest by (generation, step), the first whose seal and meaning verify. contractHash
// empty: any. The state's tensors come back in the order in which they were saved. Orphan
// temporaries are removed only after success; unknown files are never touched. No valid one: chosen
// is empty.
Recovery recoverCheckpoint(FileSystem& files, const std::string& folder,
                           const std::string& contractHash, bool removeTemporaries = true);
// One named file: Error(Data) with the reason when it does not verify.
TrainingState openCheckpoint(FileSystem& files, const std::string& path,
                             const std::string& contractHash, CheckpointInfo* info = nullptr);
// What the next resume must use: above every generation in the folder, also those of files that do
// not verify, so that its names are free and newer.
std::int64_t nextGeneration(FileSystem& files, const std::string& folder);
// All finals, newest first, without opening them.
std::vector<CheckpointName> listCheckpoints(FileSystem& files, const std::string& folder);

}  // namespace receiptbench
