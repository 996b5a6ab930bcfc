#include "core/checkpoint/crc32c.h"

#include <QtTest>

#include <string_view>
#include <vector>

using namespace receiptbench;

class Crc32cTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    // RFC 3720, appendix B.4, and the usual check value.
    void publishedValues() {
        const std::string_view digits = "123456789";
        const std::vector<std::byte> zeros(32), ones(32, std::byte{0xff});
        for (const auto function : {&crc32c, &crc32cPortable}) {
            QCOMPARE(function(std::as_bytes(std::span(digits)), 0), 0xe3069283u);
            QCOMPARE(function(zeros, 0), 0x8a9136aau);
            QCOMPARE(function(ones, 0), 0x62a8ab43u);
            QCOMPARE(function({}, 0), 0u);
        }
    }

    void bothWaysAgreeInAnyPieces() {
        std::vector<std::byte> bytes(257);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<std::byte>(i * i + 7 * i);
        }
        const std::uint32_t whole = crc32cPortable(bytes);
        for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
            const auto first = std::span<const std::byte>(bytes).first(cut);
            const auto second = std::span<const std::byte>(bytes).subspan(cut);
            QCOMPARE(crc32c(second, crc32c(first)), whole);
            QCOMPARE(crc32c(first), crc32cPortable(first));
        }
    }
};

QTEST_APPLESS_MAIN(Crc32cTest)
#include "crc32c_test.moc"
