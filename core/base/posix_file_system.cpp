// The file system as Linux has it. EINTR is retried; errors of fsync and close are reported and
// never retried.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "core/base/file_system.h"

namespace receiptbench {
namespace {

// Links are not followed and a FIFO does not block, whatever an attacker put under the name.
constexpr int kSafeFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
constexpr mode_t kFileMode = 0644;

template <typename Call>
auto retrying(Call call) {
    auto result = call();
    while (result == -1 && errno == EINTR) {
        result = call();
    }
    return result;
}

class Descriptor {
 public:
    explicit Descriptor(int value) : value_(value) {}
    Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() {
        if (value_ >= 0) {
            ::close(value_);
        }
    }
    int get() const { return value_; }
    // Linux closes the descriptor even when it reports an error, so a retry could hit another file.
    int close() { return ::close(std::exchange(value_, -1)); }

 private:
    int value_;
};

Descriptor openFile(const char* operation, const std::string& path, int flags) {
    const int fd = retrying([&] { return ::open(path.c_str(), flags | kSafeFlags, kFileMode); });
    if (fd < 0) {
        throw FileError(operation, path, errno);
    }
    return Descriptor(fd);
}

struct stat statusOf(const char* operation, const std::string& path, int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) {
        throw FileError(operation, path, errno);
    }
    return status;
}

void requireRegular(const char* operation, const std::string& path, int fd) {
    const struct stat status = statusOf(operation, path, fd);
    if (!S_ISREG(status.st_mode)) {
        throw FileError(operation, path, S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
    }
}

// rename() would put a file in the place of a device, a pipe or a link, whoever named it.
void requireReplaceable(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) {
        return;  // what else is wrong with the name is said by the rename
    }
    throw FileError("replace", path,
                    S_ISLNK(status.st_mode)   ? ELOOP
                    : S_ISDIR(status.st_mode) ? EISDIR
                                              : EINVAL);
}

class PosixWritableFile final : public WritableFile {
 public:
    PosixWritableFile(Descriptor file, std::string path)
        : file_(std::move(file)), path_(std::move(path)) {}

    void write(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            const ssize_t written =
                retrying([&] { return ::write(file_.get(), bytes.data(), bytes.size()); });
            if (written < 0) {
                throw FileError("write", path_, errno);
            }
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        }
    }
    void sync() override {
        if (retrying([&] { return ::fsync(file_.get()); }) != 0) {
            throw FileError("sync", path_, errno);
        }
    }
    void close() override {
        if (file_.close() != 0) {
            throw FileError("close", path_, errno);
        }
    }

 private:
    Descriptor file_;
    std::string path_;
};

class PosixReadableFile final : public ReadableFile {
 public:
    PosixReadableFile(Descriptor file, std::string path, std::uint64_t size)
        : file_(std::move(file)), path_(std::move(path)), size_(size) {}

    std::uint64_t size() const override { return size_; }
    void read(std::uint64_t offset, std::span<std::byte> bytes) override {
        while (!bytes.empty()) {
            const ssize_t got = retrying([&] {
                return ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
            });
            if (got <= 0) {
                throw FileError("read", path_, got == 0 ? ENODATA : errno);
            }
            bytes = bytes.subspan(static_cast<std::size_t>(got));
            offset += static_cast<std::uint64_t>(got);
        }
    }

 private:
    Descriptor file_;
    std::string path_;
    std::uint64_t size_;
};

class PosixFileLock final : public FileLock {
 public:
    explicit PosixFileLock(Descriptor file) : file_(std::move(file)) {}

 private:
    Descriptor file_;
};

EntryKind kindOf(mode_t mode) {
    return S_ISREG(mode)   ? EntryKind::File
           : S_ISDIR(mode) ? EntryKind::Directory
           : S_ISLNK(mode) ? EntryKind::Link
                           : EntryKind::Other;
}

class PosixFileSystem final : public FileSystem {
 public:
    std::unique_ptr<WritableFile> createExclusive(const std::string& path) override {
        return std::make_unique<PosixWritableFile>(
            openFile("create", path, O_WRONLY | O_CREAT | O_EXCL), path);
    }

    std::unique_ptr<WritableFile> openAppend(const std::string& path) override {
        Descriptor file = openFile("open", path, O_WRONLY | O_CREAT | O_APPEND);
        requireRegular("open", path, file.get());
        return std::make_unique<PosixWritableFile>(std::move(file), path);
    }

    std::unique_ptr<ReadableFile> openRead(const std::string& path) override {
        Descriptor file = openFile("open", path, O_RDONLY);
        requireRegular("open", path, file.get());
        const auto size = statusOf("open", path, file.get()).st_size;
        return std::make_unique<PosixReadableFile>(std::move(file), path,
                                                   static_cast<std::uint64_t>(size));
    }

    void renameNoReplace(const std::string& from, const std::string& to) override {
        if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
            return;
        }
        if (errno != EINVAL && errno != ENOSYS) {
            throw FileError("rename", to, errno);
        }
        // Some network file systems lack the flag; a hard link refuses an existing name just as
        // well.
        if (::link(from.c_str(), to.c_str()) != 0) {
            throw FileError("rename", to, errno);
        }
        if (::unlink(from.c_str()) != 0) {
            throw FileError("remove", from, errno);
        }
    }

    void renameReplace(const std::string& from, const std::string& to) override {
        requireReplaceable(to);
        if (::rename(from.c_str(), to.c_str()) != 0) {
            throw FileError("rename", to, errno);
        }
    }

    void remove(const std::string& path) override {
        if (std::remove(path.c_str()) != 0) {  // a file, a link, or an empty directory
            throw FileError("remove", path, errno);
        }
    }

    void truncate(const std::string& path, std::uint64_t size) override {
        const Descriptor file = openFile("truncate", path, O_WRONLY);
        requireRegular("truncate", path, file.get());
        if (retrying([&] { return ::ftruncate(file.get(), static_cast<off_t>(size)); }) != 0) {
            throw FileError("truncate", path, errno);
        }
    }

    void makeDirectories(const std::string& path) override {
        if (path.empty() || ::mkdir(path.c_str(), 0755) == 0) {
            if (!path.empty()) {
                syncDirectory(parentPath(path));  // the new name survives a power cut
            }
            return;
        }
        const int first = errno;
        if (first == ENOENT && parentPath(path) != path) {
            makeDirectories(parentPath(path));
            if (::mkdir(path.c_str(), 0755) == 0) {
                syncDirectory(parentPath(path));
                return;
            }
        }
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0) {
            throw FileError("create the folder", path, first);
        }
        if (!S_ISDIR(status.st_mode)) {
            throw FileError("create the folder", path, ENOTDIR);
        }
    }

    void syncDirectory(const std::string& path) override {
        const int fd =
            retrying([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
        if (fd < 0) {
            throw FileError("sync the folder", path, errno);
        }
        const Descriptor folder(fd);
        // EINVAL: a file system on which directories cannot be synced, which is no failure.
        if (retrying([&] { return ::fsync(folder.get()); }) != 0 && errno != EINVAL) {
            throw FileError("sync the folder", path, errno);
        }
    }

    std::vector<DirectoryEntry> list(const std::string& path) override {
        const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
        if (folder == nullptr) {
            throw FileError("list", path, errno);
        }
        std::vector<DirectoryEntry> entries;
        for (errno = 0; const dirent* entry = ::readdir(folder.get()); errno = 0) {
            const std::string name = entry->d_name;
            struct stat status {};
            if (name == "." || name == "..") {
                continue;
            }
            if (::fstatat(::dirfd(folder.get()), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
                if (errno == ENOENT) {
                    continue;  // gone since
                }
                throw FileError("list", joinPath(path, name), errno);
            }
            entries.push_back(
                {name, kindOf(status.st_mode), static_cast<std::uint64_t>(status.st_size)});
        }
        if (errno != 0) {
            throw FileError("list", path, errno);
        }
        std::sort(entries.begin(), entries.end(),
                  [](const auto& left, const auto& right) { return left.name < right.name; });
        return entries;
    }

    bool exists(const std::string& path) override {
        struct stat status {};
        if (::lstat(path.c_str(), &status) == 0) {
            return true;
        }
        if (errno == ENOENT || errno == ENOTDIR) {
            return false;
        }
        throw FileError("look up", path, errno);
    }

    std::uint64_t freeBytes(const std::string& path) override {
        struct statvfs status {};
        if (retrying([&] { return ::statvfs(path.c_str(), &status); }) != 0) {
            throw FileError("ask for the free space of", path, errno);
        }
        return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
    }

    std::unique_ptr<FileLock> tryLock(const std::string& path) override {
        Descriptor file = openFile("lock", path, O_RDWR | O_CREAT);
        requireRegular("lock", path, file.get());
        struct flock whole {};
        whole.l_type = F_WRLCK;
        whole.l_whence = SEEK_SET;
        if (retrying([&] { return ::fcntl(file.get(), F_OFD_SETLK, &whole); }) == 0) {
            return std::make_unique<PosixFileLock>(std::move(file));
        }
        if (errno == EAGAIN || errno == EACCES) {
            return nullptr;
        }
        throw FileError("lock", path, errno);
    }
};

}  // namespace

FileSystem& posixFileSystem() {
    static PosixFileSystem files;
    return files;
}

}  // namespace receiptbench
