#include "core/checkpoint/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/checkpoint/crc32c.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/meaning.h"
#include "core/checkpoint/seal.h"

namespace receiptbench {
namespace {

using Checksums = std::map<std::string, std::uint32_t>;

constexpr std::size_t kMostNamed = 3;  // damaged tensors in a message

// Prefix and header, no more than a valid one may have; parseSafetensorsHeader refuses the rest.
std::vector<std::byte> readHeaderBytes(ReadableFile& file) {
    std::vector<std::byte> bytes(format::kHeaderPrefix);
    file.read(0, bytes);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        length |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    }
    const std::uint64_t wanted = format::kHeaderPrefix + std::min(length, format::kMostHeaderBytes);
    bytes.resize(std::min(file.size(), wanted));
    file.read(0, bytes);
    return bytes;
}

void checkSealSlot(const SafetensorsHeader& header) {
    if (header.tensors.empty() || header.tensors.back().name != format::kSealName ||
        header.tensors.back().dtype != "U8" ||
        header.tensors.back().shape != std::vector<std::int64_t>{format::kSealBytes}) {
        throw Error(ErrorCode::Data, "its last tensor is not the seal");
    }
}

// SHA-256 over everything before the seal, and each tensor's CRC on the way.
Sha256Digest digestOf(ReadableFile& file, std::span<const std::byte> headerBytes,
                      const SafetensorsHeader& header, Checksums& found) {
    Sha256 hash;
    hash.update(headerBytes);
    std::vector<std::byte> chunk(format::kChunk);
    for (const TensorSlot& slot : header.tensors) {
        if (slot.name == format::kSealName) {
            continue;
        }
        std::uint32_t checksum = 0;
        for (std::uint64_t at = slot.begin; at < slot.end;) {
            const auto piece =
                std::span(chunk).first(std::min<std::uint64_t>(chunk.size(), slot.end - at));
            file.read(header.dataOffset + at, piece);
            hash.update(std::span<const std::byte>(piece));
            checksum = crc32c(piece, checksum);
            at += piece.size();
        }
        found[slot.name] = checksum;
    }
    return hash.finish();
}

// The tensors whose bytes differ from the manifest's checksums.
std::string damagedTensors(const Manifest& manifest, const Checksums& found) {
    std::string names;
    std::size_t count = 0;
    for (const auto& [name, checksum] : manifest.checksums) {
        const auto actual = found.find(name);
        if (actual == found.end() || actual->second == checksum) {
            continue;
        }
        if (++count <= kMostNamed) {
            names += (names.empty() ? "" : ", ") + printable(name);
        }
    }
    return count > kMostNamed ? fmt::format("{} and {} more", names, count - kMostNamed) : names;
}

[[noreturn]] void refuseDamaged(const SafetensorsHeader& header, const Checksums& found) {
    std::string where;
    try {
        where = damagedTensors(readManifest(header.metadata), found);
    } catch (const Error&) {
        // The header is what is damaged.
    }
    throw Error(ErrorCode::Data,
                where.empty()
                    ? "its content does not match its seal: the header or the seal is damaged"
                    : fmt::format("its content does not match its seal: damaged are {}", where));
}

// Exactly the tensors of the manifest, each with its checksum.
void checkChecksums(const Manifest& manifest, const Checksums& found) {
    const Checksums stated(manifest.checksums.begin(), manifest.checksums.end());
    if (stated.size() != manifest.checksums.size() || stated != found) {
        throw Error(ErrorCode::Data, "its list of checksums does not match its tensors");
    }
}

void checkContent(const SafetensorsHeader& header, const Manifest& manifest) {
    std::vector<TensorShape> shapes;
    for (const TensorSlot& slot : header.tensors) {
        if (slot.name != format::kSealName) {
            shapes.push_back({slot.name, slot.dtype, slot.shape});
        }
    }
    checkMeaning(manifest.values, shapes);
    if (manifest.name.step != manifest.values.attempted) {
        throw Error(ErrorCode::Data, fmt::format("its header says step {}, its state {}",
                                                 manifest.name.step, manifest.values.attempted));
    }
}

}  // namespace

VerifiedCheckpoint verifyCheckpoint(FileSystem& files, const std::string& path) {
    VerifiedCheckpoint verified;
    verified.file = files.openRead(path);
    const Seal seal = readSeal(*verified.file);
    const std::vector<std::byte> headerBytes = readHeaderBytes(*verified.file);
    verified.header = parseSafetensorsHeader(headerBytes, verified.file->size());
    checkSealSlot(verified.header);
    Checksums found;
    if (digestOf(*verified.file, headerBytes, verified.header, found) != seal.digest) {
        refuseDamaged(verified.header, found);
    }
    verified.digest = toHex(seal.digest);
    verified.manifest = readManifest(verified.header.metadata);
    checkChecksums(verified.manifest, found);
    checkContent(verified.header, verified.manifest);
    return verified;
}

TrainingState loadVerified(const VerifiedCheckpoint& verified) {
    std::map<std::string, const TensorSlot*> slots;
    for (const TensorSlot& slot : verified.header.tensors) {
        slots[slot.name] = &slot;
    }
    TrainingState state;
    state.values = verified.manifest.values;
    for (const auto& [name, checksum] : verified.manifest.checksums) {
        const TensorSlot& slot = *slots.at(name);
        HostTensor tensor{name, slot.dtype, slot.shape,
                          std::vector<std::byte>(slot.end - slot.begin)};
        verified.file->read(verified.header.dataOffset + slot.begin, tensor.bytes);
        if (crc32c(tensor.bytes) != checksum) {
            throw Error(ErrorCode::Data,
                        fmt::format("{} changed while it was read", printable(name)));
        }
        state.tensors.push_back(std::move(tensor));
    }
    return state;
}

}  // namespace receiptbench
