#include <QtTest>

#include "core/base/host_tensor.h"
#include "core/base/json.h"
#include "tests/base/safetensors_cases.h"
#include "tests/support/expect_error.h"
#include "tests/support/shared_dir.h"
#include "tests/support/temporary_dir.h"

#include <nlohmann/json.hpp>

using namespace receiptbench;

namespace {

std::vector<std::byte> fileOf(const std::string& header, std::size_t dataBytes) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < 8; ++i) {
        bytes.push_back(static_cast<std::byte>(header.size() >> (8 * i) & 0xff));
    }
    const auto text = std::as_bytes(std::span(header));
    bytes.insert(bytes.end(), text.begin(), text.end());
    bytes.resize(bytes.size() + dataBytes);
    return bytes;
}

SafetensorsHeader parse(const std::string& header, std::size_t dataBytes) {
    const auto bytes = fileOf(header, dataBytes);
    return parseSafetensorsHeader(bytes, bytes.size());
}

HostTensor tensor(const std::string& name, const std::string& dtype,
                  std::vector<std::int64_t> shape) {
    const auto bytes = static_cast<std::size_t>(elementCount(shape)) * dtypeSize(dtype);
    HostTensor result{name, dtype, std::move(shape), std::vector<std::byte>(bytes)};
    for (std::size_t i = 0; i < bytes; ++i) {
        result.bytes[i] = static_cast<std::byte>(i * 7 + name.size());
    }
    return result;
}

}  // namespace

class SafetensorsTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void roundTrip() {
        const TemporaryDir dir;
        SafetensorsFile content;
        content.tensors = {tensor("b", "F32", {2, 3}), tensor("a", "I64", {}),
                           tensor("empty", "BF16", {0, 5}), tensor("ü", "BOOL", {3})};
        content.metadata = {{"format", "pt"}, {"quote", "\"\n"}};
        writeSafetensors(posixFileSystem(), dir.file("x"), content);
        const SafetensorsFile back = readSafetensors(posixFileSystem(), dir.file("x"));
        QCOMPARE(back.metadata, content.metadata);
        QCOMPARE(back.tensors.size(), content.tensors.size());
        for (std::size_t i = 0; i < back.tensors.size(); ++i) {
            QCOMPARE(back.tensors[i].name, content.tensors[i].name);
            QCOMPARE(back.tensors[i].dtype, content.tensors[i].dtype);
            QCOMPARE(back.tensors[i].shape, content.tensors[i].shape);
            QVERIFY(back.tensors[i].bytes == content.tensors[i].bytes);
        }
        QCOMPARE(digestOfTensors(back.tensors), digestOfTensors(content.tensors));
        std::swap(content.tensors[0], content.tensors[1]);
        QCOMPARE(digestOfTensors(back.tensors),
                 digestOfTensors(content.tensors));  // order of names
        content.tensors[0].bytes[0] ^= std::byte{1};
        QVERIFY(digestOfTensors(back.tensors) != digestOfTensors(content.tensors));
    }

    void dataIsAligned() {
        const auto header = makeSafetensorsHeader({{"a", "F32", {1}, 0, 4}}, {});
        QCOMPARE(header.size() % 64, std::size_t{0});
        QVERIFY(makeSafetensorsHeader({}, {}).size() == 64);
    }

    void emptyFileOfNoTensors() {
        QVERIFY(parse("{}", 0).tensors.empty());
        EXPECT_ERROR(parse("{}", 1), ErrorCode::Data, "end at byte 0");
    }

    void badHeaders_data() {
        QTest::addColumn<QString>("header");
        QTest::addColumn<int>("data");
        QTest::addColumn<QString>("message");
        for (const BadHeader& bad : kBadHeaders) {
            QTest::newRow(bad.name)
                << QString::fromUtf8(bad.header) << bad.dataBytes << QString::fromUtf8(bad.message);
        }
    }
    void badHeaders() {
        QFETCH(QString, header);
        QFETCH(int, data);
        QFETCH(QString, message);
        EXPECT_ERROR(parse(header.toStdString(), static_cast<std::size_t>(data)), ErrorCode::Data,
                     message.toStdString());
    }

    void limits() {
        std::vector<std::byte> giant(8, std::byte{0xff});
        EXPECT_ERROR(parseSafetensorsHeader(giant, 100), ErrorCode::Data, "header of");
        EXPECT_ERROR(parseSafetensorsHeader({}, 0), ErrorCode::Data, "too few");
        auto cut = fileOf("{}          ", 0);
        cut.resize(10);
        EXPECT_ERROR(parseSafetensorsHeader(cut, cut.size()), ErrorCode::Data, "in a file of 10");
        EXPECT_ERROR(parse("{\"" + std::string(513, 'n') + kOneByteTensor, 1), ErrorCode::Data,
                     "513");
        EXPECT_ERROR(makeSafetensorsHeader({{"a", "U8", {1}, 0, 1}, {"a", "U8", {1}, 1, 2}}, {}),
                     ErrorCode::Data, "twice");
        EXPECT_ERROR(makeSafetensorsHeader({{"\xff", "U8", {1}, 0, 1}}, {}), ErrorCode::Data,
                     "UTF-8");
        EXPECT_ERROR(elementCount({-1, 0}), ErrorCode::Data, "negative");
        QCOMPARE(elementCount({std::numeric_limits<std::int64_t>::max(), 4, 0}), std::int64_t{0});
    }

    // Every one-byte change of a small header is read or refused, never a crash.
    void flippedBytesNeverCrash() {
        const auto whole = fileOf(kSmallHeader, 8);
        for (std::size_t i = 0; i < whole.size() - 8; ++i) {
            for (int bit = 0; bit < 8; ++bit) {
                auto changed = whole;
                changed[i] ^= static_cast<std::byte>(1 << bit);
                try {
                    const auto header = parseSafetensorsHeader(changed, changed.size());
                    QVERIFY(header.dataOffset + header.dataLength == changed.size());
                } catch (const Error& error) {
                    QVERIFY(error.code() == ErrorCode::Data);
                }
            }
        }
    }

    void otherWritersFilesOpen() {
        REQUIRE_SHARED("parity");
        const auto file =
            readSafetensors(posixFileSystem(), sharedDir() + "/parity/gradient_7_by_3.safetensors");
        QVERIFY(!file.tensors.empty());
    }

    void jsonIsStrict() {
        EXPECT_ERROR(parseJson(kDuplicateInside, "x.json"), ErrorCode::Data, "x.json: key \"a\"");
        EXPECT_ERROR(parseJson("{\"a\":\"\xff\"}", "x.json"), ErrorCode::Data, "not valid JSON");
        EXPECT_ERROR(parseJson(std::string(100, '['), "x.json"), ErrorCode::Data, "nested");
        EXPECT_ERROR(parseJson("", "x.json"), ErrorCode::Data, "not valid JSON");
        QCOMPARE(parseJson(kSameKeyElsewhere, "x.json")["a"]["a"].get<int>(), 1);
    }
};

QTEST_APPLESS_MAIN(SafetensorsTest)
#include "safetensors_test.moc"
