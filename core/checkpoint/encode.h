// A training state as the bytes of a checkpoint file.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/file_system.h"
#include "core/base/hash.h"
#include "core/checkpoint/store.h"

namespace receiptbench {

// What is to be written, ready but for the seal. Refers to the state it was made from.
struct EncodedCheckpoint {
    CheckpointName name;
    std::vector<std::byte> header;           // length prefix included, padded
    std::vector<const HostTensor*> tensors;  // in the order of the file
    std::uint64_t length = 0;                // of the whole file
};

// Error(Data) when the state makes no sense: what recovery would refuse is never written.
EncodedCheckpoint encodeCheckpoint(const TrainingState& state, const SaveOptions& options);

// Header, tensors, seal. Small tensors are gathered, so that the call tape stays short. Returns the
// seal's digest.
Sha256Digest writeSealed(WritableFile& file, const EncodedCheckpoint& checkpoint);

}  // namespace receiptbench
