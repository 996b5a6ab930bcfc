// Media damage: whatever bit or length of a checkpoint changes, it is refused, and the older one is
// taken.
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/checkpoint/sample_state.h"

using namespace receiptbench;

namespace {

// The reason why the file is refused; empty when it is accepted.
std::string refusal(const std::string& path) {
    try {
        openCheckpoint(posixFileSystem(), path, sample::kContract);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

void overwrite(const std::string& path, std::size_t at, char byte) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
}

}  // namespace

class DamageTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void everySingleBitIsNoticed() {
        sample::Folder folder;
        const std::string path = folder.save(2).path;
        const auto bytes = sample::readFile(path);
        std::size_t unnoticed = 0;
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            for (int bit = 0; bit < 8; ++bit) {
                overwrite(path, at, static_cast<char>(bytes[at] ^ (1 << bit)));
                unnoticed += refusal(path).empty() ? 1 : 0;
            }
            overwrite(path, at, bytes[at]);
        }
        QCOMPARE(unnoticed, std::size_t(0));
        QCOMPARE(refusal(path), std::string());  // restored: the test itself works
    }

    void everyLengthIsNoticed() {
        sample::Folder folder;
        const std::string path = folder.save(2).path;
        const auto size = std::filesystem::file_size(path);
        for (std::uintmax_t length = size; length-- > 0;) {
            std::filesystem::resize_file(path, length);
            QVERIFY2(!refusal(path).empty(), std::to_string(length).c_str());
        }
    }

    void appendedBytesAreNoticed() {
        sample::Folder folder;
        const std::string path = folder.save(2).path;
        const auto bytes = sample::readFile(path);
        for (const std::size_t more : {1u, 63u, 64u, 4096u}) {
            auto longer = bytes;
            longer.insert(longer.end(), more, '\0');
            sample::writeFile(path, longer);
            QVERIFY(!refusal(path).empty());
        }
        auto twice = bytes;
        twice.insert(twice.end(), bytes.begin(), bytes.end());
        sample::writeFile(path, twice);
        QVERIFY(QString::fromStdString(refusal(path)).contains("its seal says"));
    }

    void theDamagedTensorIsNamed() {
        sample::Folder folder;
        folder.save(1);
        const std::string path = folder.save(2).path;
        auto bytes = sample::readFile(path);
        const TrainingState state = sample::state(2);
        const auto& wanted = state.tensors[3].bytes;  // optimizer/m/a.weight
        const auto at = std::search(
            bytes.begin(), bytes.end(), wanted.begin(), wanted.end(),
            [](char left, std::byte right) { return static_cast<std::byte>(left) == right; });
        QVERIFY(at != bytes.end());
        at[5] ^= 0x10;
        sample::writeFile(path, bytes);
        const Recovery recovery = folder.recover();
        QCOMPARE(recovery.chosen->name.step, std::int64_t(1));
        QCOMPARE(recovery.rejected.size(), std::size_t(1));
        QCOMPARE(recovery.rejected[0].file, fileName({1, 2}));
        const auto reason = QString::fromStdString(recovery.rejected[0].reason);
        QVERIFY2(reason.contains("optimizer/m/a.weight") && !reason.contains("model/"),
                 qPrintable(reason));
    }

    void zeroedSectorsAreNoticed() {
        sample::Folder folder;
        const std::string path = folder.save(2).path;
        const auto bytes = sample::readFile(path);
        for (std::size_t at = 0; at < bytes.size(); at += 512) {
            auto zeroed = bytes;
            std::fill(
                zeroed.begin() + static_cast<std::ptrdiff_t>(at),
                zeroed.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), at + 512)),
                '\0');
            sample::writeFile(path, zeroed);
            QVERIFY(!refusal(path).empty());
        }
        sample::writeFile(path, std::vector<char>(bytes.size()));
        QVERIFY(QString::fromStdString(refusal(path)).contains("zero"));
    }
};

QTEST_APPLESS_MAIN(DamageTest)
#include "damage_test.moc"
