#include "core/base/file_system.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "core/base/text.h"

namespace receiptbench {
namespace {

constexpr int kMostTemporaries = 1000;

// Not strerror: that follows the locale.
std::string describe(const std::string& operation, int errorNumber) {
    if (errorNumber == ELOOP) {
        return "it is a symbolic link, which is not followed";
    }
    if ((operation == "open" || operation == "replace") && errorNumber == EINVAL) {
        return "it is not a regular file";
    }
    if (operation == "read" && errorNumber == ENODATA) {
        return "the file is shorter than expected";
    }
    const char* text = strerrordesc_np(errorNumber);
    const char* name = strerrorname_np(errorNumber);
    return fmt::format("{} ({})", text != nullptr ? text : "unknown error",
                       name != nullptr ? name : fmt::format("errno {}", errorNumber));
}

std::string remedy(int errorNumber) {
    switch (errorNumber) {
        case ENOSPC:
        case EDQUOT:
            return "free some space on that disk, or choose a folder on another one";
        case EACCES:
        case EPERM:
        case EROFS:
            return "choose a folder that this user may write to, or change its permissions";
        case ENOENT:
        case ENOTDIR:
            return "check the spelling of the path";
        case ELOOP:
        case EISDIR:
            return "move it away, or name another file";
        case EEXIST:
            return "choose another name, or move the existing file away";
        case EMFILE:
        case ENFILE:
            return "raise the limit of open files (ulimit -n)";
        default:
            return {};
    }
}

struct Temporary {
    std::string path;
    std::unique_ptr<WritableFile> file;
};

// An orphan of a crash may hold the first name: it is left alone.
Temporary createTemporary(FileSystem& files, const std::string& path) {
    for (int attempt = 1;; ++attempt) {
        const std::string candidate =
            attempt == 1 ? path + ".tmp" : fmt::format("{}.tmp-{}", path, attempt);
        try {
            return {candidate, files.createExclusive(candidate)};
        } catch (const FileError& error) {
            if (error.errorNumber() != EEXIST || attempt == kMostTemporaries) {
                throw;
            }
        }
    }
}

std::uint64_t checkedSize(const ReadableFile& file, const std::string& path, std::uint64_t limit) {
    const std::uint64_t size = file.size();
    if (size > limit) {
        throw Error(ErrorCode::Data, fmt::format("{}: {} bytes is more than the {} allowed here",
                                                 printable(path), size, limit));
    }
    return size;
}

}  // namespace

FileError::FileError(std::string operation, std::string path, int errorNumber)
    : Error(ErrorCode::Failed,
            fmt::format("cannot {} {}: {}", operation, printable(path),
                        describe(operation, errorNumber)),
            remedy(errorNumber)),
      operation_(std::move(operation)),
      path_(std::move(path)),
      errorNumber_(errorNumber) {}

std::string readText(FileSystem& files, const std::string& path, std::uint64_t limit) {
    const auto file = files.openRead(path);
    std::string text(checkedSize(*file, path, limit), '\0');
    file->read(0, std::as_writable_bytes(std::span(text)));
    return text;
}

std::vector<std::byte> readBytes(FileSystem& files, const std::string& path, std::uint64_t limit) {
    const auto file = files.openRead(path);
    std::vector<std::byte> bytes(checkedSize(*file, path, limit));
    file->read(0, bytes);
    return bytes;
}

void writeAtomicallyWith(FileSystem& files, const std::string& path,
                         const std::function<void(WritableFile&)>& fill, bool replace) {
    Temporary temporary = createTemporary(files, path);
    try {
        fill(*temporary.file);
        temporary.file->sync();
        temporary.file->close();
        if (replace) {
            files.renameReplace(temporary.path, path);
        } else {
            files.renameNoReplace(temporary.path, path);
        }
    } catch (...) {
        temporary.file.reset();
        try {
            files.remove(temporary.path);
        } catch (const Error&) {
            // The first failure is the one to tell.
        }
        throw;
    }
    files.syncDirectory(parentPath(path));
}

void writeAtomically(FileSystem& files, const std::string& path, std::span<const std::byte> bytes,
                     bool replace) {
    writeAtomicallyWith(
        files, path, [&](WritableFile& file) { file.write(bytes); }, replace);
}

void writeAtomically(FileSystem& files, const std::string& path, std::string_view text,
                     bool replace) {
    writeAtomically(files, path, std::as_bytes(std::span(text.data(), text.size())), replace);
}

std::string joinPath(std::string_view folder, std::string_view name) {
    if (folder.empty() || name.starts_with('/')) {
        return std::string(name);
    }
    if (name.empty()) {
        return std::string(folder);
    }
    std::string path(folder);
    if (path.back() != '/') {
        path += '/';
    }
    return path.append(name);
}

std::string parentPath(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') {
        path.remove_suffix(1);
    }
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) {
        return ".";
    }
    return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string baseName(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') {
        path.remove_suffix(1);
    }
    const std::size_t slash = path.rfind('/');
    return std::string(slash == std::string_view::npos || path == "/" ? path
                                                                      : path.substr(slash + 1));
}

}  // namespace receiptbench
