#include "core/data/pixel_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <tuple>

#include "core/base/hash.h"
#include "core/base/text.h"

namespace receiptbench {
namespace {

constexpr std::string_view kMagic = "RBPIXEL1", kEnd = "RBPIXEND";
constexpr std::uint64_t kHeaderBytes = 4096, kTrailerBytes = 64, kUsedHeader = 16,
                        kUsedTrailer = 48;
constexpr std::int64_t kLargestSide = 16384;
constexpr int kMostTemporaries = 1000;

void putLittle(std::byte* target, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
        target[i] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
    }
}

std::uint64_t getLittle(const std::uint8_t* source, int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
        value |= std::uint64_t{source[i]} << (8 * i);
    }
    return value;
}

void putText(std::byte* target, std::string_view text) {
    std::memcpy(target, text.data(), text.size());
}

std::pair<std::string, std::unique_ptr<WritableFile>> createTemporary(FileSystem& files,
                                                                      const std::string& path) {
    for (int attempt = 1;; ++attempt) {
        std::string candidate = path + (attempt == 1 ? ".tmp" : fmt::format(".tmp-{}", attempt));
        try {
            auto file = files.createExclusive(candidate);
            return {std::move(candidate), std::move(file)};
        } catch (const FileError& error) {
            if (error.errorNumber() != EEXIST || attempt == kMostTemporaries) {
                throw;
            }
        }
    }
}

}  // namespace

struct PixelCacheWriter::State {
    FileSystem& files;
    std::string path, temporary;
    std::int64_t height, width;
    std::unique_ptr<WritableFile> file = nullptr;
    std::uint64_t count = 0;
    Sha256 hash{};
    bool published = false;

    ~State() {
        if (published) {
            return;
        }
        file.reset();
        try {
            files.remove(temporary);
        } catch (const Error&) {
            // The failure that led here is the one to tell.
        }
    }
};

PixelCacheWriter::PixelCacheWriter(FileSystem& files, std::string path, std::int64_t height,
                                   std::int64_t width) {
    if (height < 1 || width < 1 || height > kLargestSide || width > kLargestSide) {
        throw Error(ErrorCode::Usage,
                    fmt::format("{}x{} is no image size for a pixel cache", height, width),
                    fmt::format("choose sides between 1 and {}", kLargestSide));
    }
    auto [temporary, file] = createTemporary(files, path);
    state_.reset(
        new State{files, std::move(path), std::move(temporary), height, width, std::move(file)});
    std::array<std::byte, kHeaderBytes> header{};
    putText(header.data(), kMagic);
    putLittle(header.data() + 8, static_cast<std::uint64_t>(height), 4);
    putLittle(header.data() + 12, static_cast<std::uint64_t>(width), 4);
    state_->file->write(header);
}

PixelCacheWriter::~PixelCacheWriter() = default;

void PixelCacheWriter::add(const Image& image) {
    const auto bytes = static_cast<std::size_t>(state_->height * state_->width * 3);
    if (image.height != state_->height || image.width != state_->width ||
        image.rgb.size() != bytes) {
        throw Error(ErrorCode::Failed,
                    fmt::format("an image of {}x{} ({} bytes) does not fit a pixel cache of {}x{}",
                                image.height, image.width, image.rgb.size(), state_->height,
                                state_->width));
    }
    const auto pixels = std::as_bytes(std::span(image.rgb));
    state_->file->write(pixels);
    state_->hash.update(pixels);
    ++state_->count;
}

std::string PixelCacheWriter::finish() {
    const Sha256Digest digest = state_->hash.finish();
    std::array<std::byte, kTrailerBytes> trailer{};
    putText(trailer.data(), kEnd);
    putLittle(trailer.data() + 8, state_->count, 8);
    std::memcpy(trailer.data() + 16, digest.data(), digest.size());
    state_->file->write(trailer);
    state_->file->sync();
    state_->file->close();
    state_->files.renameNoReplace(state_->temporary, state_->path);
    state_->published = true;
    state_->files.syncDirectory(parentPath(state_->path));
    return toHex(digest);
}

struct PixelCache::State {
    std::string path;
    const std::uint8_t* mapping = nullptr;
    std::size_t bytes = 0;
    std::int64_t count = 0, height = 0, width = 0;
    std::string digest;

    ~State() {
        if (mapping != nullptr) {
            munmap(const_cast<std::uint8_t*>(mapping), bytes);
        }
    }
    std::uint64_t imageBytes() const { return static_cast<std::uint64_t>(height * width * 3); }
    void dropPages(std::uint64_t begin, std::uint64_t end) const {
        const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        begin = begin / page * page;
        // The mapping is shared and read-only: this drops page table entries, never data.
        madvise(const_cast<std::uint8_t*>(mapping) + begin, end - begin, MADV_DONTNEED);
    }
};

namespace {

Error notACache(const std::string& path, const std::string& why) {
    return Error(ErrorCode::Data,
                 fmt::format("{} is no complete pixel cache: {}", printable(path), why),
                 "freeze the data again into a new project");
}

class Descriptor {
 public:
    explicit Descriptor(const std::string& path)
        : value_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
        if (value_ < 0) {
            throw FileError("open", path, errno);
        }
    }
    ~Descriptor() { close(value_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int value() const { return value_; }

 private:
    int value_;
};

bool allZero(const std::uint8_t* begin, const std::uint8_t* end) {
    return std::all_of(begin, end, [](std::uint8_t byte) { return byte == 0; });
}

bool startsWith(const std::uint8_t* bytes, std::string_view text) {
    return std::memcmp(bytes, text.data(), text.size()) == 0;
}

}  // namespace

PixelCache::PixelCache(const std::string& path) : state_(std::make_unique<State>()) {
    const Descriptor file(path);
    struct stat status {};
    if (fstat(file.value(), &status) != 0) {
        throw FileError("stat", path, errno);
    }
    if (!S_ISREG(status.st_mode)) {
        throw notACache(path, "it is not a regular file");
    }
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    if (bytes < kHeaderBytes + kTrailerBytes) {
        throw notACache(path, fmt::format("it has {} bytes only", bytes));
    }
    void* mapping = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.value(), 0);
    if (mapping == MAP_FAILED) {
        throw FileError("map", path, errno);
    }
    state_->path = path;
    state_->mapping = static_cast<const std::uint8_t*>(mapping);
    state_->bytes = bytes;
    const std::uint8_t* header = state_->mapping;
    const std::uint8_t* trailer = header + bytes - kTrailerBytes;
    if (!startsWith(header, kMagic) || !allZero(header + kUsedHeader, header + kHeaderBytes)) {
        throw notACache(path, "its header is damaged");
    }
    if (!startsWith(trailer, kEnd) || !allZero(trailer + kUsedTrailer, trailer + kTrailerBytes)) {
        throw notACache(path, "its end is missing or damaged");
    }
    state_->height = static_cast<std::int64_t>(getLittle(header + 8, 4));
    state_->width = static_cast<std::int64_t>(getLittle(header + 12, 4));
    if (state_->height < 1 || state_->width < 1 || state_->height > kLargestSide ||
        state_->width > kLargestSide) {
        throw notACache(path, fmt::format("its header names an image size of {}x{}", state_->height,
                                          state_->width));
    }
    const std::uint64_t count = getLittle(trailer + 8, 8),
                        data = bytes - kHeaderBytes - kTrailerBytes;
    if (data % state_->imageBytes() != 0 || data / state_->imageBytes() != count) {
        throw notACache(path, fmt::format("{} images of {}x{} do not make {} bytes", count,
                                          state_->height, state_->width, bytes));
    }
    state_->count = static_cast<std::int64_t>(count);
    state_->digest = toHex(std::span(trailer + 16, 32));
    // Ask for it now: it only fills the kernel's file cache, not this process.
    madvise(mapping, bytes, MADV_WILLNEED);
}

PixelCache::~PixelCache() = default;

std::int64_t PixelCache::size() const {
    return state_->count;
}
std::int64_t PixelCache::height() const {
    return state_->height;
}
std::int64_t PixelCache::width() const {
    return state_->width;
}
const std::string& PixelCache::digest() const {
    return state_->digest;
}

std::span<const std::uint8_t> PixelCache::pixels(std::int64_t index) const {
    if (index < 0 || index >= state_->count) {
        throw Error(ErrorCode::Failed,
                    fmt::format("{} holds images 0 to {}, not {}", printable(state_->path),
                                state_->count - 1, index));
    }
    const std::uint64_t offset =
        kHeaderBytes + static_cast<std::uint64_t>(index) * state_->imageBytes();
    return {state_->mapping + offset, state_->imageBytes()};
}

void PixelCache::release(std::int64_t index) const {
    const auto image = pixels(index);
    const auto begin = static_cast<std::uint64_t>(image.data() - state_->mapping);
    state_->dropPages(begin, begin + image.size());
}

bool PixelCache::verify() const {
    Sha256 hash{};
    for (std::int64_t index = 0; index < state_->count; ++index) {
        hash.update(std::as_bytes(pixels(index)));
        release(index);
    }
    return hash.finishHex() == state_->digest;
}

std::shared_ptr<const PixelCache> openVerified(const std::string& path) {
    using Identity = std::tuple<dev_t, ino_t, off_t, std::int64_t, std::int64_t>;
    static std::mutex mutex;
    static std::set<Identity> verified;
    auto cache = std::make_shared<const PixelCache>(path);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        throw FileError("stat", path, errno);
    }
    const Identity identity{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                            status.st_mtim.tv_nsec};
    const std::lock_guard lock(mutex);
    if (!verified.contains(identity)) {
        if (!cache->verify()) {
            throw Error(
                ErrorCode::Data,
                fmt::format("{}: the pixels have changed since they were frozen", printable(path)),
                "restore the file, or freeze the data again into a new project");
        }
        verified.insert(identity);
    }
    return cache;
}

}  // namespace receiptbench
