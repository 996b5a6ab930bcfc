#include "core/data/degrade.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>

#include "core/base/text.h"
#include "core/data/mat.h"

namespace receiptbench {
namespace {

constexpr double kWeakestBlur = 0.006, kStrongestBlur = 0.014;  // standard deviation / long side
constexpr double kMotionShare = 0.35, kDiscShare = 0.3;   // of blurred photos; the rest is Gaussian
constexpr double kLeastBend = 0.05, kMostBend = 0.25;     // of a motion's spread: across it
constexpr double kTwoSidesShare = 0.35;                   // of cut-off photos
constexpr double kLeastCut = 0.25, kMostCut = 0.5;        // of the side's length
constexpr double kLeastSecond = 0.1, kMostSecond = 0.25;  // of another side

// Puts weight at a point between pixels, shared out bilinearly.
void splat(cv::Mat& kernel, double x, double y, float weight) {
    const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
    const float right = static_cast<float>(x - left), bottom = static_cast<float>(y - top);
    kernel.at<float>(top, left) += weight * (1 - right) * (1 - bottom);
    kernel.at<float>(top, left + 1) += weight * right * (1 - bottom);
    kernel.at<float>(top + 1, left) += weight * (1 - right) * bottom;
    kernel.at<float>(top + 1, left + 1) += weight * right * bottom;
}

cv::Mat emptyKernel(double reach) {
    const int half = static_cast<int>(std::ceil(reach)) + 1;
    return cv::Mat::zeros(2 * half + 1, 2 * half + 1, CV_32F);
}

// The image of a point out of focus: a disc of radius r has standard deviation r / 2 in each
// direction.
cv::Mat discKernel(double sigma) {
    const double radius = 2 * sigma;
    cv::Mat kernel = emptyKernel(radius);
    const int half = kernel.rows / 2;
    for (int y = 0; y < kernel.rows; ++y) {
        for (int x = 0; x < kernel.cols; ++x) {
            const double distance = std::hypot(x - half, y - half);
            kernel.at<float>(y, x) =
                static_cast<float>(std::clamp(radius + 0.5 - distance, 0.0, 1.0));
        }
    }
    return kernel / cv::sum(kernel)[0];
}

// A hand that moved while the shutter was open draws an arc, which is long and a little bent. Its
// variances along and across have the mean sigma^2; bend is the share that lies across. Along x = t
// * half, across y = sag * (t^2 - 1/3) with t = -1..1: variances half^2 / 3 and sag^2 * 4 / 45.
cv::Mat motionKernel(double sigma, double bend, double angle) {
    const double half = sigma * std::sqrt(6 * (1 - bend)), sag = sigma * std::sqrt(22.5 * bend);
    cv::Mat kernel = emptyKernel(half + sag);
    const double centre = kernel.rows / 2;
    const int samples = std::max(9, static_cast<int>(8 * half));
    for (int i = 0; i < samples; ++i) {
        const double t = 2.0 * (i + 0.5) / samples - 1;
        const double along = half * t, across = sag * (t * t - 1.0 / 3);
        splat(kernel, centre + along * std::cos(angle) - across * std::sin(angle),
              centre + along * std::sin(angle) + across * std::cos(angle), 1.0F);
    }
    return kernel / cv::sum(kernel)[0];
}

enum Side { kLeft, kTop, kRight, kBottom };

}  // namespace

std::string Degraded::json() const {
    return fmt::format(R"({{"kind":"{}","severity":{}}})", kind,
                       formatDouble(std::round(severity * 1e4) / 1e4));
}

Degraded blur(const Image& image, RandomStream random) {
    const double severity = random.uniform(kWeakestBlur, kStrongestBlur);
    const double sigma = severity * static_cast<double>(std::max(image.width, image.height));
    const double form = random.uniform(), angle = random.uniform(0, 2 * std::numbers::pi);
    const double bend = random.uniform(kLeastBend, kMostBend);
    const cv::Mat source = matView(image);
    cv::Mat result;
    if (form < kMotionShare) {
        cv::filter2D(source, result, -1, motionKernel(sigma, bend, angle));
    } else if (form < kMotionShare + kDiscShare) {
        cv::filter2D(source, result, -1, discKernel(sigma));
    } else {
        cv::GaussianBlur(source, result, cv::Size(), sigma);
    }
    return {toImage(result), form < kMotionShare ? "motion" : "defocus", severity};
}

Degraded cutOff(const Image& image, RandomStream random) {
    const bool two = random.uniform() < kTwoSidesShare;
    std::array<double, 4> shares{};
    const std::uint64_t first = random.below(4);
    shares[first] = random.uniform(kLeastCut, kMostCut);
    if (two) {
        // One cut changes the picture's shape, which is a hint; a second one at times takes that
        // hint away.
        shares[(first + 1 + random.below(3)) % 4] = random.uniform(kLeastSecond, kMostSecond);
    }
    const auto pixels = [](double share, std::int64_t length) {
        return static_cast<int>(share * static_cast<double>(length));
    };
    const int left = pixels(shares[kLeft], image.width), top = pixels(shares[kTop], image.height);
    const int right = static_cast<int>(image.width) - pixels(shares[kRight], image.width);
    const int bottom = static_cast<int>(image.height) - pixels(shares[kBottom], image.height);
    const double kept = (1 - shares[kLeft] - shares[kRight]) * (1 - shares[kTop] - shares[kBottom]);
    return {toImage(matView(image)(cv::Rect(cv::Point(left, top), cv::Point(right, bottom)))),
            two ? "two-sides" : "one-side", 1 - kept};
}

Image limitLongSide(const Image& image, std::int64_t longSide) {
    const std::int64_t longest = std::max(image.width, image.height);
    if (longest <= longSide) {
        return image;
    }
    const auto scaled = [&](std::int64_t side) {
        const double exact = static_cast<double>(side) * static_cast<double>(longSide) /
                             static_cast<double>(longest);
        return std::max(1, static_cast<int>(std::lround(exact)));
    };
    cv::Mat result;
    cv::resize(matView(image), result, cv::Size(scaled(image.width), scaled(image.height)), 0, 0,
               cv::INTER_AREA);
    return toImage(result);
}

}  // namespace receiptbench
