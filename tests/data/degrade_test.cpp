#include "core/data/degrade.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace receiptbench;

namespace {

// Every pixel says where it is.
Image addressed(std::int64_t width, std::int64_t height) {
    Image image{width, height, {}};
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            image.rgb.insert(image.rgb.end(),
                             {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), 77});
        }
    }
    return image;
}

Image withSpot(std::int64_t side, std::int64_t spot) {
    Image image{side, side, std::vector<std::uint8_t>(static_cast<std::size_t>(side * side * 3))};
    for (std::int64_t y = (side - spot) / 2; y < (side + spot) / 2; ++y) {
        for (std::int64_t x = (side - spot) / 2; x < (side + spot) / 2; ++x) {
            std::fill_n(image.rgb.begin() + (y * side + x) * 3, 3, std::uint8_t{255});
        }
    }
    return image;
}

struct Spread {
    double largest, smallest, total;  // variances along the main axes; sum of all pixels
};
Spread spreadOf(const Image& image) {
    double sum = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
    for (std::int64_t y = 0; y < image.height; ++y) {
        for (std::int64_t x = 0; x < image.width; ++x) {
            const double v = image.rgb[static_cast<std::size_t>((y * image.width + x) * 3)];
            const auto dx = static_cast<double>(x), dy = static_cast<double>(y);
            sum += v, sx += v * dx, sy += v * dy, sxx += v * dx * dx, syy += v * dy * dy,
                sxy += v * dx * dy;
        }
    }
    const double a = sxx / sum - sx * sx / sum / sum, b = syy / sum - sy * sy / sum / sum,
                 c = sxy / sum - sx * sy / sum / sum;
    const double root = std::sqrt((a - b) * (a - b) / 4 + c * c);
    return {(a + b) / 2 + root, (a + b) / 2 - root, sum};
}

}  // namespace

class DegradeTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void theSameStreamGivesTheSameImage() {
        const Image image = withSpot(120, 20);
        QCOMPARE(blur(image, RandomStream(1, "blur", 5)).image.rgb,
                 blur(image, RandomStream(1, "blur", 5)).image.rgb);
        QVERIFY(blur(image, RandomStream(1, "blur", 5)).image.rgb !=
                blur(image, RandomStream(1, "blur", 6)).image.rgb);
        QCOMPARE(cutOff(image, RandomStream(1, "cut", 5)).image.rgb,
                 cutOff(image, RandomStream(1, "cut", 5)).image.rgb);
    }

    // The named strength is the measured one, whatever the kind.
    void blurSpreadsAsMuchAsItSays() {
        constexpr std::int64_t kSide = 400, kSpot = 24;
        const Image spot = withSpot(kSide, kSpot);
        const Spread before = spreadOf(spot);
        std::map<std::string, int> kinds;
        double least = 1, most = 0;
        for (std::uint64_t i = 0; i < 60; ++i) {
            const Degraded made = blur(spot, RandomStream(83, "blur", i));
            const Spread after = spreadOf(made.image);
            const double along = after.largest - before.largest,
                         across = after.smallest - before.smallest;
            const double sigma = std::sqrt((along + across) / 2), expected = made.severity * kSide;
            QVERIFY2(std::abs(sigma - expected) < 0.12 * expected + 0.2,
                     qPrintable(QString("%1 instead of %2, %3").arg(sigma).arg(expected).arg(i)));
            QVERIFY(made.kind == "motion" ? across < 0.45 * along + 0.5 : across > 0.8 * along);
            QVERIFY(std::abs(after.total / before.total - 1) < 0.05);  // light is only moved
            ++kinds[made.kind];
            least = std::min(least, made.severity), most = std::max(most, made.severity);
        }
        QVERIFY(kinds["motion"] >= 12 && kinds["defocus"] >= 12);
        QCOMPARE(kinds.size(), std::size_t{2});
        QVERIFY(least >= 0.006 && least < 0.0075 && most <= 0.014 && most > 0.0125);
    }

    void aCutKeepsOneRectangleOfThePhoto() {
        const Image photo = addressed(150, 200);
        std::map<std::string, int> kinds;
        std::array<int, 4> sides{};
        for (std::uint64_t i = 0; i < 300; ++i) {
            const Degraded made = cutOff(photo, RandomStream(83, "cut", i));
            const Image& cut = made.image;
            const std::int64_t left = cut.rgb[0], top = cut.rgb[1], right = left + cut.width,
                               bottom = top + cut.height;
            QVERIFY(right <= photo.width && bottom <= photo.height);
            for (std::int64_t y = 0; y < cut.height; ++y) {
                const auto row = photo.rgb.begin() + ((top + y) * photo.width + left) * 3;
                QVERIFY(std::equal(row, row + cut.width * 3, cut.rgb.begin() + y * cut.width * 3));
            }
            const std::array<double, 4> shares{left / 150.0, top / 200.0, (150 - right) / 150.0,
                                               (200 - bottom) / 200.0};
            const auto count =
                std::count_if(shares.begin(), shares.end(), [](double share) { return share > 0; });
            const double most = *std::max_element(shares.begin(), shares.end());
            QCOMPARE(count, made.kind == "one-side" ? 1 : 2);
            QVERIFY(most > 0.24 && most <= 0.5);
            const double kept = static_cast<double>(cut.width * cut.height) / (150 * 200);
            QVERIFY(std::abs(1 - kept - made.severity) < 0.015);
            ++kinds[made.kind];
            for (std::size_t side = 0; side < 4; ++side) {
                sides[side] += shares[side] > 0 ? 1 : 0;
            }
        }
        QVERIFY(kinds["one-side"] > 150 && kinds["two-sides"] > 60);
        QVERIFY(*std::min_element(sides.begin(), sides.end()) > 60);
    }

    void theDerivationIsJson() {
        QCOMPARE((Degraded{{}, "motion", 0.01034999}).json(),
                 std::string(R"({"kind":"motion","severity":0.0103})"));
    }

    void theLongSideIsLimited() {
        const Image wide = limitLongSide(addressed(250, 100), 100);
        QCOMPARE(wide.width, 100);
        QCOMPARE(wide.height, 40);
        QCOMPARE(wide.rgb.size(), std::size_t{100 * 40 * 3});
        QVERIFY(std::abs(wide.rgb[0] - 1) <= 1 && std::abs(wide.rgb[99 * 3] - 248) <= 1);
        QCOMPARE(limitLongSide(addressed(1, 250), 100).width, 1);
        QCOMPARE(limitLongSide(addressed(30, 20), 100).rgb, addressed(30, 20).rgb);
    }

    void tinyImagesSurvive() {
        const Image dot{1, 1, {9, 8, 7}};
        QCOMPARE(blur(dot, RandomStream(1, "blur")).image.rgb, dot.rgb);
        QCOMPARE(cutOff(dot, RandomStream(1, "cut")).image.rgb, dot.rgb);
    }
};

QTEST_APPLESS_MAIN(DegradeTest)
#include "degrade_test.moc"
