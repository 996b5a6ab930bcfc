#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>

#include "core/data/synthetic/random_choice.h"
#include "core/data/synthetic/scene.h"

namespace receiptbench {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// Smooth random field with features of the given size: mean 0, standard deviation about 1.
cv::Mat field(cv::Size area, double width, double height, RandomStream& random) {
    cv::Mat coarse(std::max(2, static_cast<int>(std::lround(area.height / height))),
                   std::max(2, static_cast<int>(std::lround(area.width / width))), CV_32F);
    cv::RNG noise(random.next64());
    noise.fill(coarse, cv::RNG::NORMAL, 0.0, 1.2);
    cv::Mat result;
    cv::resize(coarse, result, area, 0, 0,
               coarse.size() == area ? cv::INTER_NEAREST : cv::INTER_CUBIC);
    return result;
}

cv::Scalar shade(const std::array<int, 3>& colour, double factor) {
    return cv::Scalar(colour[0], colour[1], colour[2]) * factor;
}

// brightness: CV_32F around 1, times a colour.
cv::Mat coloured(const cv::Mat& brightness, const cv::Scalar& colour) {
    cv::Mat result;
    cv::merge(std::array{cv::Mat(brightness * colour[0]), cv::Mat(brightness * colour[1]),
                         cv::Mat(brightness * colour[2])},
              result);
    return result;
}

// Brightness of boards that run along x: grain in long streaks, bent rings, seams between boards.
cv::Mat woodGrain(cv::Size area, RandomStream& random) {
    const int boards = between(random, 1, 5);
    const double contrast = random.uniform(0.5, 1.2), ringWidth = random.uniform(9, 26);
    cv::Mat grain(area, CV_32F);
    for (int board = 0; board < boards; ++board) {
        const int top = area.height * board / boards, bottom = area.height * (board + 1) / boards;
        cv::Mat part = grain.rowRange(top, bottom);
        const cv::Size size = part.size();
        const cv::Mat bend = field(size, 170, 50, random), streaks = field(size, 90, 2, random),
                      fine = field(size, 30, 1, random);
        const double tone = random.uniform(-0.07, 0.07), phase = random.uniform(0, kTurn);
        for (int y = 0; y < size.height; ++y) {
            for (int x = 0; x < size.width; ++x) {
                const double ring =
                    std::sin(kTurn * (y / ringWidth + 0.9 * bend.at<float>(y, x)) + phase);
                part.at<float>(y, x) =
                    static_cast<float>(1 + tone +
                                       contrast * (0.05 * ring + 0.055 * streaks.at<float>(y, x) +
                                                   0.025 * fine.at<float>(y, x)));
            }
        }
        if (board > 0) {
            part.rowRange(0, std::min(2, part.rows)) *= 0.45;
        }
    }
    return grain;
}

cv::Mat drawWood(cv::Size area, RandomStream& random) {
    static constexpr std::array<std::array<int, 3>, 7> kWoods{{{176, 128, 82},
                                                               {142, 96, 58},
                                                               {205, 168, 122},
                                                               {96, 62, 40},
                                                               {160, 142, 124},
                                                               {120, 74, 46},
                                                               {188, 150, 98}}};
    return coloured(woodGrain(area, random),
                    shade(pick(random, kWoods), random.uniform(0.75, 1.1)));
}

cv::Mat drawPlain(cv::Size area, RandomStream& random) {
    static constexpr std::array<std::array<int, 3>, 8> kPaints{{{196, 190, 180},
                                                                {70, 74, 80},
                                                                {48, 60, 78},
                                                                {150, 152, 154},
                                                                {112, 96, 84},
                                                                {88, 104, 92},
                                                                {172, 150, 128},
                                                                {58, 44, 40}}};
    const cv::Mat brightness = 1 + 0.03 * field(area, 120, 120, random) +
                               random.uniform(0.005, 0.03) * field(area, 1.5, 1.5, random);
    return coloured(brightness, shade(pick(random, kPaints), random.uniform(0.85, 1.1)));
}

cv::Mat drawStone(cv::Size area, RandomStream& random) {
    static constexpr std::array<std::array<int, 3>, 5> kStones{
        {{92, 92, 96}, {150, 142, 134}, {60, 58, 60}, {178, 170, 160}, {122, 104, 92}}};
    cv::Mat brightness = 1 + 0.08 * field(area, 60, 60, random) + 0.10 * field(area, 5, 5, random) +
                         0.09 * field(area, 2, 2, random);
    cv::Mat specks = field(area, 3, 3, random);
    cv::threshold(specks, specks, 1.7, 0.35, cv::THRESH_BINARY);
    brightness += random.uniform(-0.8, 1.0) * specks;
    return coloured(brightness, shade(pick(random, kStones), random.uniform(0.85, 1.1)));
}

// How much of a second colour the woven pattern shows at a thread: stripes, checks or none.
double patternAt(int style, double x, double y, double period) {
    const double across = std::fmod(x, period) < period / 2 ? 1 : 0,
                 along = std::fmod(y, period) < period / 2 ? 1 : 0;
    return style == 1 ? across : style == 2 ? (across + along) / 2 : 0;
}

cv::Mat drawCloth(cv::Size area, RandomStream& random) {
    static constexpr std::array<std::array<int, 3>, 8> kThreads{{{168, 60, 56},
                                                                 {62, 84, 128},
                                                                 {188, 180, 164},
                                                                 {84, 104, 78},
                                                                 {66, 66, 70},
                                                                 {150, 118, 88},
                                                                 {118, 70, 96},
                                                                 {52, 90, 98}}};
    const auto base = pick(random, kThreads);
    const cv::Scalar other(226, 220, 208);
    const int style = between(random, 0, 2);
    const double pitch = random.uniform(2.6, 4.5), depth = random.uniform(0.04, 0.09),
                 period = random.uniform(24, 70);
    const cv::Mat wrinkles = field(area, 150, 45, random), fuzz = field(area, 2, 2, random);
    cv::Mat cloth(area, CV_32FC3);
    for (int y = 0; y < area.height; ++y) {
        const double weft = std::sin(kTurn * y / pitch);
        for (int x = 0; x < area.width; ++x) {
            const double light = 1 + depth * std::sin(kTurn * x / pitch) * weft +
                                 0.07 * wrinkles.at<float>(y, x) + 0.03 * fuzz.at<float>(y, x);
            const double share = 0.8 * patternAt(style, x, y, period);
            for (std::size_t channel = 0; channel < 3; ++channel) {
                const double tone =
                    base[channel] * (1 - share) + other[static_cast<int>(channel)] * share;
                cloth.at<cv::Vec3f>(y, x)[static_cast<int>(channel)] =
                    static_cast<float>(light * tone);
            }
        }
    }
    return cloth;
}

cv::Mat drawSurface(cv::Size area, RandomStream& random) {
    const double kind = random.uniform();
    return kind < 0.45   ? drawWood(area, random)
           : kind < 0.65 ? drawPlain(area, random)
           : kind < 0.85 ? drawCloth(area, random)
                         : drawStone(area, random);
}

}  // namespace

cv::Mat drawTable(cv::Size size, RandomStream& random) {
    // Larger than the photo, then turned: nobody lines a receipt up with the boards.
    const int side = static_cast<int>(std::hypot(size.width, size.height)) + 2;
    const cv::Mat surface = drawSurface(cv::Size(side, side), random);
    const double angle = (chance(random, 0.5) ? 90 : 0) + random.uniform(-25, 25);
    cv::Mat turn = cv::getRotationMatrix2D(
        cv::Point2f(static_cast<float>(side) / 2, static_cast<float>(side) / 2), angle, 1.0);
    turn.at<double>(0, 2) -= (side - size.width) / 2.0;
    turn.at<double>(1, 2) -= (side - size.height) / 2.0;
    cv::Mat table;
    cv::warpAffine(surface, table, turn, size, cv::INTER_LINEAR, cv::BORDER_REFLECT);
    return table;
}

}  // namespace receiptbench
