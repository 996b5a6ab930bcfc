#include <QtTest>

#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <cerrno>
#include <filesystem>
#include <functional>

#include "core/base/hash.h"
#include "core/base/trace_file_system.h"
#include "core/checkpoint/seal.h"
#include "tests/checkpoint/sample_state.h"

using namespace receiptbench;

namespace {

using Metadata = std::map<std::string, std::string>;

// Writes the file anew with changed metadata and a right seal: what another program, or a newer
// one, might have written.
void reseal(const std::string& path, const std::function<void(Metadata&)>& change) {
    auto content = readSafetensors(posixFileSystem(), path);
    change(content.metadata);
    std::vector<TensorSlot> slots;
    std::vector<std::byte> data;
    for (const HostTensor& tensor : content.tensors) {
        slots.push_back({tensor.name, tensor.dtype, tensor.shape, data.size(),
                         data.size() + tensor.bytes.size()});
        data.insert(data.end(), tensor.bytes.begin(), tensor.bytes.end());
    }
    auto bytes = makeSafetensorsHeader(slots, content.metadata);
    bytes.insert(bytes.end(), data.begin(), data.end() - format::kSealBytes);
    Sha256 hash;
    hash.update(std::span<const std::byte>(bytes));
    const auto seal = encodeSeal({bytes.size() + format::kSealBytes, hash.finish()});
    bytes.insert(bytes.end(), seal.begin(), seal.end());
    writeAtomically(posixFileSystem(), path, bytes);
}

void setState(Metadata& metadata, const char* key, const nlohmann::json& value) {
    auto state = nlohmann::json::parse(metadata.at("state"));
    state[key] = value;
    metadata["state"] = state.dump();
}

}  // namespace

class RecoveryTest : public QObject {
    Q_OBJECT

    // Save 2 replaced by what `spoil` makes of its path: 1 is taken and the reason says why.
    void expectRefused(const std::function<void(const std::string&)>& spoil, const char* reason) {
        sample::Folder folder;
        folder.save(1);
        const std::string path = folder.save(2).path;
        spoil(path);
        const auto before = folder.names();
        const Recovery recovery = folder.recover();
        QVERIFY(recovery.chosen.has_value());
        QCOMPARE(recovery.chosen->name.step, std::int64_t(1));
        QCOMPARE(recovery.rejected.size(), std::size_t(1));
        const auto said = QString::fromStdString(recovery.rejected[0].reason);
        QVERIFY2(said.contains(reason), qPrintable(said));
        QCOMPARE(folder.names(), before);
    }

 private Q_SLOTS:
    void linkIsNotFollowed() {
        expectRefused(
            [](const std::string& path) {
                std::filesystem::rename(path, path + ".real");
                std::filesystem::create_symlink(path + ".real", path);
            },
            "symbolic link");
    }
    void fifoDoesNotHang() {
        expectRefused(
            [](const std::string& path) {
                std::filesystem::remove(path);
                QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
            },
            "not a regular file");
    }
    void folderIsRefused() {
        expectRefused(
            [](const std::string& path) {
                std::filesystem::remove(path);
                std::filesystem::create_directory(path);
            },
            "EISDIR");
    }
    void sparseGiantIsRefused() {
        expectRefused(
            [](const std::string& path) { std::filesystem::resize_file(path, 9ull << 30); },
            "are allowed");
        expectRefused(
            [](const std::string& path) { std::filesystem::resize_file(path, 7ull << 30); },
            "zero");
    }
    void emptyIsRefused() {
        expectRefused([](const std::string& path) { std::filesystem::resize_file(path, 0); },
                      "empty");
    }
    void anotherProgramsFileIsRefused() {
        expectRefused(
            [](const std::string& path) { sample::writeFile(path, std::vector<char>(500, 'x')); },
            "no seal");
    }
    void nameMustMatchContent() {
        expectRefused(
            [](const std::string& path) {
                std::filesystem::rename(path, joinPath(parentPath(path), fileName({9, 2})));
            },
            "generation 9 step 2");
    }
    void stepMustMatchState() {
        expectRefused(
            [](const std::string& path) { reseal(path, [](Metadata& m) { m["step"] = "3"; }); },
            "step 3");
    }
    void newerMajorVersionIsRefused() {
        expectRefused(
            [](const std::string& path) {
                reseal(path, [](Metadata& m) { m["version"] = "2.0"; });
            },
            "2.0");
    }
    void unknownFeatureIsNamed() {
        expectRefused(
            [](const std::string& path) {
                reseal(path, [](Metadata& m) {
                    m["features"] = R"(["crc32c","seal-sha256","sharded"])";
                });
            },
            "sharded");
    }
    void missingStateFieldIsNamed() {
        expectRefused(
            [](const std::string& path) {
                reseal(path, [](Metadata& m) {
                    auto state = nlohmann::json::parse(m.at("state"));
                    state.erase("scaler");
                    m["state"] = state.dump();
                });
            },
            "scaler");
    }
    void countsMustAddUp() {
        expectRefused(
            [](const std::string& path) {
                reseal(path, [](Metadata& m) { setState(m, "applied", 2); });
            },
            "applied");
    }
    void checksumsMustMatch() {
        expectRefused(
            [](const std::string& path) { reseal(path, [](Metadata& m) { m["crc32c"] = "[]"; }); },
            "checksums");
    }

    void newerMinorVersionWithUnknownEntriesIsRead() {
        sample::Folder folder;
        reseal(folder.save(2).path, [](Metadata& m) {
            m["version"] = "1.9";
            m["remark"] = "new";
            setState(m, "more", 1);
        });
        QCOMPARE(folder.recover().chosen->name.step, std::int64_t(2));
    }

    void anotherContractIsRefusedUnlessAnyWillDo() {
        sample::Folder folder;
        folder.save(1);
        const Recovery other = folder.recover(std::string(64, 'd'));
        QVERIFY(!other.chosen);
        QVERIFY(QString::fromStdString(other.rejected.at(0).reason).contains("contract"));
        QVERIFY(folder.recover("").chosen.has_value());
    }

    void nothingValidListsAllAndTouchesNothing() {
        sample::Folder folder;
        for (int step = 1; step <= 2; ++step) {
            sample::writeFile(folder.file(CheckpointName{1, step}), {'x'});
        }
        sample::writeFile(folder.file(fileName({1, 3}) + ".tmp"), {'t'});
        const auto before = folder.names();
        const Recovery recovery = folder.recover();
        QVERIFY(!recovery.chosen);
        QCOMPARE(recovery.rejected.size(), std::size_t(2));
        QVERIFY(recovery.removedTemporaries.empty());
        QCOMPARE(folder.names(), before);
    }

    void missingFolderHasNothing() {
        sample::Folder folder;
        QVERIFY(!recoverCheckpoint(posixFileSystem(), folder.file("gone"), "").chosen);
    }

    void unknownFilesAreListedAndStay() {
        sample::Folder folder;
        folder.save(1);
        sample::writeFile(folder.file("notes.txt"), {'n'});
        std::filesystem::create_symlink("/nowhere", folder.file(fileName({1, 9}) + ".tmp"));
        const auto before = folder.names();
        const Recovery recovery = folder.recover();
        QCOMPARE(recovery.untouched,
                 (std::vector<std::string>{fileName({1, 9}) + ".tmp", "notes.txt"}));
        QCOMPARE(folder.names(), before);
    }

    void onlyLookingRemovesNothing() {
        sample::Folder folder;
        folder.save(1);
        sample::writeFile(folder.file(fileName({1, 2}) + ".tmp"), {'t'});
        QVERIFY(recoverCheckpoint(posixFileSystem(), folder.path(), "", false)
                    .removedTemporaries.empty());
        QCOMPARE(folder.names().size(), std::size_t(2));
    }

    // Too many open files says nothing about the newest checkpoint: taking an older one would lose
    // work.
    void ourOwnShortageIsNoReasonToGoBack() {
        sample::Folder folder;
        folder.save(1);
        TraceHooks hooks;
        hooks.before = [](const FileCall& call) {
            if (call.operation == "open") {
                throw FileError(call.operation, call.path, EMFILE);
            }
        };
        QVERIFY_EXCEPTION_THROWN(
            recoverCheckpoint(*traceFileSystem(posixFileSystem(), nullptr, hooks), folder.path(),
                              ""),
            FileError);
    }

    void aNamedFileSaysWhatIsWrong() {
        sample::Folder folder;
        sample::writeFile(folder.file("best.safetensors"), {'x'});
        try {
            openCheckpoint(posixFileSystem(), folder.file("best.safetensors"), "");
            QFAIL("accepted");
        } catch (const Error& error) {
            QVERIFY(error.code() == ErrorCode::Data);
            QVERIFY(QString(error.what()).contains("best.safetensors"));
        }
        std::filesystem::copy_file(folder.save(4).path, folder.file("copy.safetensors"));
        QCOMPARE(
            openCheckpoint(posixFileSystem(), folder.file("copy.safetensors"), "").values.attempted,
            std::int64_t(4));
    }

    // Files of every released version stay readable; this one was written by version 1.0.
    void goldenFileOpens() {
        CheckpointInfo info;
        const std::string folder = RECEIPTBENCH_GOLDEN_DIR;
        const auto loaded = openCheckpoint(posixFileSystem(), joinPath(folder, fileName({1, 5})),
                                           sample::kContract, &info);
        QVERIFY(sample::equal(loaded.tensors, sample::state(5).tensors));
        QVERIFY(nlohmann::json(loaded.values) == nlohmann::json(sample::state(5).values));
        QCOMPARE(info.contractHash, sample::kContract);
    }
};

QTEST_APPLESS_MAIN(RecoveryTest)
#include "recovery_test.moc"
