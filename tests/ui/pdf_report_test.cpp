#include "ui/pdf/pdf_report.h"

#include <QtTest>

#include <QApplication>
#include <QFile>
#include <QHash>
#include <QPainter>
#include <QTemporaryDir>
#include <ctime>

#include "core/base/error.h"
#include "core/base/file_system.h"
#include "core/data/pixel_cache.h"
#include "tests/ui/example_report.h"
#include "ui/pdf/finite_range.h"
#include "ui/pdf/frozen_photos.h"

using namespace receiptbench;
using namespace Qt::StringLiterals;

namespace {

QImage photo(std::int64_t id) {
    QImage image(96, 128, QImage::Format_RGB32);
    image.fill(QColor::fromHsv(static_cast<int>(id * 37 % 360), 60, 230));
    QPainter painter(&image);
    painter.fillRect(24, 16, 48, 96, Qt::white);
    for (int y = 24; y < 104; y += 8) {
        painter.fillRect(30, y, static_cast<int>(20 + (y * 7 + id * 13) % 16), 3, Qt::darkGray);
    }
    return image;
}

QByteArray written(const nlohmann::json& report, const PdfOptions& options = {}) {
    QTemporaryDir folder;
    const auto path = folder.filePath(u"report.pdf"_s);
    writePdfReport(report, photo, options, path.toStdString());
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class PdfReportTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void theSameReportGivesTheSameBytes() {
        const auto report = exampleReport();
        const auto first = written(report);
        QVERIFY(first.startsWith("%PDF-"));
        QVERIFY2(first.size() < 2'000'000, qPrintable(QString::number(first.size())));
        QVERIFY(first.contains("/CreationDate (D:20260304051607Z)"));
        QTest::qWait(1100);  // another second on the clock, which must not show
        QHashSeed::resetRandomGlobalSeed();
        QVERIFY(first == written(report));
        if (qEnvironmentVariableIsSet("RECEIPTBENCH_KEEP_PDF")) {  // for looking at it
            writePdfReport(report, photo, {}, qgetenv("RECEIPTBENCH_KEEP_PDF").toStdString());
        }
    }

    void theLocaleChangesNothing() {
        const auto plain = written(exampleReport());
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
        const auto german = written(exampleReport());
        QLocale::setDefault(QLocale::c());
        QVERIFY(plain == german);
    }

    // The time zone neither, and every object lies where the table of offsets says.
    void theTimeZoneChangesNothing() {
        const auto plain = written(exampleReport());
        const auto before = qgetenv("TZ");
        for (const char* zone : {"Asia/Tokyo", "America/St_Johns", "UTC"}) {
            qputenv("TZ", zone);
            tzset();
            QVERIFY2(written(exampleReport()) == plain, zone);
        }
        before.isEmpty() ? qunsetenv("TZ") : qputenv("TZ", before);
        tzset();
        const auto start = plain.mid(plain.lastIndexOf("startxref") + 10).trimmed();
        auto entry = start.left(start.indexOf('\n')).trimmed().toLongLong();
        QVERIFY(plain.mid(entry).startsWith("xref\n"));
        entry = plain.indexOf('\n', entry + 5) + 1 + 20;  // object 0 is free
        int object = 1;
        for (; plain.mid(entry + 17, 1) == "n"; entry += 20, ++object) {
            QVERIFY(plain.mid(plain.mid(entry, 10).toLongLong())
                        .startsWith(QByteArray::number(object) + " 0 obj"));
        }
        QVERIFY(object > 20);
    }

    void plotsAreVectorsAndTextIsText() {
        QTemporaryDir folder;
        const auto path = folder.filePath(u"report.pdf"_s);
        writePdfReport(exampleReport(), {}, {}, path.toStdString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto bytes = file.readAll();
        QVERIFY(!bytes.contains("/Subtype /Image"));
        QVERIFY(bytes.contains("/ToUnicode"));
        QVERIFY(written(exampleReport()).contains("/Subtype /Image"));  // the photos
    }

    void pagesHaveTheFormatAndTheChosenParts() {
        const auto report = exampleReport();
        PdfOptions letter;
        letter.page = PageFormat::Letter;
        QVERIFY(written(report, letter).contains("/MediaBox [0 0 612.000000 792.000000]"));
        const auto all = renderReportPages(report, photo, letter, 40);
        QCOMPARE(all.front().size(), QSize(340, 440));
        PdfOptions one = letter;
        one.sections = {"time"};
        QCOMPARE(renderReportPages(report, photo, one, 40).size(), 1U);
        QVERIFY(all.size() > 4);
        PdfOptions unknown;
        unknown.sections = {"weather"};
        QVERIFY_EXCEPTION_THROWN(written(report, unknown), Error);
    }

    void rangesComeFromFiniteValuesOnly() {
        const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
        FiniteRange range;
        range.addAll(std::vector<double>{1, nan, 3, inf, 2, -inf});
        QCOMPARE(range.linear(0, 0).low, 1.0);
        QCOMPARE(range.linear(0, 0).high, 3.0);
        QCOMPARE(range.linear(0.5, 0.25).low, 0.0);
        QCOMPARE(range.linear(0.5, 0.25).high, 3.5);
        FiniteRange none;
        none.add(nan);
        QVERIFY(none.empty());
        QVERIFY(none.linear(0.1, 0.1).low < none.linear(0.1, 0.1).high);
        QVERIFY(none.logarithmic().low > 0);
        FiniteRange one;
        one.add(0);
        QVERIFY(one.linear(0.1, 0.1).low < one.linear(0.1, 0.1).high);
        FiniteRange huge;
        huge.addAll(std::vector<double>{-1.7e308, 1.7e308});
        QVERIFY(std::isfinite(huge.linear(0, 0).low) && std::isfinite(huge.linear(0, 0).high));
    }

    void plotsSurviveWhatIsNotFinite() {
        auto report = exampleReport();
        auto& updates = report["runs"][0]["updates"];
        updates[0]["loss"] = "nan";
        updates[1]["loss"] = "inf";
        updates[2]["loss"] = "-inf";
        updates[3]["loss"] = nullptr;
        updates[4]["gradientNorm"] = -1.0;
        for (auto& update : report["runs"][1]["updates"]) {
            update["loss"] = "nan";
        }
        report["runs"][2]["updates"] = nlohmann::json::array();
        report["runs"][2]["memoryTrace"] = nlohmann::json::array();
        report["runs"][3]["gradientCheck"]["layers"][0]["relativeL2"] = "nan";
        report["runs"][0]["gradientCheck"]["layers"][0]["relativeL2"] = 0.0;
        report["runs"][0]["timeBreakdown"]["forward"] = "nan";
        QVERIFY(written(report).startsWith("%PDF-"));
    }

    void missingPartsAreSaidNotRefused() {
        for (const auto& pointer : {"/comparison", "/runs", "/recovery", "/plans", "/contract",
                                    "/environment", "/data", "/howToRecompute", "/contractHash"}) {
            auto report = exampleReport();
            report[nlohmann::json::json_pointer(pointer)] = nullptr;
            QVERIFY(!renderReportPages(report, {}, {}, 20).empty());
        }
        QVERIFY(!renderReportPages(nlohmann::json::object(), {}, {}, 20).empty());
        QVERIFY(written(nlohmann::json::object()).contains("/CreationDate (D:19700101000000Z)"));
    }

    // As markup it would take no room and its table would be drawn.
    void textFromFilesIsNotInterpreted() {
        PdfOptions options;
        options.sections = {"recompute"};
        nlohmann::json plain, markup;
        plain["howToRecompute"] = {"x"};
        markup["howToRecompute"] = {"<table bgcolor=red width=500><tr><td>x</td></tr></table>"};
        const auto image = renderReportPages(markup, {}, options, 60).front();
        QVERIFY(image != renderReportPages(plain, {}, options, 60).front());
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                const QColor colour(image.pixel(x, y));
                QVERIFY(colour.red() - colour.green() < 100);
            }
        }
    }

    void photosComeFromTheFrozenPixels() {
        QTemporaryDir folder;
        const auto root = folder.path().toStdString();
        posixFileSystem().makeDirectories(joinPath(root, "frozen"));
        PixelCacheWriter writer(posixFileSystem(), joinPath(joinPath(root, "frozen"), "val.pixels"),
                                2, 3);
        writer.add({3, 2, {255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}});
        writer.finish();
        const auto photos = frozenPhotos(root);
        QCOMPARE(photos(0).size(), QSize(3, 2));
        QCOMPARE(photos(0).pixelColor(0, 0), QColor(255, 0, 0));
        QCOMPARE(photos(0).pixelColor(2, 1), QColor(0, 0, 9));
        QVERIFY(photos(1).isNull());
        QVERIFY(photos(-1).isNull());
        QVERIFY_EXCEPTION_THROWN(frozenPhotos(root + "/elsewhere"), Error);
    }

    void aFolderThatIsMissingIsNamed() {
        QVERIFY_EXCEPTION_THROWN(
            writePdfReport(exampleReport(), photo, {}, "/nowhere/at/all/report.pdf"), Error);
    }
};

QTEST_MAIN(PdfReportTest)
#include "pdf_report_test.moc"
