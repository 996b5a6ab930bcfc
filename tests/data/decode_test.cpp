#include "core/data/decode.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "core/base/text.h"
#include "core/data/decode/image_codec.h"
#include "tests/data/case_table.h"

using namespace receiptbench;

namespace {

std::vector<std::byte> bytesOf(const std::string& path) {
    const std::string text = fileText(path);
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> bytesFrom(const std::vector<int>& values) {
    std::vector<std::byte> bytes;
    for (const int value : values) {
        bytes.push_back(static_cast<std::byte>(value));
    }
    return bytes;
}

std::string reasonOf(const std::vector<std::byte>& bytes) {
    try {
        decodeImage(bytes);
        return "accepted";
    } catch (const DecodeError& error) {
        return toString(error.reason());
    }
}

// A case's file; one name holds a newline that its row spells \n.
std::string casePath(const std::string& name) {
    const std::string path = caseFiles() + name;
    const std::size_t at = path.rfind("\\n");
    struct stat status {};
    if (at != std::string::npos && ::lstat(path.c_str(), &status) != 0) {
        return path.substr(0, at) + "\n" + path.substr(at + 2);
    }
    return path;
}

std::array<double, 3> meanOf(const Image& image) {
    std::array<double, 3> sum{};
    for (std::size_t i = 0; i < image.rgb.size(); ++i) {
        sum[i % 3] += image.rgb[i];
    }
    for (double& value : sum) {
        value /= static_cast<double>(image.rgb.size() / 3);
    }
    return sum;
}

// The mean of the corner's 8x8 block, as the cases give it (the ramp's corner is 14, not 0).
std::array<double, 3> cornerOf(const Image& image, bool right, bool bottom) {
    const std::int64_t side = std::min<std::int64_t>({8, image.width, image.height});
    Image block{side, side, {}};
    for (std::int64_t y = 0; y < side; ++y) {
        const std::int64_t fromX = right ? image.width - side : 0;
        const std::int64_t fromY = (bottom ? image.height - side : 0) + y;
        const auto begin = image.rgb.begin() + (fromY * image.width + fromX) * 3;
        block.rgb.insert(block.rgb.end(), begin, begin + side * 3);
    }
    return meanOf(block);
}

bool near(const std::array<double, 3>& got, const std::array<double, 3>& wanted, double tolerance) {
    for (std::size_t i = 0; i < 3; ++i) {
        if (std::abs(got[i] - wanted[i]) > tolerance) {
            return false;
        }
    }
    return true;
}

std::array<double, 3> colourIn(const std::string& cell) {
    std::array<double, 3> colour{};
    const auto parts = split(cell, ' ');
    for (std::size_t i = 0; i < 3; ++i) {
        colour[i] = parseDouble(parts.at(i)).value();
    }
    return colour;
}

// "" when the picture is the one that the row describes.
std::string difference(const Image& image, const CaseRow& row) {
    const double tolerance = parseDouble(row.at("tol")).value();
    if (image.width != parseInt(row.at("width")) || image.height != parseInt(row.at("height"))) {
        return "size " + std::to_string(image.width) + "x" + std::to_string(image.height);
    }
    const std::array<double, 3> mean{parseDouble(row.at("mean_r")).value(),
                                     parseDouble(row.at("mean_g")).value(),
                                     parseDouble(row.at("mean_b")).value()};
    if (!near(meanOf(image), mean, tolerance + 0.006)) {  // two decimals are given
        const auto got = meanOf(image);
        return "mean " + formatDouble(got[0]) + " " + formatDouble(got[1]) + " " +
               formatDouble(got[2]);
    }
    const struct {
        const char* column;
        bool right, bottom;
    } corners[] = {{"top_left_rgb", false, false},
                   {"top_right_rgb", true, false},
                   {"bottom_left_rgb", false, true},
                   {"bottom_right_rgb", true, true}};
    for (const auto& corner : corners) {
        if (!near(cornerOf(image, corner.right, corner.bottom), colourIn(row.at(corner.column)),
                  tolerance + 0.5)) {
            return corner.column;
        }
    }
    return {};
}

// What POLICIES.md says of the rows that leave a choice.
const std::map<std::string, std::string> kDecided{
    {"images/cmyk_adobe_inverted.jpg", "colour-space"},
    {"images/jpeg_corrupt_middle.jpg", "corrupt"},
    {"images/png_bad_crc_text.png", "accepted"},
    {"images/webp_lossless.webp", "accepted"},
    {"images/webp_renamed.jpg", "accepted"},
    {"images/tiff_float32.tif", "unsupported-format"},
    {"images/tiff_cmyk.tif", "colour-space"},
    {"images/tall_1x30000.png", "too-large"},
    {"images/pixel_1x1.png", "accepted"},
    {"images/ascii.ppm", "unsupported-format"},
    {"images/._resource.jpg", "not-an-image"},
    {"images/Thumbs.db", "not-an-image"},
    {"names/noextension", "accepted"},
    {"names/.hidden.png", "accepted"},
};

const std::map<std::string, std::string> kReasons{
    {"images/jpeg_sof3_lossless_header.jpg", "unsupported-format"},
    {"images/jpeg_truncated_half.jpg", "truncated"},
    {"images/jpeg_truncated_in_sof.jpg", "truncated"},
    {"images/png_truncated_idat.png", "truncated"},
    {"images/png_short_rows.png", "truncated"},
    {"images/png_zero_width.png", "corrupt"},
    {"images/zero_byte.jpg", "empty"},
    {"images/html_404_renamed.jpg", "not-an-image"},
    {"images/nul_bytes.png", "not-an-image"},
    {"images/bmp_claims_2e31.bmp", "too-large"},
    {"images/bomb_claims_65500x65500.jpg", "too-large"},
    {"images/vector.svg", "not-an-image"},
    {"images/svg_renamed.png", "not-an-image"},
    {"special/selfref.jpg", "missing"},
    {"special/dangling.jpg", "missing"},
};

std::vector<std::byte> bmp24(int width, int height, const std::vector<int>& pixels) {
    std::vector<int> file{'B', 'M', 0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0};
    for (const int number : {width, height}) {
        for (int shift = 0; shift < 32; shift += 8) {
            file.push_back(number >> shift & 255);
        }
    }
    file.insert(file.end(), {1, 0, 24, 0});
    file.resize(54, 0);
    file.insert(file.end(), pixels.begin(), pixels.end());
    return bytesFrom(file);
}

std::int64_t peakKilobytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

}  // namespace

class DecodeTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void handedCases_data() {
        QTest::addColumn<QString>("name");
        if (!std::filesystem::exists(sharedDir() + "/cases")) {
            QTest::newRow("no cases") << QString();
            return;
        }
        for (const CaseRow& row : caseRows("expected.csv")) {
            const std::string& name = row.at("file");
            // Folders, and links whose root matters: import_test.
            if (name.find("special/loop") == std::string::npos &&
                name != "special/link_outside.png") {
                QTest::newRow(printable(name).c_str()) << QString::fromStdString(name);
            }
        }
    }

    void handedCases() {
        REQUIRE_SHARED("cases");
        QFETCH(QString, name);
        QVERIFY2(!caseFiles().empty(), "the archive cannot be unpacked");
        const auto rows = caseRows("expected.csv");
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const CaseRow& candidate) {
            return candidate.at("file") == name.toStdString();
        });
        std::string outcome = "accepted";
        Image image;
        try {
            image = decodeImageFile(casePath(row->at("file")));
        } catch (const DecodeError& error) {
            outcome = toString(error.reason());
            QVERIFY(!std::string(error.what()).empty());
        }
        const auto decided = kDecided.find(row->at("file"));
        const auto reason = kReasons.find(row->at("file"));
        const std::string wanted = decided != kDecided.end()  ? decided->second
                                   : reason != kReasons.end() ? reason->second
                                                              : row->at("expected") + "ed";
        QCOMPARE(outcome, wanted);
        if (row->at("expected") == "accept" || row->at("expected") == "reject") {
            QCOMPARE(outcome == "accepted", row->at("expected") == "accept");
        }
        if (outcome == "accepted") {
            const std::string what = difference(image, *row);
            QVERIFY2(what.empty(), what.c_str());
        }
    }

    void a16BitRampIsScaledBy257() {
        REQUIRE_SHARED("cases");
        const Image image = decodeImageFile(caseFiles() + "images/gray16_ramp.png");
        QCOMPARE(int(image.rgb[0]), 0);
        QCOMPARE(int(image.rgb[63 * 3]), 255);
        QVERIFY(image.rgb[31 * 3] == 125 || image.rgb[31 * 3] == 126);
    }

    void everyTruncationOfEveryFormatIsRefused() {
        REQUIRE_SHARED("cases");
        for (const char* name :
             {"exif_orient_6.jpg", "progressive.jpg", "rgba_alpha0_hidden_red.png",
              "png_interlaced.png", "webp_lossless.webp", "tiff_cmyk.tif"}) {
            const auto whole = bytesOf(caseFiles() + "images/" + name);
            for (std::size_t size = 0; size < whole.size(); ++size) {
                const std::vector<std::byte> part(whole.begin(),
                                                  whole.begin() + std::ptrdiff_t(size));
                QVERIFY2(reasonOf(part) != "accepted",
                         (std::string(name) + " cut to " + std::to_string(size)).c_str());
            }
        }
    }

    // Whatever a flipped byte does, it is a picture or a DecodeError.
    void noFlippedByteEscapes() {
        REQUIRE_SHARED("cases");
        for (const char* name :
             {"exif_orient_6.jpg", "progressive.jpg", "palette_trns.png", "png_interlaced.png",
              "webp_lossless.webp", "tiff_float32.tif", "bmp_claims_2e31.bmp"}) {
            auto bytes = bytesOf(caseFiles() + "images/" + name);
            for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 800); ++i) {
                for (const int mask : {0x01, 0x80, 0xFF}) {
                    bytes[i] ^= static_cast<std::byte>(mask);
                    reasonOf(bytes);
                    bytes[i] ^= static_cast<std::byte>(mask);
                }
            }
        }
    }

    void aBombCostsNoMemory() {
        REQUIRE_SHARED("cases");
        const std::int64_t before = peakKilobytes();
        QCOMPARE(reasonOf(bytesOf(caseFiles() + "images/bomb_claims_65500x65500.jpg")),
                 std::string("too-large"));
        QCOMPARE(reasonOf(bytesOf(caseFiles() + "images/bmp_claims_2e31.bmp")),
                 std::string("too-large"));
        QVERIFY(peakKilobytes() - before < 64 * 1024);
    }

    void bmpRowsRunUpwardsAndMustBeThere() {
        // Two rows of one pixel, each padded to four bytes; blue comes first.
        const auto whole = bmp24(1, 2, {1, 2, 3, 0, 4, 5, 6, 0});
        const Image image = decodeImage(whole);
        QCOMPARE(image.rgb, (std::vector<std::uint8_t>{6, 5, 4, 3, 2, 1}));
        QCOMPARE(decodeImage(bmp24(1, -2, {1, 2, 3, 0, 4, 5, 6, 0})).rgb,
                 (std::vector<std::uint8_t>{3, 2, 1, 6, 5, 4}));
        QCOMPARE(reasonOf(bmp24(1, 2, {1, 2, 3, 0, 4, 5, 6})), std::string("truncated"));
        QCOMPARE(reasonOf(bmp24(20000, 1, {})), std::string("too-large"));
        QCOMPARE(reasonOf(bmp24(0, 1, {})), std::string("corrupt"));
    }

    void headersAreReadByContent() {
        REQUIRE_SHARED("cases");
        const ImageHeader header =
            readImageHeader(bytesOf(caseFiles() + "images/exif_orient_6.jpg"));
        QCOMPARE(header.format, std::string("jpeg"));
        QCOMPARE(header.width, std::int64_t{32});  // as stored
        QCOMPARE(header.height, std::int64_t{48});
        QCOMPARE(readImageHeader(bytesOf(caseFiles() + "images/png_renamed.jpg")).format,
                 std::string("png"));
    }

    void exifIsReadWithinItsBounds_data() {
        QTest::addColumn<QList<int>>("bytes");
        QTest::addColumn<int>("orientation");
        const QList<int> good{'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12,
                              1,   3,   0,  1, 0, 0, 0, 6, 0, 0, 0};
        QTest::newRow("little-endian") << good << 6;
        QTest::newRow("big-endian")
            << QList<int>{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0}
            << 8;
        QList<int> changed = good;
        changed[18] = 9;
        QTest::newRow("nine") << changed << 1;
        changed = good;
        changed[4] = changed[5] = changed[6] = changed[7] = 255;
        QTest::newRow("offset outside") << changed << 1;
        changed = good;
        changed[8] = changed[9] = 255;
        QTest::newRow("more entries than bytes") << changed << 6;
        changed = good;
        changed[14] = changed[15] = changed[16] = changed[17] = 255;
        QTest::newRow("value elsewhere, and there is nothing") << changed << 1;
        QTest::newRow("cut") << good.mid(0, 20) << 1;
        QTest::newRow("empty") << QList<int>{} << 1;
    }

    void exifIsReadWithinItsBounds() {
        QFETCH(QList<int>, bytes);
        QFETCH(int, orientation);
        const auto tiff = bytesFrom(std::vector<int>(bytes.begin(), bytes.end()));
        QCOMPARE(codec::exifOrientation(tiff), orientation);
    }

    void orientationsTurnAsNamed() {
        // 1 2 3
        // 4 5 6
        Image stored{3, 2, {}};
        for (std::uint8_t value = 1; value <= 6; ++value) {
            stored.rgb.insert(stored.rgb.end(), 3, value);
        }
        const std::map<int, std::vector<int>> expected{
            {1, {1, 2, 3, 4, 5, 6}}, {2, {3, 2, 1, 6, 5, 4}}, {3, {6, 5, 4, 3, 2, 1}},
            {4, {4, 5, 6, 1, 2, 3}}, {5, {1, 4, 2, 5, 3, 6}}, {6, {4, 1, 5, 2, 6, 3}},
            {7, {6, 3, 5, 2, 4, 1}}, {8, {3, 6, 2, 5, 1, 4}}, {9, {1, 2, 3, 4, 5, 6}}};
        for (const auto& [orientation, wanted] : expected) {
            const Image upright = codec::oriented(stored, orientation);
            QCOMPARE(upright.width, std::int64_t{orientation >= 5 && orientation <= 8 ? 2 : 3});
            for (std::size_t i = 0; i < 6; ++i) {
                QCOMPARE(int(upright.rgb[i * 3]), wanted[i]);
            }
        }
    }

    void whatIsNoRegularFileIsNamed() {
        const QTemporaryDir folder;
        const std::string root = folder.path().toStdString();
        const auto reason = [](const std::string& path) {
            try {
                decodeImageFile(path);
                return std::string("accepted");
            } catch (const DecodeError& error) {
                return toString(error.reason());
            }
        };
        QCOMPARE(reason(root), std::string("not-a-file"));
        QCOMPARE(reason(root + "/none.png"), std::string("missing"));
        QCOMPARE(::mkfifo((root + "/pipe.png").c_str(), 0600), 0);
        QCOMPARE(reason(root + "/pipe.png"),
                 std::string("not-a-file"));  // and does not wait for a writer
    }
};

QTEST_APPLESS_MAIN(DecodeTest)
#include "decode_test.moc"
