#include <QtTest>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include "core/base/file_system.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_dir.h"

using namespace receiptbench;

namespace {

std::span<const std::byte> bytesOf(std::string_view text) {
    return std::as_bytes(std::span(text));
}

int errorOf(const std::function<void()>& call) {
    try {
        call();
    } catch (const FileError& error) {
        return error.errorNumber();
    }
    return 0;
}

}  // namespace

class FileSystemTest : public QObject {
    Q_OBJECT
    FileSystem& files_ = posixFileSystem();

 private Q_SLOTS:
    void createIsExclusive() {
        const TemporaryDir dir;
        const auto file = files_.createExclusive(dir.file("a"));
        file->write(bytesOf("hello"));
        file->sync();
        file->close();
        QCOMPARE(readText(files_, dir.file("a")), std::string("hello"));
        QCOMPARE(errorOf([&] { files_.createExclusive(dir.file("a")); }), EEXIST);
        ::symlink(dir.file("nowhere").c_str(), dir.file("link").c_str());
        QCOMPARE(errorOf([&] { files_.createExclusive(dir.file("link")); }), EEXIST);
        QVERIFY(!files_.exists(dir.file("nowhere")));
    }

    void errorsNameOperationPathAndReason() {
        try {
            files_.openRead("/nonexistent/x");
            QFAIL("opened");
        } catch (const FileError& error) {
            QCOMPARE(error.operation(), std::string("open"));
            QCOMPARE(error.path(), std::string("/nonexistent/x"));
            QCOMPARE(error.errorNumber(), ENOENT);
            QCOMPARE(std::string(error.what()),
                     std::string("cannot open /nonexistent/x: No such file or directory (ENOENT)"));
            QVERIFY(!error.hint().empty());
        }
    }

    void onlyRegularFilesAreRead() {
        const TemporaryDir dir;
        writeAtomically(files_, dir.file("a"), std::string_view("x"));
        ::symlink("a", dir.file("link").c_str());
        ::mkfifo(dir.file("fifo").c_str(), 0600);
        QCOMPARE(errorOf([&] { files_.openRead(dir.file("link")); }), ELOOP);
        QCOMPARE(errorOf([&] { files_.openRead(dir.file("fifo")); }), EINVAL);  // and does not hang
        QCOMPARE(errorOf([&] { files_.openRead(dir.path()); }), EISDIR);
        QCOMPARE(errorOf([&] { files_.openAppend(dir.file("link")); }), ELOOP);
        QVERIFY(errorOf([&] { files_.openRead("/dev/null"); }) != 0);
    }

    void readingPastTheEndIsAnError() {
        const TemporaryDir dir;
        writeAtomically(files_, dir.file("a"), std::string_view("12345"));
        const auto file = files_.openRead(dir.file("a"));
        QCOMPARE(file->size(), std::uint64_t{5});
        std::array<std::byte, 3> part;
        file->read(2, part);
        QCOMPARE(std::to_integer<char>(part[0]), '3');
        EXPECT_ERROR(file->read(3, part), ErrorCode::Failed, "shorter");
        EXPECT_ERROR(readText(files_, dir.file("a"), 4), ErrorCode::Data, "5 bytes");
    }

    void appendAndTruncate() {
        const TemporaryDir dir;
        files_.openAppend(dir.file("log"))->write(bytesOf("one\n"));
        files_.openAppend(dir.file("log"))->write(bytesOf("two\n"));
        QCOMPARE(readText(files_, dir.file("log")), std::string("one\ntwo\n"));
        files_.truncate(dir.file("log"), 4);
        QCOMPARE(readText(files_, dir.file("log")), std::string("one\n"));
    }

    void renames() {
        const TemporaryDir dir;
        writeAtomically(files_, dir.file("a"), std::string_view("a"));
        writeAtomically(files_, dir.file("b"), std::string_view("b"));
        QCOMPARE(errorOf([&] { files_.renameNoReplace(dir.file("a"), dir.file("b")); }), EEXIST);
        QCOMPARE(readText(files_, dir.file("b")), std::string("b"));
        files_.renameNoReplace(dir.file("a"), dir.file("c"));
        files_.renameReplace(dir.file("c"), dir.file("b"));
        QCOMPARE(readText(files_, dir.file("b")), std::string("a"));
        QVERIFY(!files_.exists(dir.file("a")) && !files_.exists(dir.file("c")));
    }

    // A rename puts a file in the place of a device, a pipe or a link without a word.
    void onlyRegularFilesAreReplaced() {
        const TemporaryDir dir;
        writeAtomically(files_, dir.file("mine"), std::string_view("mine"));
        ::symlink("mine", dir.file("link").c_str());
        ::mkfifo(dir.file("pipe").c_str(), 0600);
        files_.makeDirectories(dir.file("folder"));
        const auto before = files_.list(dir.path());
        for (const auto& [name, number] :
             {std::pair{"link", ELOOP}, {"pipe", EINVAL}, {"folder", EISDIR}}) {
            const auto path = dir.file(name);
            QCOMPARE(errorOf([&] { writeAtomically(files_, path, std::string_view("new")); }),
                     number);
            EXPECT_ERROR(writeAtomically(files_, path, std::string_view("new")), ErrorCode::Failed,
                         name);
        }
        const auto after = files_.list(dir.path());  // no temporary either
        QCOMPARE(after.size(), before.size());
        for (std::size_t i = 0; i < after.size(); ++i) {
            QVERIFY(after[i].name == before[i].name && after[i].kind == before[i].kind);
        }
        QCOMPARE(readText(files_, dir.file("mine")), std::string("mine"));
    }

    void foldersAndListing() {
        const TemporaryDir dir;
        files_.makeDirectories(dir.file("x/y/z"));
        files_.makeDirectories(dir.file("x/y/z"));
        writeAtomically(files_, dir.file("x/b"), std::string_view("123"));
        ::symlink("b", dir.file("x/a").c_str());
        const auto entries = files_.list(dir.file("x"));
        QCOMPARE(entries.size(), std::size_t{3});
        QVERIFY(entries[0].name == "a" && entries[0].kind == EntryKind::Link);
        QVERIFY(entries[1].name == "b" && entries[1].kind == EntryKind::File &&
                entries[1].size == 3);
        QVERIFY(entries[2].name == "y" && entries[2].kind == EntryKind::Directory);
        QCOMPARE(errorOf([&] { files_.makeDirectories(dir.file("x/b/c")); }), ENOTDIR);
        QCOMPARE(errorOf([&] { files_.list(dir.file("none")); }), ENOENT);
        files_.remove(dir.file("x/y/z"));
        QVERIFY(!files_.exists(dir.file("x/y/z")));
        QVERIFY(files_.freeBytes(dir.path()) > 0);
    }

    void lockExcludesOthersAndDiesWithItsOwner() {
        const TemporaryDir dir;
        auto lock = files_.tryLock(dir.file("lock"));
        QVERIFY(lock != nullptr);
        QVERIFY(files_.tryLock(dir.file("lock")) == nullptr);
        lock.reset();
        const pid_t child = ::fork();
        if (child == 0) {  // takes the lock and dies without releasing it
            ::_exit(files_.tryLock(dir.file("lock")).release() != nullptr ? 0 : 1);
        }
        int status = -1;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
        QVERIFY(files_.tryLock(dir.file("lock")) != nullptr);
    }

    void atomicWriteLeavesNothingOnFailure() {
        const TemporaryDir dir;
        writeAtomically(files_, dir.file("a"), std::string_view("old"));
        const auto fail = [&] {
            writeAtomicallyWith(files_, dir.file("a"), [](WritableFile& file) {
                file.write(bytesOf("half"));
                throw FileError("write", "a", ENOSPC);
            });
        };
        QCOMPARE(errorOf(fail), ENOSPC);
        QCOMPARE(readText(files_, dir.file("a")), std::string("old"));
        QCOMPARE(files_.list(dir.path()).size(), std::size_t{1});
        QCOMPARE(errorOf([&] {
                     writeAtomically(files_, dir.file("a"), std::string_view("new"), false);
                 }),
                 EEXIST);
        QCOMPARE(files_.list(dir.path()).size(), std::size_t{1});
        // An orphan of an earlier crash is left alone and does not block.
        std::ofstream(dir.file("a.tmp")) << "orphan";
        writeAtomically(files_, dir.file("a"), std::string_view("new"));
        QCOMPARE(readText(files_, dir.file("a")), std::string("new"));
        QCOMPARE(readText(files_, dir.file("a.tmp")), std::string("orphan"));
    }

    void fullDiskIsReported() {
        // Played with a file size limit, since the seam opens no devices (/dev/full).
        const TemporaryDir dir;
        const pid_t child = ::fork();
        if (child == 0) {
            ::signal(SIGXFSZ, SIG_IGN);
            const struct rlimit limit { 4096, 4096 };
            ::setrlimit(RLIMIT_FSIZE, &limit);
            const std::string big(10000, 'x');
            const int error =
                errorOf([&] { writeAtomically(files_, dir.file("a"), std::string_view(big)); });
            ::_exit(error == EFBIG ? 0 : 1);
        }
        int status = -1;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
        QVERIFY(files_.list(dir.path()).empty());
    }

    void paths() {
        QCOMPARE(joinPath("a/b", "c"), std::string("a/b/c"));
        QCOMPARE(joinPath("a/", "c"), std::string("a/c"));
        QCOMPARE(joinPath("", "c"), std::string("c"));
        QCOMPARE(parentPath("a/b/c"), std::string("a/b"));
        QCOMPARE(parentPath("a"), std::string("."));
        QCOMPARE(parentPath("/a"), std::string("/"));
        QCOMPARE(parentPath("a/b/"), std::string("a"));
        QCOMPARE(baseName("a/b/"), std::string("b"));
        QCOMPARE(baseName("x"), std::string("x"));
        QCOMPARE(baseName("/"), std::string("/"));
    }
};

QTEST_APPLESS_MAIN(FileSystemTest)
#include "file_system_test.moc"
