// WebP through libwebp: lossy, lossless, alpha; no animations.
#include <webp/decode.h>

#include <string_view>

#include "core/data/decode/image_codec.h"

namespace receiptbench::codec {

namespace {

const std::uint8_t* raw(Bytes bytes) {
    return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

WebPBitstreamFeatures featuresOf(Bytes bytes) {
    WebPBitstreamFeatures features{};
    const VP8StatusCode status = WebPGetFeatures(raw(bytes), bytes.size(), &features);
    if (status == VP8_STATUS_NOT_ENOUGH_DATA) {
        throw DecodeError(RejectReason::Truncated,
                          "WebP truncated: the file ends inside its header");
    }
    if (status != VP8_STATUS_OK) {
        throw DecodeError(RejectReason::Corrupt, "WebP corrupt: bad header");
    }
    return features;
}

std::uint32_t littleEndian32(Bytes bytes, std::size_t at) {
    return byteAt(bytes, at) | byteAt(bytes, at + 1) << 8 | byteAt(bytes, at + 2) << 16 |
           byteAt(bytes, at + 3) << 24;
}

// RIFF chunks: name, length, content padded to an even length.
int orientationOf(Bytes bytes) {
    std::size_t at = 12;
    while (at < bytes.size() && bytes.size() - at >= 8) {
        const std::string_view name(reinterpret_cast<const char*>(bytes.data()) + at, 4);
        const std::size_t length = littleEndian32(bytes, at + 4);
        if (bytes.size() - at - 8 < length) {
            return 1;
        }
        if (name == "EXIF") {
            Bytes exif = bytes.subspan(at + 8, length);
            const bool prefixed =
                exif.size() > 6 && byteAt(exif, 0) == 'E';  // some writers keep JPEG's "Exif\0\0"
            return exifOrientation(prefixed ? exif.subspan(6) : exif);
        }
        at += 8 + length + length % 2;
    }
    return 1;
}

}  // namespace

Size webpSize(Bytes bytes) {
    const WebPBitstreamFeatures features = featuresOf(bytes);
    return {features.width, features.height};
}

Decoded decodeWebp(Bytes bytes) {
    const WebPBitstreamFeatures features = featuresOf(bytes);
    if (features.has_animation) {
        throw DecodeError(RejectReason::UnsupportedFormat,
                          "animated WebP; save one frame as a still picture");
    }
    checkDimensions(features.width, features.height);
    const std::size_t pixels =
        static_cast<std::size_t>(features.width) * static_cast<std::size_t>(features.height);
    const int channels = features.has_alpha ? 4 : 3;
    std::vector<std::uint8_t> samples(pixels * static_cast<std::size_t>(channels));
    const auto decode = features.has_alpha ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
    if (decode(raw(bytes), bytes.size(), samples.data(), samples.size(),
               features.width * channels) == nullptr) {
        const bool tooShort = littleEndian32(bytes, 4) + std::uint64_t{8} > bytes.size();
        throw DecodeError(tooShort ? RejectReason::Truncated : RejectReason::Corrupt,
                          tooShort ? "WebP truncated: the file ends early"
                                   : "WebP corrupt: its pixels cannot be read");
    }
    Decoded decoded{{features.width, features.height, {}}, orientationOf(bytes)};
    if (!features.has_alpha) {
        decoded.image.rgb = std::move(samples);
        return decoded;
    }
    decoded.image.rgb.resize(pixels * 3);
    for (std::size_t i = 0; i < pixels; ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
            decoded.image.rgb[i * 3 + c] = onWhite(samples[i * 4 + c], samples[i * 4 + 3]);
        }
    }
    return decoded;
}

}  // namespace receiptbench::codec
