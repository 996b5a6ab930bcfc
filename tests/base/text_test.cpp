#include <QtTest>

#include <cmath>
#include <limits>

#include "core/base/clock.h"
#include "core/base/text.h"

using namespace receiptbench;

class TextTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void bytesForPeople() {
        QCOMPARE(formatBytes(0), std::string("0 B"));
        QCOMPARE(formatBytes(1023), std::string("1023 B"));
        QCOMPARE(formatBytes(1024), std::string("1.0 KiB"));
        QCOMPARE(formatBytes(1048575), std::string("1.0 MiB"));  // not "1024.0 KiB"
        QCOMPARE(formatBytes(171756749), std::string("163.8 MiB"));
        QCOMPARE(formatBytes(-2048), std::string("-2.0 KiB"));
        QCOMPARE(formatBytes(std::numeric_limits<std::int64_t>::max()), std::string("8.0 EiB"));
    }

    void bytesFromPeople() {
        QCOMPARE(parseBytes("4096"), std::optional<std::int64_t>(4096));
        QCOMPARE(parseBytes("64MiB"), std::optional<std::int64_t>(67108864));
        QCOMPARE(parseBytes(" 64 MB "), std::optional<std::int64_t>(64000000));
        QCOMPARE(parseBytes("1.5GiB"), std::optional<std::int64_t>(1610612736));
        QCOMPARE(parseBytes("2k"), std::optional<std::int64_t>(2048));
        for (const char* bad :
             {"", "-1", "+1", "MiB", "1,5GiB", "1e3", "0x10", "1.5", "64 XB", ".5G", "1.G",
              "1.2.3M", "nan", "inf", "9223372036854775808", "9000000TiB", "99999999999.5TiB"}) {
            QVERIFY2(!parseBytes(bad), bad);
        }
    }

    void durations() {
        QCOMPARE(formatDuration(0.0123), std::string("12 ms"));
        QCOMPARE(formatDuration(12.34), std::string("12.3 s"));
        QCOMPARE(formatDuration(59.96), std::string("1 min 00 s"));
        QCOMPARE(formatDuration(65), std::string("1 min 05 s"));
        QCOMPARE(formatDuration(3720), std::string("1 h 02 min"));
        QCOMPARE(formatDuration(std::nan("")), std::string("unknown"));
        QCOMPARE(formatDuration(-65), std::string("-1 min 05 s"));
    }

    void doublesReadBackTheSame() {
        for (const double value : {0.1, 1e-8, 2e-3, 1.0 / 3, 1e300, 5e-324, -0.0, 65536.0}) {
            const auto back = parseDouble(formatDouble(value));
            QVERIFY(back && *back == value && std::signbit(*back) == std::signbit(value));
        }
        QCOMPARE(formatDouble(0.1), std::string("0.1"));
    }

    // D24: a comma is never a decimal point, whatever the locale says.
    void numbersAreWholeText() {
        for (const char* bad : {"", "0,05", "1 ", " 1", "1.5x", "+1", "1e400", "--1"}) {
            QVERIFY2(!parseDouble(bad), bad);
        }
        QCOMPARE(parseDouble("9.8e-2"), std::optional<double>(0.098));
        QCOMPARE(parseInt("-9223372036854775808"),
                 std::optional<std::int64_t>(std::numeric_limits<std::int64_t>::min()));
        for (const char* bad : {"", "1.0", "9223372036854775808", "12a", " 1"}) {
            QVERIFY2(!parseInt(bad), bad);
        }
    }

    void splitKeepsEmptyParts() {
        QCOMPARE(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
        QCOMPARE(split("", ','), (std::vector<std::string>{""}));
        QCOMPARE(trim(" \t a b\r\n"), std::string("a b"));
        QCOMPARE(trim(" \n"), std::string());
    }

    void utf8() {
        QVERIFY(isValidUtf8("Ünder \xF0\x9F\xA7\xBE"));
        for (const char* bad :
             {"\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"}) {
            QVERIFY(!isValidUtf8(bad));
        }
    }

    void printableEscapesWhatWouldDeceive() {
        QCOMPARE(printable("a\nb\tc\x1b[31m"), std::string("a\\nb\\tc\\x1b[31m"));
        QCOMPARE(printable("Ü\xFF"), std::string("Ü\\xff"));
        QCOMPARE(printable("\u202Egpj.exe"), std::string("\\xe2\\x80\\xaegpj.exe"));
        QCOMPARE(printable(std::string_view("\0x", 2)), std::string("\\x00x"));
    }

    void csvCells() {
        QCOMPARE(csvCell("plain"), std::string("plain"));
        QCOMPARE(csvCell("a,b"), std::string("\"a,b\""));
        QCOMPARE(csvCell("say \"x\""), std::string("\"say \"\"x\"\"\""));
        QCOMPARE(csvCell("=1+1"), std::string("'=1+1"));
        QCOMPARE(csvCell("@cmd"), std::string("'@cmd"));
        QCOMPARE(csvCell("-0.5"), std::string("-0.5"));
        QCOMPARE(csvCell("-a"), std::string("'-a"));
        QCOMPARE(csvCell(""), std::string());
    }

    void utcLooksLikeUtc() {
        const std::string now = Clock::system().utc();
        const QRegularExpression pattern("^20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$");
        QVERIFY2(pattern.match(QString::fromStdString(now)).hasMatch(), now.c_str());
        const double before = Clock::system().seconds();
        QVERIFY(Clock::system().seconds() >= before);
    }
};

QTEST_APPLESS_MAIN(TextTest)
#include "text_test.moc"
