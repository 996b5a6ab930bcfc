// TIFF through libtiff: the first page. Asked to stop at the first error; by default it leaves what
// is missing black.
#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/data/decode/image_codec.h"

namespace receiptbench::codec {

namespace {

constexpr std::uint16_t kNewSubfileType = 254, kWidth = 256, kHeight = 257, kBits = 258,
                        kPhotometric = 262, kSamples = 277, kSampleFormat = 339,
                        kDngVersion = 50706;
constexpr tmsize_t kMaxAllocation = tmsize_t{512} << 20;

struct TiffInput {
    Bytes bytes;
    std::uint64_t position = 0;
    bool ranOut = false;
    std::string problem;  // the first one
};

TiffInput& inputOf(thandle_t handle) {
    return *static_cast<TiffInput*>(handle);
}

tmsize_t readSome(thandle_t handle, void* into, tmsize_t size) {
    TiffInput& input = inputOf(handle);
    const std::uint64_t left =
        input.bytes.size() - std::min<std::uint64_t>(input.position, input.bytes.size());
    const std::uint64_t count = std::min<std::uint64_t>(static_cast<std::uint64_t>(size), left);
    input.ranOut |= count < static_cast<std::uint64_t>(size);
    std::memcpy(into, input.bytes.data() + (input.bytes.size() - left), count);
    input.position += count;
    return static_cast<tmsize_t>(count);
}
tmsize_t writeNothing(thandle_t, void*, tmsize_t) {
    return 0;
}
toff_t seekTo(thandle_t handle, toff_t offset, int whence) {
    TiffInput& input = inputOf(handle);
    const std::uint64_t base = whence == SEEK_CUR   ? input.position
                               : whence == SEEK_END ? input.bytes.size()
                                                    : 0;
    return input.position = base + offset;
}
int closeNothing(thandle_t) {
    return 0;
}
toff_t sizeOf(thandle_t handle) {
    return inputOf(handle).bytes.size();
}

// Keeps libtiff from printing, and remembers: it may report an error and still return success.
int keepError(TIFF*, void* input, const char*, const char* format, va_list arguments) {
    char text[200];
    std::vsnprintf(text, sizeof text, format, arguments);
    auto* kept = static_cast<TiffInput*>(input);
    if (kept->problem.empty()) {
        kept->problem = text;
    }
    return 1;
}
int ignoreWarning(TIFF*, void*, const char*, const char*, va_list) {
    return 1;
}

struct CloseTiff {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using OpenTiff = std::unique_ptr<TIFF, CloseTiff>;

OpenTiff openTiff(TiffInput& input) {
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(
        TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxAllocation);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keepError, &input);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignoreWarning, nullptr);
    return OpenTiff(TIFFClientOpenExt("picture", "rm", &input, readSome, writeNothing, seekTo,
                                      closeNothing, sizeOf, nullptr, nullptr, options.get()));
}

void requireSupported(const TiffDirectory& directory) {
    const auto refuse = [](RejectReason reason, const std::string& what) {
        throw DecodeError(reason, fmt::format("TIFF {}; save it as an 8-bit RGB picture", what));
    };
    if ((directory.number(kNewSubfileType).value_or(0) & 1u) != 0 ||
        directory.number(kDngVersion)) {
        refuse(RejectReason::UnsupportedFormat,
               "of a raw photo");  // its first page is only a preview
    }
    const std::uint32_t photometric = directory.number(kPhotometric).value_or(0);
    if (photometric == PHOTOMETRIC_SEPARATED) {
        refuse(RejectReason::ColourSpace, "with CMYK inks");
    }
    if (photometric > PHOTOMETRIC_PALETTE && photometric != PHOTOMETRIC_YCBCR) {
        refuse(RejectReason::ColourSpace, fmt::format("with colour space {}", photometric));
    }
    const std::uint32_t format = directory.number(kSampleFormat).value_or(SAMPLEFORMAT_UINT);
    if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID) {
        refuse(RejectReason::UnsupportedFormat, format == SAMPLEFORMAT_IEEEFP
                                                    ? "with floating-point samples"
                                                    : "with signed or complex samples");
    }
    if (const std::uint32_t bits = directory.number(kBits).value_or(1); bits > 16) {
        refuse(RejectReason::UnsupportedFormat, fmt::format("with {} bits a sample", bits));
    }
}

[[noreturn]] void fail(const TiffInput& input) {
    const RejectReason reason = input.ranOut ? RejectReason::Truncated : RejectReason::Corrupt;
    const std::string& why = input.problem.empty() ? "its pixels cannot be read" : input.problem;
    throw DecodeError(reason, fmt::format("TIFF {}: {}", toString(reason), why));
}

// libtiff's own conversion takes the high byte of 16-bit grey; the rule is v / 257.
bool isDeepGrey(const TiffDirectory& directory) {
    return directory.number(kBits) == 16u && directory.number(kSamples).value_or(1) == 1 &&
           directory.number(kPhotometric).value_or(0) <= PHOTOMETRIC_MINISBLACK;
}

void readDeepGrey(TIFF* tiff, TiffInput& input, bool whiteIsZero, Image& image) {
    const auto width = static_cast<std::size_t>(image.width);
    if (TIFFIsTiled(tiff) != 0) {
        throw DecodeError(RejectReason::UnsupportedFormat,
                          "TIFF with 16-bit grey tiles; save it as PNG");
    }
    if (TIFFScanlineSize64(tiff) < width * 2 || TIFFScanlineSize64(tiff) > width * 2 + 64) {
        fail(input);
    }
    std::vector<std::uint16_t> row(TIFFScanlineSize64(tiff) / 2 + 1);
    std::uint8_t* out = image.rgb.data();
    for (std::uint32_t y = 0; y < static_cast<std::uint32_t>(image.height); ++y) {
        if (TIFFReadScanline(tiff, row.data(), y, 0) != 1) {
            fail(input);
        }
        for (std::size_t x = 0; x < width; ++x, out += 3) {
            const std::uint32_t sample = whiteIsZero ? 65535u - row[x] : row[x];
            std::fill_n(out, 3, static_cast<std::uint8_t>((sample + 128) / 257));
        }
    }
}

void readAny(TIFF* tiff, TiffInput& input, int storedOrientation, Image& image) {
    const auto width = static_cast<std::uint32_t>(image.width),
               height = static_cast<std::uint32_t>(image.height);
    std::vector<std::uint32_t> raster(std::size_t{width} * height);
    // Asking for the orientation it has leaves the rows as stored; the decoder turns them like any
    // other picture's.
    if (TIFFReadRGBAImageOriented(tiff, width, height, raster.data(), storedOrientation, 1) != 1) {
        fail(input);
    }
    std::uint8_t* out = image.rgb.data();
    for (const std::uint32_t pixel : raster) {
        // Colours come multiplied by alpha, so white shows through with what is left.
        const std::uint32_t white = 255u - TIFFGetA(pixel);
        *out++ = static_cast<std::uint8_t>(std::min(255u, TIFFGetR(pixel) + white));
        *out++ = static_cast<std::uint8_t>(std::min(255u, TIFFGetG(pixel) + white));
        *out++ = static_cast<std::uint8_t>(std::min(255u, TIFFGetB(pixel) + white));
    }
}

}  // namespace

Size tiffSize(Bytes bytes) {
    const TiffDirectory directory(bytes);
    const auto width = directory.number(kWidth), height = directory.number(kHeight);
    if (!directory.valid() || !width || !height) {
        throw DecodeError(RejectReason::Corrupt, "TIFF corrupt: no readable first page");
    }
    return {*width, *height};
}

Decoded decodeTiff(Bytes bytes) {
    const Size size = tiffSize(bytes);
    checkDimensions(size.width, size.height);
    const TiffDirectory directory(bytes);
    requireSupported(directory);
    TiffInput input{bytes, 0, false, {}};
    const OpenTiff tiff = openTiff(input);
    std::uint32_t width = 0, height = 0;
    if (tiff == nullptr || TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) != 1 ||
        TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height) != 1 || width != size.width ||
        height != size.height) {
        fail(input);  // also when a repeated tag makes libtiff see another size than was checked
    }
    Decoded decoded{{size.width, size.height, {}}, exifOrientation(bytes)};
    decoded.image.rgb.resize(static_cast<std::size_t>(size.width * size.height * 3));
    if (isDeepGrey(directory)) {
        readDeepGrey(tiff.get(), input, directory.number(kPhotometric) == 0u, decoded.image);
    } else {
        readAny(tiff.get(), input, decoded.orientation, decoded.image);
    }
    if (!input.problem.empty()) {
        fail(input);
    }
    return decoded;
}

}  // namespace receiptbench::codec
