#include "core/data/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/base/text.h"
#include "core/data/decode.h"
#include "core/data/decode/image_codec.h"

namespace receiptbench {

namespace {

class OpenFile {
 public:
    // O_NONBLOCK: opening a named pipe must not wait for its writer.
    explicit OpenFile(const std::string& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
    ~OpenFile() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int descriptor() const { return descriptor_; }

 private:
    int descriptor_;
};

std::string errorText(int number) {
    return std::generic_category().message(number);
}

[[noreturn]] void throwOpenError(int number) {
    const bool missing =
        number == ENOENT || number == ENOTDIR || number == ELOOP || number == ENAMETOOLONG;
    throw DecodeError(missing ? RejectReason::Missing : RejectReason::Unreadable,
                      fmt::format("cannot be opened: {}", errorText(number)));
}

// Fewer bytes than asked for only at the end of the file.
std::size_t readUpTo(int descriptor, std::byte* into, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got = ::read(descriptor, into + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            throw DecodeError(RejectReason::Unreadable,
                              fmt::format("cannot be read: {}", errorText(errno)));
        }
        if (got == 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    return done;
}

void requireRegular(const OpenFile& file, struct stat& status) {
    if (file.descriptor() < 0 || ::fstat(file.descriptor(), &status) != 0) {
        throwOpenError(errno);
    }
    if (!S_ISREG(status.st_mode)) {
        throw DecodeError(RejectReason::NotAFile, S_ISDIR(status.st_mode)
                                                      ? "is a folder, not a file"
                                                      : "is not a regular file");
    }
}

constexpr std::size_t kStart = 4096;  // enough to tell what it is

}  // namespace

std::vector<std::byte> readImageFile(const std::string& path) {
    const OpenFile file(path);
    struct stat status {};
    requireRegular(file, status);
    const auto size = static_cast<std::size_t>(status.st_size);
    std::vector<std::byte> bytes(std::min(size, kStart));
    bytes.resize(readUpTo(file.descriptor(), bytes.data(), bytes.size()));
    codec::sniff(bytes);
    if (status.st_size > kMaxImageFileBytes) {
        throw DecodeError(
            RejectReason::TooLarge,
            fmt::format("the file has {}; at most {} are read", formatBytes(status.st_size),
                        formatBytes(kMaxImageFileBytes)));
    }
    const std::size_t start = bytes.size();
    bytes.resize(size);
    bytes.resize(start + readUpTo(file.descriptor(), bytes.data() + start, size - start));
    return bytes;
}

bool startsLikePicture(const std::string& path) {
    try {
        const OpenFile file(path);
        struct stat status {};
        requireRegular(file, status);
        std::vector<std::byte> bytes(kStart);
        bytes.resize(readUpTo(file.descriptor(), bytes.data(), bytes.size()));
        codec::sniff(bytes);
        return true;
    } catch (const DecodeError& error) {
        return error.reason() == RejectReason::UnsupportedFormat;
    }
}

std::string readTextFile(const std::string& path, std::size_t limit) {
    try {
        const OpenFile file(path);
        struct stat status {};
        requireRegular(file, status);
        if (static_cast<std::uint64_t>(status.st_size) > limit) {
            throw Error(ErrorCode::Data,
                        fmt::format("{} has {}; at most {} are read", printable(path),
                                    formatBytes(status.st_size),
                                    formatBytes(static_cast<std::int64_t>(limit))));
        }
        std::string text(static_cast<std::size_t>(status.st_size), '\0');
        text.resize(
            readUpTo(file.descriptor(), reinterpret_cast<std::byte*>(text.data()), text.size()));
        return text;
    } catch (const DecodeError& error) {
        const bool none =
            error.reason() == RejectReason::Missing || error.reason() == RejectReason::NotAFile;
        throw Error(none ? ErrorCode::Usage : ErrorCode::Data,
                    fmt::format("{}: {}", printable(path), error.what()),
                    "Give a manifest or a folder of photos.");
    }
}

}  // namespace receiptbench
