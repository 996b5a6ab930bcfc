// PNG through libpng itself: short rows and bad checksums of the pixels are errors, not black rows.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "core/data/decode/image_codec.h"

namespace receiptbench::codec {

namespace {

constexpr std::size_t kSignature = 8;
constexpr std::size_t kMaxChunkMemory = 8u << 20;  // of metadata, compressed texts included

// What libpng's callbacks see. Pointers into it stay valid: it never moves.
struct PngInput {
    Bytes bytes;
    std::size_t position = 0;
    bool ranOut = false;
    char text[160] = {};
};

extern "C" {
void readPngBytes(png_structp png, png_bytep into, png_size_t size) {
    auto* input = static_cast<PngInput*>(png_get_io_ptr(png));
    if (input->bytes.size() - input->position < size) {
        input->ranOut = true;
        png_error(png, "the file ends early");
    }
    std::memcpy(into, input->bytes.data() + input->position, size);
    input->position += size;
}
void stopOnPngError(png_structp png, png_const_charp message) {
    auto* input = static_cast<PngInput*>(png_get_error_ptr(png));
    std::snprintf(input->text, sizeof input->text, "%s", message);
    png_longjmp(png, 1);
}
// Damaged transparency changes the picture; other metadata does not.
void keepPngWarning(png_structp png, png_const_charp message) {
    if (std::string_view(message).starts_with("tRNS")) {
        stopOnPngError(png, message);
    }
}
}

// One row of 8-bit grey, grey+alpha, RGB or RGBA.
void rowToRgb(const std::uint8_t* in, std::size_t channels, std::size_t width, std::uint8_t* out) {
    const bool colour = channels >= 3, alpha = channels % 2 == 0;
    for (std::size_t x = 0; x < width; ++x, in += channels, out += 3) {
        for (std::size_t c = 0; c < 3; ++c) {
            const std::uint8_t sample = in[colour ? c : 0];
            out[c] = alpha ? onWhite(sample, in[channels - 1]) : sample;
        }
    }
}

// No function with a setjmp holds an object with a destructor: a jump would skip it.
class PngReader {
 public:
    explicit PngReader(Bytes bytes) : input_{bytes} {
        png_ =
            png_create_read_struct(PNG_LIBPNG_VER_STRING, &input_, stopOnPngError, keepPngWarning);
        info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
        if (info_ == nullptr) {
            png_destroy_read_struct(&png_, nullptr, nullptr);
            throw std::bad_alloc();
        }
        png_set_read_fn(png_, &input_, readPngBytes);
        png_set_user_limits(png_, kMaxSide, kMaxSide);
        png_set_chunk_malloc_max(png_, kMaxChunkMemory);
        // Damage in the pixels is an error; a damaged text or time stamp is dropped.
        png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
    }
    ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;

    void readHeader() {
        if (!tryReadHeader()) {
            fail();
        }
    }
    // scratch: one row, or the whole picture when interlaced (it comes in several passes).
    void readPixels(std::uint8_t* scratch, std::uint8_t* rgb) {
        if (!tryReadPixels(scratch, rgb)) {
            fail();
        }
    }
    int orientation() const {
        png_uint_32 size = 0;
        png_bytep exif = nullptr;
        if (png_get_eXIf_1(png_, info_, &size, &exif) == 0 || exif == nullptr) {
            return 1;
        }
        return exifOrientation(std::as_bytes(std::span(exif, size)));
    }
    Size size() const {
        return {png_get_image_width(png_, info_), png_get_image_height(png_, info_)};
    }
    std::size_t rowBytes() const { return png_get_rowbytes(png_, info_); }
    bool interlaced() const { return passes_ > 1; }

 private:
    // Ends with every form as 8-bit grey, grey+alpha, RGB or RGBA.
    bool tryReadHeader() {
        if (setjmp(png_jmpbuf(png_)) != 0) {
            return false;
        }
        png_read_info(png_, info_);
        png_set_expand(png_);    // palette, 1-4 bits, tRNS
        png_set_scale_16(png_);  // v / 257, rounded
        passes_ = png_set_interlace_handling(png_);
        png_read_update_info(png_, info_);
        return true;
    }
    bool tryReadPixels(std::uint8_t* scratch, std::uint8_t* rgb) {
        if (setjmp(png_jmpbuf(png_)) != 0) {
            return false;
        }
        if (interlaced()) {
            readPasses(scratch);
        }
        const auto width = static_cast<std::size_t>(size().width);
        const auto height = static_cast<std::size_t>(size().height);
        const std::size_t channels = png_get_channels(png_, info_);
        for (std::size_t y = 0; y < height; ++y) {
            if (!interlaced()) {
                png_read_row(png_, scratch, nullptr);
            }
            rowToRgb(scratch + (interlaced() ? y * rowBytes() : 0), channels, width,
                     rgb + y * width * 3);
        }
        png_read_end(png_, info_);  // to IEND: a file cut after its pixels is noticed here
        return true;
    }
    void readPasses(std::uint8_t* whole) {
        const auto height = static_cast<std::size_t>(size().height);
        for (int pass = 0; pass < passes_; ++pass) {
            for (std::size_t y = 0; y < height; ++y) {
                png_read_row(png_, whole + y * rowBytes(), nullptr);
            }
        }
    }
    [[noreturn]] void fail() const {
        const bool tooShort =
            input_.ranOut || std::string_view(input_.text).starts_with("Not enough");
        const RejectReason reason = tooShort ? RejectReason::Truncated : RejectReason::Corrupt;
        throw DecodeError(reason, fmt::format("PNG {}: {}", toString(reason),
                                              static_cast<const char*>(input_.text)));
    }

    PngInput input_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    int passes_ = 1;
};

std::uint32_t bigEndian32(Bytes bytes, std::size_t at) {
    return byteAt(bytes, at) << 24 | byteAt(bytes, at + 1) << 16 | byteAt(bytes, at + 2) << 8 |
           byteAt(bytes, at + 3);
}

// An animation control chunk stands before the pixels.
bool isAnimated(Bytes bytes) {
    std::size_t at = kSignature;
    while (bytes.size() - at >= 8) {
        const std::string_view type(reinterpret_cast<const char*>(bytes.data()) + at + 4, 4);
        if (type == "acTL" || type == "IDAT") {
            return type == "acTL";
        }
        const std::size_t length = std::size_t{bigEndian32(bytes, at)} + 12;
        if (bytes.size() - at < length) {
            return false;
        }
        at += length;
    }
    return false;
}

}  // namespace

Size pngSize(Bytes bytes) {
    constexpr std::size_t kAt = kSignature + 8;
    if (bytes.size() < kAt + 8) {
        throw DecodeError(RejectReason::Truncated,
                          "PNG truncated: the file ends inside its header");
    }
    return {bigEndian32(bytes, kAt), bigEndian32(bytes, kAt + 4)};
}

Decoded decodePng(Bytes bytes) {
    if (isAnimated(bytes)) {
        throw DecodeError(RejectReason::UnsupportedFormat,
                          "animated PNG; save one frame as a still picture");
    }
    PngReader reader(bytes);
    reader.readHeader();
    const Size size = reader.size();
    checkDimensions(size.width, size.height);
    Decoded decoded;
    decoded.image = {size.width, size.height, {}};
    decoded.image.rgb.resize(static_cast<std::size_t>(size.width * size.height * 3));
    std::vector<std::uint8_t> scratch(
        reader.rowBytes() * (reader.interlaced() ? static_cast<std::size_t>(size.height) : 1));
    reader.readPixels(scratch.data(), decoded.image.rgb.data());
    decoded.orientation = reader.orientation();
    return decoded;
}

}  // namespace receiptbench::codec
