// The one decoder for import, thumbnails, training and prediction: by content, never by suffix.
//
// JPEG (libjpeg-turbo), PNG (libpng), WebP (libwebp), TIFF (libtiff), BMP (own reader): each
// directly, since general readers return damaged pictures as whole ones. EXIF orientation 1-8
// applied, any other value is 1. 16-bit samples are scaled by 1/257. Grey is replicated, every
// alpha form is composited on white. CMYK, float samples and animations are rejected; of a TIFF
// with several pages the first counts. Dimensions are read before anything is allocated: at most 64
// megapixels and 16,384 a side. All decisions in one table: POLICIES.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/error.h"
#include "core/data/image.h"

namespace receiptbench {

enum class RejectReason {
    Missing,
    NotAFile,
    Empty,
    Unreadable,
    NotAnImage,
    Truncated,
    Corrupt,
    TooLarge,
    UnsupportedFormat,
    ColourSpace,
    OutsideRoot,
    UnknownLabel,
    EmptyLabel,
    BadRow,
    Duplicate,
    InvalidUtf8,
    Hidden,
};
std::string toString(RejectReason reason);  // "missing", "not-a-file", ...

class DecodeError : public Error {
 public:
    DecodeError(RejectReason reason, const std::string& message);
    RejectReason reason() const { return reason_; }

 private:
    RejectReason reason_;
};

struct ImageHeader {
    std::string format;                  // "jpeg", "png", "bmp", "webp", "tiff"
    std::int64_t width = 0, height = 0;  // as stored
};
ImageHeader readImageHeader(std::span<const std::byte> bytes);  // throws DecodeError
Image decodeImage(std::span<const std::byte> bytes);            // throws DecodeError
// Follows links; regular files only; throws DecodeError.
Image decodeImageFile(const std::string& path);

// Whole picture into width x height keeping its shape, the rest grey 128 (centred): area average
// when shrinking, else bilinear.
Image letterbox(const Image& image, std::int64_t width, std::int64_t height);
// What freezing makes of a photo that it does not degrade, and prediction of any: a long side of at
// most 1000 pixels, then the letterbox.
Image framePhoto(const Image& image, std::int64_t width, std::int64_t height);
void writePng(const std::string& path, const Image& image);
void writeJpeg(const std::string& path, const Image& image, int quality = 90);

}  // namespace receiptbench
