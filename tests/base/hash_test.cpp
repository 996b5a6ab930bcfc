#include <QtTest>

#include <vector>

#include "core/base/hash.h"
#include "tests/support/expect_error.h"

using namespace receiptbench;

class HashTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    // FIPS 180-4 examples.
    void knownAnswers() {
        QCOMPARE(sha256Hex(std::string_view("")),
                 std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        QCOMPARE(sha256Hex(std::string_view("abc")),
                 std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    }

    void piecesEqualTheWhole() {
        Sha256 pieces;
        pieces.update(std::string_view("a"))
            .update(std::string_view(""))
            .update(std::string_view("bc"));
        QCOMPARE(pieces.finishHex(), sha256Hex(std::string_view("abc")));
    }

    void numbersAreLittleEndian() {
        const std::vector<std::byte> bytes{std::byte{8}, std::byte{7}, std::byte{6}, std::byte{5},
                                           std::byte{4}, std::byte{3}, std::byte{2}, std::byte{1}};
        QCOMPARE(Sha256().update(std::uint64_t{0x0102030405060708}).finishHex(), sha256Hex(bytes));
    }

    void finishingTwiceIsRefused() {
        Sha256 hash;
        hash.finish();
        EXPECT_ERROR(hash.finish(), ErrorCode::Failed, "twice");
    }
};

QTEST_APPLESS_MAIN(HashTest)
#include "hash_test.moc"
