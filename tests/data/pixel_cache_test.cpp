#include "core/data/pixel_cache.h"

#include <fstream>

#include "core/base/hash.h"
#include "core/base/trace_file_system.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_dir.h"

using namespace receiptbench;

namespace {

constexpr std::int64_t kHeight = 5, kWidth = 7;

Image numbered(int number) {
    Image image{kWidth, kHeight, {}};
    for (int i = 0; i < kWidth * kHeight * 3; ++i) {
        image.rgb.push_back(static_cast<std::uint8_t>(i * 7 + number * 31));
    }
    return image;
}

std::string writeCache(FileSystem& files, const std::string& path, int count) {
    PixelCacheWriter writer(files, path, kHeight, kWidth);
    for (int i = 0; i < count; ++i) {
        writer.add(numbered(i));
    }
    return writer.finish();
}

std::string contentOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void store(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

// Refused at opening, or found by verify.
bool isFound(const std::string& path) {
    try {
        return !PixelCache(path).verify();
    } catch (const Error& error) {
        return std::string(error.what()).find(path) != std::string::npos;
    }
}

}  // namespace

class PixelCacheTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void whatIsWrittenIsRead() {
        const TemporaryDir folder;
        const std::string digest = writeCache(posixFileSystem(), folder.file("a.pixels"), 3);
        const PixelCache cache(folder.file("a.pixels"));
        QCOMPARE(cache.size(), 3);
        QCOMPARE(cache.height(), kHeight);
        QCOMPARE(cache.width(), kWidth);
        QCOMPARE(cache.digest(), digest);
        QVERIFY(cache.verify());
        Sha256 hash;
        for (int i = 0; i < 3; ++i) {
            const Image expected = numbered(i);
            const auto pixels = cache.pixels(i);
            QVERIFY(
                std::equal(pixels.begin(), pixels.end(), expected.rgb.begin(), expected.rgb.end()));
            hash.update(std::as_bytes(std::span(expected.rgb)));
        }
        QCOMPARE(hash.finishHex(), digest);
        EXPECT_ERROR(cache.pixels(3), ErrorCode::Failed, "not 3");
        EXPECT_ERROR(cache.pixels(-1), ErrorCode::Failed, "not -1");
    }

    void releasedPixelsStayValid() {
        const TemporaryDir folder;
        writeCache(posixFileSystem(), folder.file("a.pixels"), 200);
        const PixelCache cache(folder.file("a.pixels"));
        for (int i = 0; i < 200; ++i) {
            const auto pixels = cache.pixels(i);
            cache.release(i);
            QVERIFY(std::equal(pixels.begin(), pixels.end(), numbered(i).rgb.begin()));
        }
    }

    void anEmptyCacheIsComplete() {
        const TemporaryDir folder;
        writeCache(posixFileSystem(), folder.file("a.pixels"), 0);
        QCOMPARE(PixelCache(folder.file("a.pixels")).size(), 0);
    }

    void everyAlteredByteIsFound() {
        const TemporaryDir folder;
        const std::string path = folder.file("a.pixels");
        writeCache(posixFileSystem(), path, 2);
        const std::string good = contentOf(path);
        QVERIFY(!isFound(path));
        for (std::size_t at = 0; at < good.size(); at += at < 64 || at > 4090 ? 1 : 97) {
            std::string bad = good;
            bad[at] = static_cast<char>(bad[at] ^ 0x10);
            store(path, bad);
            QVERIFY2(isFound(path), std::to_string(at).c_str());
        }
    }

    void aShortenedFileIsRefused() {
        const TemporaryDir folder;
        const std::string path = folder.file("a.pixels");
        writeCache(posixFileSystem(), path, 2);
        const std::string good = contentOf(path);
        for (const std::size_t length : {good.size() - 1, good.size() - 64, std::size_t{4096},
                                         std::size_t{5}, std::size_t{0}}) {
            store(path, good.substr(0, length));
            EXPECT_ERROR(PixelCache(path), ErrorCode::Data, path);
        }
        store(path, good + "x");
        EXPECT_ERROR(PixelCache(path), ErrorCode::Data, path);
    }

    void onlyRegularFilesAreOpened() {
        const TemporaryDir folder;
        writeCache(posixFileSystem(), folder.file("a.pixels"), 1);
        std::filesystem::create_symlink(folder.file("a.pixels"), folder.file("link"));
        EXPECT_ERROR(PixelCache(folder.file("link")), ErrorCode::Failed, "link");
        EXPECT_ERROR(PixelCache(folder.path()), ErrorCode::Data, "regular");
        EXPECT_ERROR(PixelCache(folder.file("missing")), ErrorCode::Failed, "missing");
    }

    void wrongSizesAreRefused() {
        const TemporaryDir folder;
        PixelCacheWriter writer(posixFileSystem(), folder.file("a.pixels"), kHeight, kWidth);
        Image turned = numbered(0);
        std::swap(turned.width, turned.height);
        EXPECT_ERROR(writer.add(turned), ErrorCode::Failed, "does not fit");
        EXPECT_ERROR(PixelCacheWriter(posixFileSystem(), folder.file("b"), 0, 5), ErrorCode::Usage,
                     "0x5");
    }

    void anotherFileIsNeverReplaced() {
        const TemporaryDir folder;
        store(folder.file("a.pixels"), "precious");
        EXPECT_ERROR(writeCache(posixFileSystem(), folder.file("a.pixels"), 1), ErrorCode::Failed,
                     "a.pixels");
        QCOMPARE(contentOf(folder.file("a.pixels")), std::string("precious"));
        QCOMPARE(posixFileSystem().list(folder.path()).size(), std::size_t{1});
    }

    void aFailureAtAnyCallLeavesNothingHalf() {
        std::vector<FileCall> tape;
        const TemporaryDir first;
        const auto traced = traceFileSystem(posixFileSystem(), &tape);
        writeCache(*traced, first.file("a.pixels"), 2);
        QVERIFY(tape.size() >= 8);
        const auto syncs = std::count_if(tape.begin(), tape.end(), [](const FileCall& call) {
            return call.operation.starts_with("sync");
        });
        QCOMPARE(syncs, 2);
        for (std::size_t fail = 1; fail <= tape.size(); ++fail) {
            const TemporaryDir folder;
            TraceHooks hooks;
            hooks.before = [&](const FileCall& call) {
                if (call.index == static_cast<std::int64_t>(fail)) {
                    throw FileError(call.operation, call.path, 28);
                }
            };
            const auto failing = traceFileSystem(posixFileSystem(), nullptr, hooks);
            EXPECT_ERROR(writeCache(*failing, folder.file("a.pixels"), 2), ErrorCode::Failed, "");
            for (const DirectoryEntry& entry : posixFileSystem().list(folder.path())) {
                // Only the last call, the directory's sync, comes after the rename.
                QVERIFY2(entry.name == "a.pixels" && fail == tape.size(), entry.name.c_str());
            }
        }
    }

    void anAbandonedWriterLeavesNothing() {
        const TemporaryDir folder;
        {
            PixelCacheWriter(posixFileSystem(), folder.file("a.pixels"), kHeight, kWidth)
                .add(numbered(1));
        }
        QVERIFY(posixFileSystem().list(folder.path()).empty());
    }
};

QTEST_APPLESS_MAIN(PixelCacheTest)
#include "pixel_cache_test.moc"
