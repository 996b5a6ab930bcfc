// The __metadata__ of a checkpoint as values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/checkpoint/store.h"

namespace receiptbench {

struct Manifest {
    CheckpointName name;
    std::string contractHash, parentDigest;
    StateValues values;
    // CRC-32C by tensor, in the order of TrainingState::tensors (that of the file is by size of
    // element).
    std::vector<std::pair<std::string, std::uint32_t>> checksums;
};

std::map<std::string, std::string> writeManifest(const Manifest& manifest);
// Error(Data): another format, a newer major version, an unknown required feature (by name), a
// missing or damaged entry.
Manifest readManifest(const std::map<std::string, std::string>& metadata);

}  // namespace receiptbench
