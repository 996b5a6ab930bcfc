#include "core/data/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/text.h"
#include "core/data/decode/image_codec.h"
#include "core/data/file_bytes.h"

namespace receiptbench {

std::string toString(RejectReason reason) {
    // In the enumeration's order.
    static constexpr std::array<const char*, 17> kNames{
        "missing",       "not-a-file",   "empty",
        "unreadable",    "not-an-image", "truncated",
        "corrupt",       "too-large",    "unsupported-format",
        "colour-space",  "outside-root", "unknown-label",
        "empty-label",   "bad-row",      "duplicate",
        "invalid-utf-8", "hidden"};
    return kNames.at(static_cast<std::size_t>(reason));
}
static_assert(static_cast<int>(RejectReason::Hidden) == 16);

DecodeError::DecodeError(RejectReason reason, const std::string& message)
    : Error(ErrorCode::Data, message, "Replace or remove this file, then import again."),
      reason_(reason) {}

namespace codec {

namespace {

bool startsWith(Bytes bytes, std::string_view prefix, std::size_t at = 0) {
    return bytes.size() >= at + prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char a, std::byte b) {
                          return static_cast<unsigned char>(a) == std::to_integer<unsigned>(b);
                      });
}

// Pictures, or nearly so, that are refused by name.
struct Refused {
    std::size_t at;
    std::string_view prefix;
    const char* name;
};
constexpr std::array<Refused, 11> kRefused{{{0, "GIF8", "GIF"},
                                            {4, "ftypheic", "HEIC"},
                                            {4, "ftypheix", "HEIC"},
                                            {4, "ftypmif1", "HEIF"},
                                            {4, "ftypavif", "AVIF"},
                                            {4, "jP  ", "JPEG 2000"},
                                            {0, "\xff\x4f\xff\x51", "JPEG 2000"},
                                            {0, "\xff\x0a", "JPEG XL"},
                                            {4, "JXL ", "JPEG XL"},
                                            {0, "8BPS", "Photoshop"},
                                            {0, "%PDF", "PDF"}}};

bool isNetpbm(Bytes bytes) {
    if (bytes.size() < 3 || byteAt(bytes, 0) != 'P' || byteAt(bytes, 1) < '1' ||
        byteAt(bytes, 1) > '7') {
        return false;
    }
    const std::uint32_t third = byteAt(bytes, 2);
    return third == ' ' || third == '\n' || third == '\r' || third == '\t' || third == '#';
}

// What a file that is no picture looks like, for the message. Its content is never quoted.
const char* kindOfText(Bytes bytes) {
    std::string start;
    for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 1024); ++i) {
        const std::uint32_t c = byteAt(bytes, i);
        start += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    if (start.find("<svg") != std::string::npos) {
        return "an SVG drawing";
    }
    if (start.find("<html") != std::string::npos ||
        start.find("<!doctype html") != std::string::npos) {
        return "an HTML page (a failed download?)";
    }
    if (start.find_first_not_of('\0') == std::string::npos) {
        return "nothing but zero bytes";
    }
    return "no JPEG, PNG, BMP, WebP or TIFF";
}

}  // namespace

std::string nameOf(Format format) {
    switch (format) {
        case Format::Jpeg:
            return "jpeg";
        case Format::Png:
            return "png";
        case Format::Bmp:
            return "bmp";
        case Format::Webp:
            return "webp";
        case Format::Tiff:
            return "tiff";
    }
    return "unknown";
}

Format sniff(Bytes bytes) {
    if (bytes.empty()) {
        throw DecodeError(RejectReason::Empty, "empty file");
    }
    if (startsWith(bytes, "\xff\xd8\xff")) {
        return Format::Jpeg;
    }
    if (startsWith(bytes, "\x89PNG\r\n\x1a\n")) {
        return Format::Png;
    }
    if (startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8)) {
        return Format::Webp;
    }
    if (startsWith(bytes, std::string_view("II*\0", 4)) ||
        startsWith(bytes, std::string_view("MM\0*", 4))) {
        return Format::Tiff;
    }
    // "BM" alone could start a text: the header's size field must be one that exists.
    if (startsWith(bytes, "BM") && bytes.size() >= 18 && byteAt(bytes, 15) == 0 &&
        byteAt(bytes, 16) == 0) {
        return Format::Bmp;
    }
    for (const Refused& refused : kRefused) {
        if (startsWith(bytes, refused.prefix, refused.at)) {
            throw DecodeError(
                RejectReason::UnsupportedFormat,
                fmt::format("{} is not supported; convert it to PNG or JPEG", refused.name));
        }
    }
    if (isNetpbm(bytes)) {
        throw DecodeError(RejectReason::UnsupportedFormat,
                          "PNM is not supported; convert it to PNG");
    }
    throw DecodeError(RejectReason::NotAnImage,
                      fmt::format("not a picture: {}", kindOfText(bytes)));
}

void checkDimensions(std::int64_t width, std::int64_t height) {
    if (width < 1 || height < 1) {
        throw DecodeError(RejectReason::Corrupt,
                          fmt::format("claims {} x {} pixels", width, height));
    }
    if (width > kMaxSide || height > kMaxSide || width * height > kMaxPixels) {
        throw DecodeError(
            RejectReason::TooLarge,
            fmt::format("claims {} x {} pixels; at most {} a side and {} megapixels are read",
                        width, height, kMaxSide, kMaxPixels / 1'000'000));
    }
}

namespace {

Size sizeOf(Format format, Bytes bytes) {
    switch (format) {
        case Format::Jpeg:
            return jpegSize(bytes);
        case Format::Png:
            return pngSize(bytes);
        case Format::Bmp:
            return bmpSize(bytes);
        case Format::Webp:
            return webpSize(bytes);
        case Format::Tiff:
            return tiffSize(bytes);
    }
    return {};
}

Decoded decodeAs(Format format, Bytes bytes) {
    switch (format) {
        case Format::Jpeg:
            return decodeJpeg(bytes);
        case Format::Png:
            return decodePng(bytes);
        case Format::Bmp:
            return decodeBmp(bytes);
        case Format::Webp:
            return decodeWebp(bytes);
        case Format::Tiff:
            return decodeTiff(bytes);
    }
    return {};
}

}  // namespace

Image oriented(Image image, int orientation) {
    if (orientation < 2 || orientation > 8) {
        return image;
    }
    const bool swapped = orientation >= 5;
    const std::int64_t w = image.width, h = image.height;
    Image result{swapped ? h : w, swapped ? w : h, std::vector<std::uint8_t>(image.rgb.size())};
    const bool mirrorX =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool mirrorY =
        orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    std::uint8_t* out = result.rgb.data();
    for (std::int64_t y = 0; y < result.height; ++y) {
        for (std::int64_t x = 0; x < result.width; ++x, out += 3) {
            // Where the upright pixel (x, y) lies in the stored raster.
            std::int64_t sx = swapped ? y : x, sy = swapped ? x : y;
            sx = mirrorX ? w - 1 - sx : sx;
            sy = mirrorY ? h - 1 - sy : sy;
            const std::uint8_t* in = image.rgb.data() + (sy * w + sx) * 3;
            out[0] = in[0], out[1] = in[1], out[2] = in[2];
        }
    }
    return result;
}

}  // namespace codec

ImageHeader readImageHeader(std::span<const std::byte> bytes) {
    const codec::Format format = codec::sniff(bytes);
    const codec::Size size = codec::sizeOf(format, bytes);
    codec::checkDimensions(size.width, size.height);
    return {codec::nameOf(format), size.width, size.height};
}

Image decodeImage(std::span<const std::byte> bytes) {
    const codec::Format format = codec::sniff(bytes);
    const codec::Size size = codec::sizeOf(format, bytes);
    codec::checkDimensions(size.width, size.height);
    codec::Decoded decoded = codec::decodeAs(format, bytes);
    return codec::oriented(std::move(decoded.image), decoded.orientation);
}

Image decodeImageFile(const std::string& path) {
    return decodeImage(readImageFile(path));
}

}  // namespace receiptbench
