#include <QTemporaryDir>
#include <QtTest>

#include "core/data/decode.h"

using namespace receiptbench;

namespace {

Image filled(std::int64_t width, std::int64_t height, std::uint8_t red, std::uint8_t green,
             std::uint8_t blue) {
    Image image{width, height, {}};
    for (std::int64_t i = 0; i < width * height; ++i) {
        image.rgb.insert(image.rgb.end(), {red, green, blue});
    }
    return image;
}

int at(const Image& image, std::int64_t x, std::int64_t y, int channel = 0) {
    return image.rgb[static_cast<std::size_t>((y * image.width + x) * 3 + channel)];
}

}  // namespace

class LetterboxTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void aTallPictureStandsBetweenGreyBars() {
        const Image box = letterbox(filled(100, 400, 10, 20, 30), 192, 256);
        QCOMPARE(box.width, std::int64_t{192});
        QCOMPARE(box.height, std::int64_t{256});
        // 256 / 400 of 100 is 64 wide, with 64 on both sides.
        QCOMPARE(at(box, 63, 0), 128);
        QCOMPARE(at(box, 64, 0, 0), 10);
        QCOMPARE(at(box, 64, 0, 1), 20);
        QCOMPARE(at(box, 127, 255, 2), 30);
        QCOMPARE(at(box, 128, 255), 128);
    }

    void aWidePictureLiesBetweenGreyBars() {
        const Image box = letterbox(filled(400, 100, 10, 20, 30), 200, 200);
        QCOMPARE(at(box, 0, 74), 128);
        QCOMPARE(at(box, 0, 75), 10);
        QCOMPARE(at(box, 199, 124), 10);
        QCOMPARE(at(box, 199, 125), 128);
    }

    void shrinkingAveragesAreas() {
        Image image{4, 2, {}};
        for (const std::uint8_t value : {0, 100, 200, 200, 100, 0, 200, 200}) {
            image.rgb.insert(image.rgb.end(), 3, value);
        }
        const Image box = letterbox(image, 2, 1);
        QCOMPARE(at(box, 0, 0), 50);
        QCOMPARE(at(box, 1, 0), 200);
    }

    void theSameSizeIsUnchanged() {
        Image image{3, 2, {}};
        for (std::uint8_t value = 0; value < 18; ++value) {
            image.rgb.push_back(static_cast<std::uint8_t>(value * 13));
        }
        QCOMPARE(letterbox(image, 3, 2).rgb, image.rgb);
    }

    void extremeShapesKeepAPixel() {
        const Image box = letterbox(filled(1, 16'000, 255, 255, 255), 192, 256);
        QCOMPARE(at(box, 95, 128), 255);
        QCOMPARE(at(box, 94, 128), 128);
    }

    void nonsenseIsRefused() {
        QVERIFY_EXCEPTION_THROWN(letterbox(Image{}, 10, 10), Error);
        QVERIFY_EXCEPTION_THROWN(letterbox(filled(2, 2, 0, 0, 0), 0, 10), Error);
        QVERIFY_EXCEPTION_THROWN(letterbox(Image{2, 2, std::vector<std::uint8_t>(5)}, 10, 10),
                                 Error);
    }

    void whatIsWrittenIsReadBack() {
        const QTemporaryDir folder;
        const std::string root = folder.path().toStdString();
        Image image = filled(20, 10, 200, 100, 50);
        image.rgb[0] = 1;
        writePng(root + "/a.png", image);
        QCOMPARE(decodeImageFile(root + "/a.png").rgb, image.rgb);
        writeJpeg(root + "/a.jpg", filled(16, 16, 200, 100, 50));
        const Image back = decodeImageFile(root + "/a.jpg");
        QCOMPARE(back.width, std::int64_t{16});
        QVERIFY(std::abs(at(back, 8, 8) - 200) <= 3);
        QVERIFY(std::abs(at(back, 8, 8, 2) - 50) <= 3);
    }
};

QTEST_APPLESS_MAIN(LetterboxTest)
#include "letterbox_test.moc"
