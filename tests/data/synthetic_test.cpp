#include "core/data/synthetic.h"

#include <cmath>

#include "core/data/degrade.h"
#include "core/data/synthetic/scene.h"
#include "core/data/synthetic/text.h"
#include "tests/support/expect_error.h"

using namespace receiptbench;

namespace {

// Mean squared difference of neighbours: high where print is sharp.
double sharpness(const Image& image) {
    double sum = 0;
    const std::size_t row = static_cast<std::size_t>(image.width) * 3;
    for (std::size_t i = row; i < image.rgb.size(); ++i) {
        const int across = image.rgb[i] - image.rgb[i - 3],
                  along = image.rgb[i] - image.rgb[i - row];
        sum += across * across + along * along;
    }
    return sum / static_cast<double>(image.rgb.size());
}

}  // namespace

class SyntheticTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void sumsAddUp() {
        int cash = 0, discounts = 0;
        for (std::uint64_t i = 0; i < 500; ++i) {
            RandomStream random(83, "text", i);
            const ReceiptText receipt = composeReceipt(random);
            std::int64_t sum = 0;
            for (const ReceiptItem& item : receipt.items) {
                QVERIFY(item.quantity >= 1 && item.unitCents > 0);
                sum += item.cents();
            }
            QCOMPARE(receipt.totalCents, sum - receipt.discountCents);
            QCOMPARE(receipt.netCents + receipt.taxCents, receipt.totalCents);
            const double tax = static_cast<double>(receipt.netCents) * receipt.taxPercent / 100;
            QVERIFY(std::abs(static_cast<double>(receipt.taxCents) - tax) <= 1.5);
            QCOMPARE(receipt.paidCents - receipt.changeCents, receipt.totalCents);
            QVERIFY(receipt.changeCents >= 0);
            cash += receipt.card ? 0 : 1;
            discounts += receipt.discountCents > 0 ? 1 : 0;
        }
        QVERIFY(cash > 150 && cash < 350 && discounts > 60);
    }

    void theTotalIsPrinted() {
        RandomStream random(83, "text");
        const ReceiptText receipt = composeReceipt(random);
        const auto lines = layoutReceipt(receipt, random);
        const std::string cents = std::to_string(receipt.totalCents % 100);
        const auto bold = std::find_if(lines.begin(), lines.end(), [](const PrintedLine& line) {
            return line.kind == PrintedLine::Kind::BoldPair;
        });
        QVERIFY(bold != lines.end());
        QVERIFY2(bold->right.find(std::to_string(receipt.totalCents / 100)) != std::string::npos,
                 bold->right.c_str());
        QVERIFY2(bold->right.ends_with(cents), bold->right.c_str());
    }

    void theWholeReceiptLiesInsideThePhoto() {
        for (const cv::Size photo : {cv::Size(384, 512), cv::Size(310, 512), cv::Size(512, 384)}) {
            for (std::uint64_t i = 0; i < 200; ++i) {
                RandomStream random(83, "placement", i);
                const double aspect = random.uniform(1.1, 1.8);
                const Placement placement(photo, aspect, random);
                for (const cv::Point2d& point : placement.outline()) {
                    QVERIFY(point.x > 0.03 * photo.width && point.x < 0.97 * photo.width);
                    QVERIFY(point.y > 0.03 * photo.height && point.y < 0.97 * photo.height);
                }
            }
        }
    }

    // The maps that draw the paper and the outline that keeps the margin must speak of the same
    // place.
    void outlineAndMapsAgree() {
        RandomStream random(83, "placement", 7);
        const cv::Size photo(384, 512), paper(500, 700);
        const Placement placement(photo, 1.4, random);
        cv::Mat mapX, mapY;
        placement.makeMaps(photo, 2, paper, mapX, mapY);
        QCOMPARE(mapX.size(), photo * 2);
        for (const cv::Point2d& point : placement.outline()) {
            const cv::Point at(static_cast<int>(point.x * 2), static_cast<int>(point.y * 2));
            const double u = (mapX.at<float>(at) + 0.5) / paper.width,
                         v = (mapY.at<float>(at) + 0.5) / paper.height;
            const double offBorder = std::min(std::min(std::abs(u), std::abs(u - 1)),
                                              std::min(std::abs(v), std::abs(v - 1)));
            QVERIFY2(offBorder < 0.006, qPrintable(QString("%1 %2").arg(u).arg(v)));
        }
    }

    void theSameNumberGivesTheSamePicture() {
        const Image first = drawReceipt(83, 4);
        QCOMPARE(first.width, 384);
        QCOMPARE(first.height, 512);
        QCOMPARE(first.rgb.size(), std::size_t{384 * 512 * 3});
        QCOMPARE(drawReceipt(83, 4).rgb, first.rgb);
        QVERIFY(drawReceipt(83, 5).rgb != first.rgb);
        QVERIFY(drawReceipt(84, 4).rgb != first.rgb);
    }

    // Readable must mean readable: the weakest blur takes away more than any lens or JPEG did.
    void everyReceiptIsFarSharperThanItsBlur() {
        for (std::int64_t i = 0; i < 12; ++i) {
            const Image image = drawReceipt(83, i);
            const double before = sharpness(image);
            const double after = sharpness(
                blur(image, RandomStream(83, "blur", static_cast<std::uint64_t>(i))).image);
            QVERIFY2(after < 0.6 * before,
                     qPrintable(QString("%1: %2 -> %3").arg(i).arg(before).arg(after)));
        }
    }

    void otherSizesWorkAndWrongOnesAreRefused() {
        QCOMPARE(drawReceipt(83, 0, 64, 64).rgb.size(), std::size_t{64 * 64 * 3});
        QCOMPARE(drawReceipt(83, 0, 333, 501).width, 333);
        EXPECT_ERROR(drawReceipt(83, 0, 0, 512), ErrorCode::Usage, "0x512");
        EXPECT_ERROR(drawReceipt(83, 0, 384, 1'000'000), ErrorCode::Usage, "1000000");
    }
};

QTEST_APPLESS_MAIN(SyntheticTest)
#include "synthetic_test.moc"
