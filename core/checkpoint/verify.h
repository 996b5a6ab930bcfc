// Reading a checkpoint that may be anything: nothing is believed before the seal over it was
// computed.
#pragma once

#include <memory>
#include <string>

#include "core/base/file_system.h"
#include "core/base/host_tensor.h"
#include "core/checkpoint/manifest.h"
#include "core/checkpoint/store.h"

namespace receiptbench {

struct VerifiedCheckpoint {
    std::unique_ptr<ReadableFile>
        file;  // the very file that was verified, whatever the name means by now
    SafetensorsHeader header;
    Manifest manifest;
    std::string digest;  // the seal's
};

// No-follow open, length against the seal, header limits, SHA-256 (in small pieces: a giant file
// allocates nothing), then checksums and meaning. Error(Data) or FileError with the reason; the
// path is in FileError's message only.
VerifiedCheckpoint verifyCheckpoint(FileSystem& files, const std::string& path);

// The tensors, in the order of the state that was saved; their checksums are compared once more.
TrainingState loadVerified(const VerifiedCheckpoint& verified);

}  // namespace receiptbench
