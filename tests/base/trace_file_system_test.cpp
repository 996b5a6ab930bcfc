#include <QtTest>

#include "core/base/trace_file_system.h"
#include "tests/support/temporary_dir.h"

using namespace receiptbench;

namespace {

struct Interrupted {};

std::vector<std::string> operations(const std::vector<FileCall>& tape) {
    std::vector<std::string> names;
    for (const FileCall& call : tape) {
        names.push_back(call.operation);
    }
    return names;
}

}  // namespace

class TraceFileSystemTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    // The write order that a crash may interrupt anywhere: this is what makes publishing safe.
    void atomicWriteHasThisTape() {
        const TemporaryDir dir;
        std::vector<FileCall> tape;
        const auto files = traceFileSystem(posixFileSystem(), &tape);
        writeAtomically(*files, dir.file("a"), std::string_view("12345"), false);
        QCOMPARE(operations(tape), (std::vector<std::string>{"create", "write", "sync", "close",
                                                             "rename", "sync-directory"}));
        QCOMPARE(tape[1].bytes, std::uint64_t{5});
        QCOMPARE(tape[1].path, dir.file("a.tmp"));
        QCOMPARE(tape[4].path, dir.file("a.tmp") + " -> " + dir.file("a"));
        for (std::size_t i = 0; i < tape.size(); ++i) {
            QCOMPARE(tape[i].index, static_cast<std::int64_t>(i) + 1);
        }
    }

    void everyCallIsRecorded() {
        const TemporaryDir dir;
        std::vector<FileCall> tape;
        const auto files = traceFileSystem(posixFileSystem(), &tape);
        files->makeDirectories(dir.file("d"));
        files->openAppend(dir.file("d/log"))->write(std::as_bytes(std::span("x", 1)));
        files->truncate(dir.file("d/log"), 1);
        std::array<std::byte, 1> one;
        files->openRead(dir.file("d/log"))->read(0, one);
        files->list(dir.file("d"));
        files->exists(dir.file("d"));
        files->freeBytes(dir.path());
        files->tryLock(dir.file("lock"));
        files->renameReplace(dir.file("d/log"), dir.file("d/log2"));
        files->remove(dir.file("d/log2"));
        QCOMPARE(operations(tape),
                 (std::vector<std::string>{"make-directories", "append", "write", "truncate",
                                           "open", "read", "list", "exists", "free-bytes", "lock",
                                           "rename-replace", "remove"}));
    }

    void aThrowBeforeStopsTheCall() {
        for (std::int64_t at = 1; at <= 6; ++at) {
            const TemporaryDir dir;
            TraceHooks hooks;
            hooks.before = [&](const FileCall& call) {
                if (call.index == at) {
                    throw Interrupted();
                }
            };
            const auto files = traceFileSystem(posixFileSystem(), nullptr, hooks);
            QVERIFY_THROWS_EXCEPTION(Interrupted,
                                     writeAtomically(*files, dir.file("a"), std::string_view("x")));
            // Only the directory's sync comes after the name is visible; no temporary stays behind.
            QCOMPARE(posixFileSystem().exists(dir.file("a")), at == 6);
            QCOMPARE(posixFileSystem().list(dir.path()).size(), std::size_t{at == 6 ? 1u : 0u});
        }
    }

    void aWriteCanBeCutInside() {
        const TemporaryDir dir;
        std::string seenInside;
        TraceHooks hooks;
        hooks.splitWrite = [](const FileCall& call) { return call.operation == "write"; };
        hooks.inside = [&](const FileCall&) {
            seenInside = readText(posixFileSystem(), dir.file("a.tmp"));
        };
        const auto files = traceFileSystem(posixFileSystem(), nullptr, hooks);
        writeAtomically(*files, dir.file("a"), std::string_view("123456"));
        QCOMPARE(seenInside, std::string("123"));
        QCOMPARE(readText(posixFileSystem(), dir.file("a")), std::string("123456"));
    }
};

QTEST_APPLESS_MAIN(TraceFileSystemTest)
#include "trace_file_system_test.moc"
