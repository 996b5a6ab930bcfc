// JPEG through libjpeg-turbo itself: a lenient decoder fills what is missing with grey and calls it
// a success; here every warning about the pixels is a rejection.
#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include <jerror.h>

#include "core/data/decode/image_codec.h"

namespace receiptbench::codec {

namespace {

// Each scan of a progressive file passes over the whole picture: thousands of tiny scans are an
// attack, not a photo.
constexpr int kMaxScans = 500;
// Cameras are known to pad before the end marker; more than this between markers is damage.
constexpr int kToleratedPadding = 4;

struct Problem {
    int code = 0;  // JERR_… or JWRN_…; 0: none
    char text[JMSG_LENGTH_MAX] = {};
};

struct ErrorManager {
    jpeg_error_mgr base;  // first: libjpeg hands back a pointer to it
    std::jmp_buf jump;
    Problem problem;
};

bool isHarmless(const jpeg_error_mgr& error) {
    switch (error.msg_code) {
        case JWRN_ADOBE_XFORM:
        case JWRN_JFIF_MAJOR:
        case JWRN_BOGUS_ICC:
            return true;
        case JWRN_EXTRANEOUS_DATA:
            return error.msg_parm.i[0] <= kToleratedPadding && error.msg_parm.i[1] == JPEG_EOI;
        default:
            return false;
    }
}

extern "C" {
void stopOnError(j_common_ptr info) {
    auto* manager = reinterpret_cast<ErrorManager*>(info->err);
    manager->problem.code = manager->base.msg_code;
    manager->base.format_message(info, manager->problem.text);
    std::longjmp(manager->jump, 1);
}
// level -1: a warning. libjpeg would go on and invent pixels.
void keepWarning(j_common_ptr info, int level) {
    auto* manager = reinterpret_cast<ErrorManager*>(info->err);
    if (level == -1 && !isHarmless(manager->base)) {
        stopOnError(info);
    }
}
void printNothing(j_common_ptr) {}
void limitScans(j_common_ptr info) {
    if (info->is_decompressor &&
        reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMaxScans) {
        ERREXIT(info, JERR_BAD_PROGRESSION);
    }
}
}

RejectReason reasonOf(int code) {
    switch (code) {
        case JWRN_JPEG_EOF:
        case JERR_INPUT_EOF:
        case JERR_INPUT_EMPTY:
        case JERR_NO_IMAGE:
            return RejectReason::Truncated;
        case JERR_SOF_UNSUPPORTED:
        case JERR_ARITH_NOTIMPL:
        case JERR_BAD_PRECISION:
        case JERR_NOTIMPL:
        case JERR_NOT_COMPILED:
            return RejectReason::UnsupportedFormat;
        case JERR_CONVERSION_NOTIMPL:
        case JERR_BAD_J_COLORSPACE:
            return RejectReason::ColourSpace;
        case JERR_IMAGE_TOO_BIG:
            return RejectReason::TooLarge;
        default:
            return RejectReason::Corrupt;
    }
}

// No function with a setjmp holds an object with a destructor: a jump would skip it.
class JpegReader {
 public:
    explicit JpegReader(Bytes bytes) : bytes_(bytes) {
        info_.err = jpeg_std_error(&errors_.base);
        errors_.base.error_exit = stopOnError;
        errors_.base.emit_message = keepWarning;
        errors_.base.output_message = printNothing;
        progress_.progress_monitor = limitScans;
    }
    ~JpegReader() { jpeg_destroy_decompress(&info_); }
    JpegReader(const JpegReader&) = delete;
    JpegReader& operator=(const JpegReader&) = delete;

    void readHeader() {
        if (!tryReadHeader()) {
            fail();
        }
    }
    void readPixels(std::uint8_t* rgb) {
        if (!tryReadPixels(rgb)) {
            fail();
        }
    }
    const jpeg_decompress_struct& info() const { return info_; }

 private:
    bool tryReadHeader() {
        if (setjmp(errors_.jump) != 0) {
            return false;
        }
        jpeg_create_decompress(&info_);
        info_.progress = &progress_;
        jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes_.data()),
                     static_cast<unsigned long>(bytes_.size()));
        jpeg_save_markers(&info_, JPEG_APP0 + 1, 0xFFFF);
        jpeg_read_header(&info_, TRUE);
        return true;
    }
    bool tryReadPixels(std::uint8_t* rgb) {
        if (setjmp(errors_.jump) != 0) {
            return false;
        }
        info_.out_color_space = JCS_RGB;
        info_.dct_method = JDCT_ISLOW;
        jpeg_start_decompress(&info_);
        const std::size_t stride = std::size_t{info_.output_width} * 3;
        while (info_.output_scanline < info_.output_height) {
            JSAMPROW row = rgb + info_.output_scanline * stride;
            jpeg_read_scanlines(&info_, &row, 1);
        }
        // To the end marker: a file cut in its last bytes is noticed here.
        jpeg_finish_decompress(&info_);
        return true;
    }
    [[noreturn]] void fail() const {
        const RejectReason reason = reasonOf(errors_.problem.code);
        throw DecodeError(reason, fmt::format("JPEG {}: {}", toString(reason),
                                              static_cast<const char*>(errors_.problem.text)));
    }

    Bytes bytes_;
    jpeg_decompress_struct info_{};
    ErrorManager errors_{};
    jpeg_progress_mgr progress_{};
};

void requireKnownColours(const jpeg_decompress_struct& info) {
    if (info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK) {
        throw DecodeError(RejectReason::ColourSpace, "CMYK JPEG; convert it to RGB");
    }
    if (info.jpeg_color_space == JCS_UNKNOWN) {
        throw DecodeError(
            RejectReason::ColourSpace,
            fmt::format("JPEG with {} components of unknown colour", info.num_components));
    }
}

int orientationOf(const jpeg_decompress_struct& info) {
    constexpr char kExif[] = "Exif\0";  // six bytes with the closing zero
    for (jpeg_saved_marker_ptr marker = info.marker_list; marker != nullptr;
         marker = marker->next) {
        const Bytes data = std::as_bytes(std::span(marker->data, marker->data_length));
        if (marker->marker == JPEG_APP0 + 1 && data.size() > sizeof(kExif) &&
            std::equal(data.begin(), data.begin() + sizeof(kExif),
                       std::as_bytes(std::span(kExif)).begin())) {
            return exifOrientation(data.subspan(sizeof(kExif)));
        }
    }
    return 1;
}

}  // namespace

Size jpegSize(Bytes bytes) {
    JpegReader reader(bytes);
    reader.readHeader();
    return {reader.info().image_width, reader.info().image_height};
}

Decoded decodeJpeg(Bytes bytes) {
    JpegReader reader(bytes);
    reader.readHeader();
    requireKnownColours(reader.info());
    checkDimensions(reader.info().image_width, reader.info().image_height);
    Decoded decoded;
    decoded.orientation = orientationOf(reader.info());
    decoded.image.width = reader.info().image_width;
    decoded.image.height = reader.info().image_height;
    decoded.image.rgb.resize(
        static_cast<std::size_t>(decoded.image.width * decoded.image.height * 3));
    reader.readPixels(decoded.image.rgb.data());
    return decoded;
}

}  // namespace receiptbench::codec
