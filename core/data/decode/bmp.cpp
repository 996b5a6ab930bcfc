// BMP, uncompressed. Own code, since the general readers take the unused fourth byte of a 32-bit
// pixel for alpha, or keep rows that are missing black. Format: BITMAPINFOHEADER to BITMAPV5HEADER,
// and OS/2's BITMAPCOREHEADER.
#include <fmt/format.h>

#include <array>
#include <bit>

#include "core/data/decode/image_codec.h"

namespace receiptbench::codec {

namespace {

constexpr std::size_t kFileHeader = 14;
constexpr std::uint32_t kUncompressed = 0, kBitFields = 3, kAlphaBitFields = 6;

[[noreturn]] void corrupt(const std::string& what) {
    throw DecodeError(RejectReason::Corrupt, fmt::format("BMP corrupt: {}", what));
}

std::uint32_t u16(Bytes bytes, std::size_t at) {
    if (at > bytes.size() || bytes.size() - at < 2) {
        throw DecodeError(RejectReason::Truncated,
                          "BMP truncated: the file ends inside its header");
    }
    return byteAt(bytes, at) | byteAt(bytes, at + 1) << 8;
}
std::uint32_t u32(Bytes bytes, std::size_t at) {
    return u16(bytes, at) | u16(bytes, at + 2) << 16;
}

struct Header {
    std::size_t size = 0;  // of the information header
    std::int64_t width = 0, height = 0;
    bool topDown = false;
    std::uint32_t bits = 0, compression = kUncompressed, colours = 0;
    std::size_t pixels = 0;  // offset
};

Header readHeader(Bytes bytes) {
    Header header;
    header.pixels = u32(bytes, 10);
    header.size = u32(bytes, kFileHeader);
    if (header.size == 12) {
        header.width = u16(bytes, kFileHeader + 4);
        header.height = u16(bytes, kFileHeader + 6);
        header.bits = u16(bytes, kFileHeader + 10);
        return header;
    }
    if (header.size < 40 || header.size > 256) {
        corrupt(fmt::format("header of {} bytes", header.size));
    }
    header.width = static_cast<std::int32_t>(u32(bytes, kFileHeader + 4));
    const std::int64_t height = static_cast<std::int32_t>(u32(bytes, kFileHeader + 8));
    header.topDown = height < 0;
    header.height = height < 0 ? -height : height;
    header.bits = u16(bytes, kFileHeader + 14);
    header.compression = u32(bytes, kFileHeader + 16);
    header.colours = u32(bytes, kFileHeader + 32);
    return header;
}

// One colour of a pixel: the mask's bits scaled to 0-255.
struct Channel {
    std::uint32_t mask = 0;
    std::uint8_t sample(std::uint32_t pixel) const {
        if (mask == 0) {
            return 0;
        }
        const int shift = std::countr_zero(mask);
        const std::uint64_t top = mask >> shift;
        return static_cast<std::uint8_t>(((pixel & mask) >> shift) * std::uint64_t{255} / top);
    }
};

struct Layout {
    std::array<Channel, 4> channels;  // red, green, blue, alpha (mask 0: none)
    std::vector<std::array<std::uint8_t, 3>> palette;
};

void readMasks(Bytes bytes, const Header& header, Layout& layout) {
    const bool alpha = header.size >= 56 || header.compression == kAlphaBitFields;
    for (std::size_t i = 0; i < (alpha ? 4u : 3u); ++i) {
        layout.channels[i].mask = u32(bytes, kFileHeader + 40 + 4 * i);
        const std::uint32_t mask = layout.channels[i].mask;
        // A mask with holes is no colour; without a colour there is no picture.
        if ((mask == 0 && i < 3) ||
            (mask != 0 &&
             !std::has_single_bit((mask >> std::countr_zero(mask)) + std::uint64_t{1}))) {
            corrupt(fmt::format("colour mask {:08x}", mask));
        }
    }
}

void readPalette(Bytes bytes, const Header& header, Layout& layout) {
    const std::uint32_t most = 1u << header.bits;
    const std::size_t entry = header.size == 12 ? 3 : 4;
    const std::size_t count = header.colours == 0 ? most : std::min(header.colours, most);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = kFileHeader + header.size + i * entry;
        u16(bytes, at + entry - 2);  // there at all?
        layout.palette.push_back({static_cast<std::uint8_t>(byteAt(bytes, at + 2)),
                                  static_cast<std::uint8_t>(byteAt(bytes, at + 1)),
                                  static_cast<std::uint8_t>(byteAt(bytes, at))});
    }
}

Layout readLayout(Bytes bytes, const Header& header) {
    Layout layout;
    const bool masked = header.compression == kBitFields || header.compression == kAlphaBitFields;
    const bool deep = header.bits == 16 || header.bits == 24 || header.bits == 32;
    const bool indexed = header.bits == 1 || header.bits == 4 || header.bits == 8;
    if ((!deep && !indexed) ||
        (header.compression != kUncompressed && !(masked && header.bits != 24 && deep))) {
        throw DecodeError(RejectReason::UnsupportedFormat,
                          fmt::format("BMP with {} bits a pixel and compression {}; save it as PNG",
                                      header.bits, header.compression));
    }
    if (masked) {
        readMasks(bytes, header, layout);
    } else if (header.bits == 16) {
        layout.channels = {Channel{0x7C00}, Channel{0x03E0}, Channel{0x001F}, Channel{0}};
    } else if (deep) {
        // The fourth byte of 32 bits is not used, whatever it holds.
        layout.channels = {Channel{0xFF0000}, Channel{0x00FF00}, Channel{0x0000FF}, Channel{0}};
    } else {
        readPalette(bytes, header, layout);
    }
    return layout;
}

void indexedRow(Bytes row, const Header& header, const Layout& layout, std::uint8_t* out) {
    const std::size_t perByte = 8 / header.bits;
    for (std::size_t x = 0; x < static_cast<std::size_t>(header.width); ++x, out += 3) {
        const std::size_t shift = 8 - header.bits * (x % perByte + 1);
        const std::size_t index = byteAt(row, x / perByte) >> shift & ((1u << header.bits) - 1);
        if (index >= layout.palette.size()) {
            corrupt(fmt::format("colour {} of a palette of {}", index, layout.palette.size()));
        }
        std::copy(layout.palette[index].begin(), layout.palette[index].end(), out);
    }
}

void directRow(Bytes row, const Header& header, const Layout& layout, std::uint8_t* out) {
    const std::size_t bytesPerPixel = header.bits / 8;
    for (std::size_t x = 0; x < static_cast<std::size_t>(header.width); ++x, out += 3) {
        std::uint32_t pixel = 0;
        for (std::size_t i = 0; i < bytesPerPixel; ++i) {
            pixel |= byteAt(row, x * bytesPerPixel + i) << 8 * i;
        }
        const bool hasAlpha = layout.channels[3].mask != 0;
        const std::uint32_t alpha = hasAlpha ? layout.channels[3].sample(pixel) : 255u;
        for (std::size_t c = 0; c < 3; ++c) {
            out[c] = onWhite(layout.channels[c].sample(pixel), alpha);
        }
    }
}

}  // namespace

Size bmpSize(Bytes bytes) {
    const Header header = readHeader(bytes);
    return {header.width, header.height};
}

Decoded decodeBmp(Bytes bytes) {
    const Header header = readHeader(bytes);
    checkDimensions(header.width, header.height);
    const Layout layout = readLayout(bytes, header);
    const auto width = static_cast<std::size_t>(header.width),
               height = static_cast<std::size_t>(header.height);
    const std::size_t stride = (width * header.bits + 31) / 32 * 4;
    if (header.pixels > bytes.size() || bytes.size() - header.pixels < stride * height) {
        throw DecodeError(
            RejectReason::Truncated,
            fmt::format("BMP truncated: {} bytes of pixels expected, {} there", stride * height,
                        bytes.size() - std::min(header.pixels, bytes.size())));
    }
    Decoded decoded;
    decoded.image = {header.width, header.height, std::vector<std::uint8_t>(width * height * 3)};
    for (std::size_t y = 0; y < height; ++y) {
        const Bytes row = bytes.subspan(header.pixels + y * stride, stride);
        std::uint8_t* out =
            decoded.image.rgb.data() + (header.topDown ? y : height - 1 - y) * width * 3;
        (layout.palette.empty() ? directRow : indexedRow)(row, header, layout, out);
    }
    return decoded;
}

}  // namespace receiptbench::codec
