#include "core/data/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <opencv2/imgproc.hpp>

#include "core/base/error.h"
#include "core/data/mat.h"
#include "core/data/synthetic/paper.h"
#include "core/data/synthetic/random_choice.h"
#include "core/data/synthetic/scene.h"
#include "core/data/synthetic/text.h"

namespace receiptbench {
namespace {

constexpr int kOversampling = 2;  // of the paper, so that fine print does not alias
constexpr std::int64_t kSmallestSide = 64, kLargestSide = 4096;

// Paper casts a soft shadow away from the lamp, and a dark line where it touches the table.
void castShadow(cv::Mat& table, const cv::Mat& coverage, RandomStream& random) {
    const double depth = random.uniform(0.2, 0.5), size = std::max(table.rows, table.cols);
    const double reach = random.uniform(0.004, 0.014) * size,
                 softness = random.uniform(0.004, 0.012) * size, angle = random.uniform(0, 6.2832);
    const cv::Matx23d shift(1, 0, reach * std::cos(angle), 0, 1, reach * std::sin(angle));
    cv::Mat shadow;
    cv::warpAffine(coverage, shadow, shift, coverage.size());
    cv::GaussianBlur(shadow, shadow, cv::Size(), softness);
    shadow = 1 - depth * shadow;
    cv::Mat tripled;
    cv::merge(std::array{shadow, shadow, shadow}, tripled);
    table = table.mul(tripled);
}

// scene = table where there is no paper, else paper in its tint; coverage 0..1 blends the edge.
void layPaper(cv::Mat& scene, const cv::Mat& ink, const cv::Mat& coverage, RandomStream& random) {
    const double yellow = random.uniform(0, 0.06);
    const cv::Vec3f tint(1, static_cast<float>(1 - yellow * 0.25), static_cast<float>(1 - yellow));
    for (int y = 0; y < scene.rows; ++y) {
        auto* row = scene.ptr<cv::Vec3f>(y);
        const auto *inkRow = ink.ptr<float>(y), *coverRow = coverage.ptr<float>(y);
        for (int x = 0; x < scene.cols; ++x) {
            row[x] =
                row[x] * (1 - coverRow[x]) + tint * inkRow[x];  // ink is already times coverage
        }
    }
}

}  // namespace

Image drawReceipt(std::uint64_t seed, std::int64_t identity, std::int64_t width,
                  std::int64_t height) {
    if (std::min(width, height) < kSmallestSide || std::max(width, height) > kLargestSide) {
        throw Error(
            ErrorCode::Usage,
            fmt::format("a synthetic receipt of {}x{} pixels cannot be drawn", width, height),
            fmt::format("choose sides between {} and {}", kSmallestSide, kLargestSide));
    }
    RandomStream random(seed, "synthetic", static_cast<std::uint64_t>(identity));
    const cv::Size photo(static_cast<int>(width), static_cast<int>(height));
    const ReceiptText text = composeReceipt(random);
    const Paper paper = printPaper(layoutReceipt(text, random), random);
    const Placement placement(photo, static_cast<double>(paper.ink.rows) / paper.ink.cols, random);

    cv::Mat mapX, mapY, ink, coverage;
    placement.makeMaps(photo, kOversampling, paper.ink.size(), mapX, mapY);
    cv::remap(paper.ink, ink, mapX, mapY, cv::INTER_LINEAR, cv::BORDER_REPLICATE);
    cv::remap(paper.outline, coverage, mapX, mapY, cv::INTER_LINEAR, cv::BORDER_CONSTANT);
    ink.convertTo(ink, CV_32F);
    coverage.convertTo(coverage, CV_32F, 1.0 / 255);
    ink = ink.mul(coverage);
    cv::resize(ink, ink, photo, 0, 0, cv::INTER_AREA);
    cv::resize(coverage, coverage, photo, 0, 0, cv::INTER_AREA);

    cv::Mat scene = drawTable(photo, random);
    castShadow(scene, coverage, random);
    layPaper(scene, ink, coverage, random);
    return toImage(takePhoto(scene, random));
}

}  // namespace receiptbench
