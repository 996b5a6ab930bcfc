#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "core/base/file_system.h"
#include "core/data/decode.h"
#include "core/data/degrade.h"

namespace receiptbench {

namespace {

constexpr double kGrey = 128;

// OpenCV's view of the pixels; it does not write through it.
cv::Mat view(const Image& image) {
    const bool whole = image.width > 0 && image.height > 0 &&
                       image.rgb.size() == static_cast<std::size_t>(image.width * image.height * 3);
    if (!whole) {
        throw Error(ErrorCode::Failed, fmt::format("a picture of {} x {} with {} bytes is none",
                                                   image.width, image.height, image.rgb.size()));
    }
    return cv::Mat(static_cast<int>(image.height), static_cast<int>(image.width), CV_8UC3,
                   const_cast<std::uint8_t*>(image.rgb.data()));
}

std::int64_t scaled(std::int64_t side, double scale, std::int64_t most) {
    return std::clamp<std::int64_t>(std::llround(static_cast<double>(side) * scale), 1, most);
}

void write(const std::string& path, const Image& image, const std::string& suffix,
           const std::vector<int>& options) {
    cv::Mat bgr;
    cv::cvtColor(view(image), bgr, cv::COLOR_RGB2BGR);
    std::vector<std::uint8_t> bytes;
    if (!cv::imencode(suffix, bgr, bytes, options)) {
        throw Error(ErrorCode::Failed, fmt::format("{} cannot be written as {}", path, suffix));
    }
    writeAtomically(posixFileSystem(), path, std::as_bytes(std::span(bytes)));
}

}  // namespace

Image letterbox(const Image& image, std::int64_t width, std::int64_t height) {
    constexpr std::int64_t kMost = 65'536;
    if (width < 1 || height < 1 || width > kMost || height > kMost) {
        throw Error(ErrorCode::Usage,
                    fmt::format("a picture of {} x {} cannot be made", width, height),
                    "Give a width and a height of at least 1.");
    }
    const cv::Mat source = view(image);
    const double scale = std::min(static_cast<double>(width) / static_cast<double>(image.width),
                                  static_cast<double>(height) / static_cast<double>(image.height));
    const std::int64_t innerWidth = scaled(image.width, scale, width);
    const std::int64_t innerHeight = scaled(image.height, scale, height);
    Image result{width, height,
                 std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * 3))};
    cv::Mat target = view(result);
    target.setTo(cv::Scalar(kGrey, kGrey, kGrey));
    const cv::Rect inner(static_cast<int>((width - innerWidth) / 2),
                         static_cast<int>((height - innerHeight) / 2), static_cast<int>(innerWidth),
                         static_cast<int>(innerHeight));
    cv::Mat into = target(inner);
    cv::resize(source, into, inner.size(), 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
    return result;
}

Image framePhoto(const Image& image, std::int64_t width, std::int64_t height) {
    return letterbox(limitLongSide(image, kLongSide), width, height);
}

void writePng(const std::string& path, const Image& image) {
    write(path, image, ".png", {});
}

void writeJpeg(const std::string& path, const Image& image, int quality) {
    write(path, image, ".jpg", {cv::IMWRITE_JPEG_QUALITY, std::clamp(quality, 1, 100)});
}

}  // namespace receiptbench
