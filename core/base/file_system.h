// The seam through which everything that must survive goes: checkpoints, contracts, the frozen set,
// run records. Passed in, never reached for. Thread rule: a FileSystem may be used from several
// threads, a file handle from one. Every failing call throws FileError naming operation, path and
// errno. Only regular files are opened or replaced; links are not followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace receiptbench {

class FileError : public Error {
 public:
    FileError(std::string operation, std::string path, int errorNumber);
    const std::string& operation() const { return operation_; }
    const std::string& path() const { return path_; }
    int errorNumber() const { return errorNumber_; }

 private:
    std::string operation_, path_;
    int errorNumber_;
};

class WritableFile {
 public:
    virtual ~WritableFile() = default;                         // closes, errors ignored
    virtual void write(std::span<const std::byte> bytes) = 0;  // all of them
    virtual void sync() = 0;                                   // fsync
    virtual void close() = 0;                                  // reports what close reports
};

class ReadableFile {
 public:
    virtual ~ReadableFile() = default;
    virtual std::uint64_t size() const = 0;
    // Reads exactly bytes.size() bytes at offset; throws FileError when the file is shorter.
    virtual void read(std::uint64_t offset, std::span<std::byte> bytes) = 0;
};

// Held until destroyed; freed by the kernel when the process dies.
class FileLock {
 public:
    virtual ~FileLock() = default;
};

enum class EntryKind { File, Directory, Link, Other };
struct DirectoryEntry {
    std::string name;
    EntryKind kind;
    std::uint64_t size;
};

class FileSystem {
 public:
    virtual ~FileSystem() = default;

    virtual std::unique_ptr<WritableFile> createExclusive(
        const std::string& path) = 0;  // fails if it exists
    virtual std::unique_ptr<WritableFile> openAppend(
        const std::string& path) = 0;  // creates when missing
    virtual std::unique_ptr<ReadableFile> openRead(
        const std::string& path) = 0;  // no-follow, regular files only
    virtual void renameNoReplace(const std::string& from, const std::string& to) = 0;
    virtual void renameReplace(const std::string& from, const std::string& to) = 0;
    virtual void remove(const std::string& path) = 0;
    virtual void truncate(const std::string& path, std::uint64_t size) = 0;
    virtual void makeDirectories(const std::string& path) = 0;
    virtual void syncDirectory(const std::string& path) = 0;
    virtual std::vector<DirectoryEntry> list(const std::string& path) = 0;  // sorted by name
    virtual bool exists(const std::string& path) = 0;
    virtual std::uint64_t freeBytes(const std::string& path) = 0;
    // Open-file-description lock on path (created when missing). nullptr when another process holds
    // it.
    virtual std::unique_ptr<FileLock> tryLock(const std::string& path) = 0;
};

// The real one.
FileSystem& posixFileSystem();

// Whole files through any FileSystem.
std::string readText(FileSystem& files, const std::string& path, std::uint64_t limit = 1ull << 30);
std::vector<std::byte> readBytes(FileSystem& files, const std::string& path,
                                 std::uint64_t limit = 8ull << 30);
// Temporary beside it -> write -> fsync -> rename -> fsync(directory); the temporary is unlinked on
// failure.
void writeAtomically(FileSystem& files, const std::string& path, std::span<const std::byte> bytes,
                     bool replace = true);
void writeAtomically(FileSystem& files, const std::string& path, std::string_view text,
                     bool replace = true);

// The same for content that is written in pieces: `fill` writes, the rest is done here.
void writeAtomicallyWith(FileSystem& files, const std::string& path,
                         const std::function<void(WritableFile&)>& fill, bool replace = true);

// "a/b" + "c" -> "a/b/c"; parent of "a/b/c" is "a/b".
std::string joinPath(std::string_view folder, std::string_view name);
std::string parentPath(std::string_view path);
std::string baseName(std::string_view path);

}  // namespace receiptbench
