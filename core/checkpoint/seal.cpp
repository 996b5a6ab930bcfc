#include "core/checkpoint/seal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace receiptbench {
namespace {

constexpr std::size_t kLengthAt = 8, kDigestAt = 16, kZerosAt = 48;

bool allZero(std::span<const std::byte> bytes) {
    return std::all_of(bytes.begin(), bytes.end(),
                       [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

std::array<std::byte, format::kSealBytes> encodeSeal(const Seal& seal) {
    std::array<std::byte, format::kSealBytes> bytes{};
    std::memcpy(bytes.data(), format::kSealMagic.data(), format::kSealMagic.size());
    for (std::size_t i = 0; i < sizeof seal.length; ++i) {
        bytes[kLengthAt + i] = static_cast<std::byte>(seal.length >> (8 * i) & 0xff);
    }
    std::memcpy(bytes.data() + kDigestAt, seal.digest.data(), seal.digest.size());
    return bytes;
}

std::optional<Seal> decodeSeal(std::span<const std::byte, format::kSealBytes> bytes) {
    if (std::memcmp(bytes.data(), format::kSealMagic.data(), format::kSealMagic.size()) != 0 ||
        !allZero(bytes.subspan(kZerosAt))) {
        return std::nullopt;
    }
    Seal seal;
    for (std::size_t i = 0; i < sizeof seal.length; ++i) {
        seal.length |= std::to_integer<std::uint64_t>(bytes[kLengthAt + i]) << (8 * i);
    }
    std::memcpy(seal.digest.data(), bytes.data() + kDigestAt, seal.digest.size());
    return seal;
}

Seal readSeal(ReadableFile& file) {
    const std::uint64_t size = file.size();
    if (size == 0) {
        throw Error(ErrorCode::Data, "the file is empty");
    }
    if (size > format::kMostFileBytes) {
        throw Error(ErrorCode::Data,
                    fmt::format("{} bytes, {} are allowed", size, format::kMostFileBytes));
    }
    if (size < format::kHeaderPrefix + format::kSealBytes) {
        throw Error(ErrorCode::Data, fmt::format("{} bytes are too few for a checkpoint", size));
    }
    std::array<std::byte, format::kSealBytes> bytes;
    file.read(size - bytes.size(), bytes);
    const auto seal = decodeSeal(bytes);
    if (!seal) {
        throw Error(ErrorCode::Data,
                    allZero(bytes) ? "no seal at the end: its last 64 bytes are zero"
                                   : "no seal at the end: cut, overwritten, or no checkpoint");
    }
    if (seal->length != size) {
        throw Error(ErrorCode::Data,
                    fmt::format("{} bytes long, its seal says {}", size, seal->length));
    }
    return *seal;
}

}  // namespace receiptbench
