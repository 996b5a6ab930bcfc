// The last 64 bytes of a checkpoint: magic | total length u64le | SHA-256 of everything before them
// | zeros.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/base/file_system.h"
#include "core/base/hash.h"
#include "core/checkpoint/format.h"

namespace receiptbench {

struct Seal {
    std::uint64_t length = 0;  // of the whole file, the seal included
    Sha256Digest digest{};
};

std::array<std::byte, format::kSealBytes> encodeSeal(const Seal& seal);
// Nothing when the magic or the zeros differ.
std::optional<Seal> decodeSeal(std::span<const std::byte, format::kSealBytes> bytes);

// The file's seal, its length compared with the file's; nothing but the seal is read. Error(Data)
// with the reason.
Seal readSeal(ReadableFile& file);

}  // namespace receiptbench
