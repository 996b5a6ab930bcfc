// A bounds-checked reader of a TIFF structure's first directory: orientation of photos, dimensions
// of TIFF files. Format: TIFF 6.0, section 2; EXIF 2.32, 4.6.2.
#include "core/data/decode/image_codec.h"

namespace receiptbench::codec {

namespace {

constexpr std::size_t kEntrySize = 12;
constexpr std::uint16_t kByte = 1, kShort = 3, kLong = 4;

std::size_t sizeOfType(std::uint16_t type) {
    return type == kByte ? 1 : type == kShort ? 2 : type == kLong ? 4 : 0;
}

}  // namespace

TiffDirectory::TiffDirectory(Bytes tiff) : tiff_(tiff) {
    if (tiff.size() < 8) {
        return;
    }
    const std::uint32_t order = byteAt(tiff, 0);
    if (order != byteAt(tiff, 1) || (order != 'I' && order != 'M')) {
        return;
    }
    bigEndian_ = order == 'M';
    const auto offset = u32(4);
    if (u16(2) != 42 || !offset) {
        return;
    }
    const auto count = u16(*offset);
    if (!count) {
        return;
    }
    firstEntry_ = static_cast<std::size_t>(*offset) + 2;
    // A directory that claims more entries than there are bytes keeps those that are there.
    entries_ = std::min<std::size_t>(*count, (tiff.size() - firstEntry_) / kEntrySize);
}

std::optional<std::uint16_t> TiffDirectory::u16(std::size_t offset) const {
    if (offset > tiff_.size() || tiff_.size() - offset < 2) {
        return std::nullopt;
    }
    const std::uint32_t a = byteAt(tiff_, offset), b = byteAt(tiff_, offset + 1);
    return static_cast<std::uint16_t>(bigEndian_ ? a << 8 | b : b << 8 | a);
}

std::optional<std::uint32_t> TiffDirectory::u32(std::size_t offset) const {
    if (offset > tiff_.size() || tiff_.size() - offset < 4) {
        return std::nullopt;
    }
    const std::uint32_t a = *u16(offset), b = *u16(offset + 2);
    return bigEndian_ ? a << 16 | b : b << 16 | a;
}

std::optional<std::uint32_t> TiffDirectory::number(std::uint16_t tag) const {
    for (std::size_t i = 0; i < entries_; ++i) {
        const std::size_t entry = firstEntry_ + i * kEntrySize;
        if (u16(entry) != tag) {
            continue;
        }
        const std::uint16_t type = u16(entry + 2).value_or(0);
        const std::uint64_t count = u32(entry + 4).value_or(0);
        const std::size_t size = sizeOfType(type);
        if (size == 0 || count == 0) {
            return std::nullopt;
        }
        // Values of up to four bytes stand in the entry itself, longer ones elsewhere.
        const auto at =
            size * count <= 4 ? std::optional<std::uint32_t>(entry + 8) : u32(entry + 8);
        if (!at) {
            return std::nullopt;
        }
        if (type == kByte) {
            return *at < tiff_.size() ? std::optional<std::uint32_t>(byteAt(tiff_, *at))
                                      : std::nullopt;
        }
        return type == kShort ? std::optional<std::uint32_t>(u16(*at)) : u32(*at);
    }
    return std::nullopt;
}

int exifOrientation(Bytes tiff) {
    const auto value = TiffDirectory(tiff).number(kOrientationTag);
    return value && *value >= 1 && *value <= 8 ? static_cast<int>(*value) : 1;
}

}  // namespace receiptbench::codec
