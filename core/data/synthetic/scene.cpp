#include "core/data/synthetic/scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "core/data/synthetic/random_choice.h"

namespace receiptbench {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kLeastMargin = 0.035,
                 kMostMargin = 0.075;   // of the photo's side, around the outline
constexpr int kOutlineSteps = 32;       // points along each side
constexpr int kMapStep = 4;             // pixels
constexpr double kCornerShift = 0.035;  // of the paper's side: perspective

cv::Point2d project(const cv::Matx33d& matrix, double x, double y) {
    const cv::Vec3d point = matrix * cv::Vec3d(x, y, 1);
    return {point[0] / point[2], point[1] / point[2]};
}

// The unit square on a paper of this aspect, turned by an angle and seen slightly from a side.
cv::Matx33d seenFromAbove(double aspect, double angle, RandomStream& random) {
    const std::array<cv::Point2f, 4> unit{cv::Point2f(0, 0), cv::Point2f(1, 0), cv::Point2f(1, 1),
                                          cv::Point2f(0, 1)};
    std::array<cv::Point2f, 4> seen;
    for (std::size_t i = 0; i < unit.size(); ++i) {
        const double x = unit[i].x - 0.5 + random.uniform(-kCornerShift, kCornerShift);
        const double y = (unit[i].y - 0.5 + random.uniform(-kCornerShift, kCornerShift)) * aspect;
        seen[i] = cv::Point2f(static_cast<float>(x * std::cos(angle) - y * std::sin(angle)),
                              static_cast<float>(x * std::sin(angle) + y * std::cos(angle)));
    }
    return cv::getPerspectiveTransform(unit.data(), seen.data());
}

}  // namespace

Placement::Placement(cv::Size photo, double aspect, RandomStream& random)
    : amplitudeX_(random.uniform(0, 0.014)),
      wavesX_(random.uniform(0.3, 1.1)),
      phaseX_(random.uniform(0, kTurn)),
      amplitudeY_(random.uniform(0, 0.010)),
      wavesY_(random.uniform(0.3, 0.7)),
      phaseY_(random.uniform(0, kTurn)) {
    const double angle = std::clamp(0.07 * random.normal(), -0.16, 0.16);
    toPhoto_ = seenFromAbove(aspect, angle, random);
    const std::vector<cv::Point2d> points = outline();
    const auto [left, right] = std::minmax_element(points.begin(), points.end(),
                                                   [](auto& a, auto& b) { return a.x < b.x; });
    const auto [top, bottom] = std::minmax_element(points.begin(), points.end(),
                                                   [](auto& a, auto& b) { return a.y < b.y; });
    const double width = right->x - left->x, height = bottom->y - top->y;
    const double margin = random.uniform(kLeastMargin, kMostMargin);
    const double scale = (1 - 2 * margin) * std::min(photo.width / width, photo.height / height);
    const double slackX = photo.width - scale * width, slackY = photo.height - scale * height;
    const auto place = [&](double slack,
                           double side) {  // anywhere, but never nearer than the least margin
        const double least = std::min(kLeastMargin * side, slack / 2);
        return random.uniform(std::max(least, 0.3 * slack),
                              std::min(slack - least, 0.7 * slack) + 1e-9);
    };
    const double x = place(slackX, photo.width) - scale * left->x,
                 y = place(slackY, photo.height) - scale * top->y;
    toPhoto_ = cv::Matx33d(scale, 0, x, 0, scale, y, 0, 0, 1) * toPhoto_;
}

double Placement::bendX(double v) const {
    return amplitudeX_ * std::sin(kTurn * wavesX_ * v + phaseX_);
}
double Placement::bendY(double u) const {
    return amplitudeY_ * std::sin(kTurn * wavesY_ * u + phaseY_);
}

std::vector<cv::Point2d> Placement::outline() const {
    std::vector<cv::Point2d> points;
    for (int i = 0; i <= kOutlineSteps; ++i) {
        const double t = static_cast<double>(i) / kOutlineSteps;
        for (const double end : {0.0, 1.0}) {
            // makeMaps adds the bends to where a pixel looks, so the paper's own border lies the
            // other way.
            points.push_back(project(toPhoto_, end - bendX(t), t - bendY(end)));
            points.push_back(project(toPhoto_, t - bendX(end), end - bendY(t)));
        }
    }
    return points;
}

void Placement::makeMaps(cv::Size photo, int scale, cv::Size paper, cv::Mat& mapX,
                         cv::Mat& mapY) const {
    // Both maps are smooth: every fourth point, and the rest between them.
    const cv::Size full = photo * scale, coarse(full.width / kMapStep, full.height / kMapStep);
    const double stepX = static_cast<double>(photo.width) / coarse.width;
    const double stepY = static_cast<double>(photo.height) / coarse.height;
    const cv::Matx33d toPaper = toPhoto_.inv();
    cv::Mat x(coarse, CV_32F), y(coarse, CV_32F);
    for (int row = 0; row < coarse.height; ++row) {
        for (int column = 0; column < coarse.width; ++column) {
            const cv::Point2d at = project(toPaper, (column + 0.5) * stepX, (row + 0.5) * stepY);
            x.at<float>(row, column) = static_cast<float>((at.x + bendX(at.y)) * paper.width - 0.5);
            y.at<float>(row, column) =
                static_cast<float>((at.y + bendY(at.x)) * paper.height - 0.5);
        }
    }
    cv::resize(x, mapX, full, 0, 0, cv::INTER_LINEAR);
    cv::resize(y, mapY, full, 0, 0, cv::INTER_LINEAR);
}

namespace {

// A lamp to one side and the lens' fall-off to the corners, times the colour of the light.
void applyLight(cv::Mat& scene, RandomStream& random) {
    const double direction = random.uniform(0, kTurn), slope = random.uniform(0.05, 0.32),
                 vignette = random.uniform(0, 0.22);
    const double exposure = random.uniform(0.78, 1.05), warmth = random.uniform(-0.07, 0.13),
                 tint = random.uniform(-0.03, 0.03);
    const cv::Vec3f gain(static_cast<float>(exposure * (1 + warmth)),
                         static_cast<float>(exposure * (1 + tint)),
                         static_cast<float>(exposure * (1 - warmth)));
    const auto dx = static_cast<float>(slope * std::cos(direction)),
               dy = static_cast<float>(slope * std::sin(direction));
    for (int y = 0; y < scene.rows; ++y) {
        auto* row = scene.ptr<cv::Vec3f>(y);
        const float v = static_cast<float>(y) / static_cast<float>(scene.rows) - 0.5F;
        for (int x = 0; x < scene.cols; ++x) {
            const float u = static_cast<float>(x) / static_cast<float>(scene.cols) - 0.5F;
            const float light =
                1 + dx * u + dy * v - static_cast<float>(vignette) * (u * u + v * v) * 2;
            row[x] = row[x].mul(gain) * light;
        }
    }
}

// Grain of the sensor: stronger in dim photos, coarser in colour than in brightness.
void addNoise(cv::Mat& photo, RandomStream& random) {
    const double strength = random.uniform(1.0, 5.0);
    cv::Mat fine(photo.size(), CV_32F), colour(photo.rows / 2, photo.cols / 2, CV_32FC3), spread,
        tripled;
    cv::RNG noise(random.next64());
    noise.fill(fine, cv::RNG::NORMAL, 0.0, strength);
    noise.fill(colour, cv::RNG::NORMAL, 0.0, strength * 0.7);
    cv::resize(colour, spread, photo.size(), 0, 0, cv::INTER_LINEAR);
    cv::merge(std::array{fine, fine, fine}, tripled);
    photo += spread + tripled;
}

cv::Mat throughJpeg(const cv::Mat& photo, int quality) {
    cv::Mat bgr, rgb;
    cv::cvtColor(photo, bgr, cv::COLOR_RGB2BGR);
    std::vector<std::uint8_t> bytes;
    cv::imencode(".jpg", bgr, bytes, {cv::IMWRITE_JPEG_QUALITY, quality});
    cv::cvtColor(cv::imdecode(bytes, cv::IMREAD_COLOR), rgb, cv::COLOR_BGR2RGB);
    return rgb;
}

}  // namespace

cv::Mat takePhoto(const cv::Mat& scene, RandomStream& random) {
    cv::Mat photo = scene.clone();
    applyLight(photo, random);
    if (chance(random, 0.5)) {  // a lens is never perfect; far below the weakest blur that makes a
                                // photo "blurred"
        const double sigma = random.uniform(0.0004, 0.0011) * std::max(scene.rows, scene.cols);
        cv::GaussianBlur(photo, photo, cv::Size(), sigma);
    }
    addNoise(photo, random);
    cv::Mat result;
    photo.convertTo(result, CV_8U);
    return chance(random, 0.5) ? throughJpeg(result, between(random, 50, 92)) : result;
}

}  // namespace receiptbench
