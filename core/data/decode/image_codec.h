// Inside the decoder: what the formats share. Not for other folders; they use decode.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/data/decode.h"
#include "core/data/image.h"

namespace receiptbench::codec {

using Bytes = std::span<const std::byte>;

inline constexpr std::int64_t kMaxPixels = 64'000'000;
inline constexpr std::int64_t kMaxSide = 16'384;

enum class Format { Jpeg, Png, Bmp, Webp, Tiff };
std::string nameOf(Format format);

// By the first bytes. Throws DecodeError (Empty, NotAnImage or UnsupportedFormat naming what it
// is).
Format sniff(Bytes bytes);
// Throws DecodeError(TooLarge) naming the limit, DecodeError(Corrupt) for a side below 1.
void checkDimensions(std::int64_t width, std::int64_t height);

struct Size {
    std::int64_t width = 0, height = 0;
};
// As stored, before orientation. Read without allocating pixels; they do not check limits.
Size jpegSize(Bytes bytes);
Size pngSize(Bytes bytes);
Size bmpSize(Bytes bytes);
Size webpSize(Bytes bytes);
Size tiffSize(Bytes bytes);

// The picture as stored plus its orientation tag (1 when absent or out of range).
struct Decoded {
    Image image;
    int orientation = 1;
};
Decoded decodeJpeg(Bytes bytes);
Decoded decodePng(Bytes bytes);
Decoded decodeBmp(Bytes bytes);
Decoded decodeWebp(Bytes bytes);
Decoded decodeTiff(Bytes bytes);

Image oriented(Image image, int orientation);

// Straight alpha on white, rounded: the one rule for every alpha form.
inline std::uint8_t onWhite(std::uint32_t sample, std::uint32_t alpha) {
    return static_cast<std::uint8_t>((sample * alpha + 255u * (255u - alpha) + 127u) / 255u);
}
inline std::uint32_t byteAt(Bytes bytes, std::size_t offset) {
    return std::to_integer<std::uint32_t>(bytes[offset]);
}

// The first directory of a TIFF structure (a TIFF file, or the EXIF block of another format). Every
// access is checked against the bytes given; what lies outside is absent.
class TiffDirectory {
 public:
    explicit TiffDirectory(Bytes tiff);
    bool valid() const { return entries_ > 0; }
    // The first value of an entry of type BYTE, SHORT or LONG.
    std::optional<std::uint32_t> number(std::uint16_t tag) const;

 private:
    std::optional<std::uint16_t> u16(std::size_t offset) const;
    std::optional<std::uint32_t> u32(std::size_t offset) const;
    Bytes tiff_;
    bool bigEndian_ = false;
    std::size_t firstEntry_ = 0;
    std::size_t entries_ = 0;
};

inline constexpr std::uint16_t kOrientationTag = 0x0112;
// Orientation 1-8 from an EXIF block ("II*\0..." or "MM\0*..."); anything else is 1.
int exifOrientation(Bytes tiff);

}  // namespace receiptbench::codec
