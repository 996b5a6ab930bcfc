// Between Image and OpenCV. Channels stay RGB: OpenCV's own order plays no part in filters and
// warps.
#pragma once

#include <opencv2/core.hpp>

#include "core/data/image.h"

namespace receiptbench {

// A view of image's pixels, not a copy: for reading only.
inline cv::Mat matView(const Image& image) {
    return cv::Mat(static_cast<int>(image.height), static_cast<int>(image.width), CV_8UC3,
                   const_cast<std::uint8_t*>(image.rgb.data()));
}

// mat: CV_8UC3 in RGB order, a region of a larger one too.
inline Image toImage(const cv::Mat& mat) {
    Image image{mat.cols, mat.rows, {}};
    image.rgb.reserve(static_cast<std::size_t>(mat.rows) * static_cast<std::size_t>(mat.cols) * 3);
    for (int y = 0; y < mat.rows; ++y) {
        const std::uint8_t* row = mat.ptr<std::uint8_t>(y);
        image.rgb.insert(image.rgb.end(), row, row + static_cast<std::ptrdiff_t>(mat.cols) * 3);
    }
    return image;
}

}  // namespace receiptbench
