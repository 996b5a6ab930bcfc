#include "core/checkpoint/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "core/base/text.h"
#include "core/checkpoint/encode.h"
#include "core/checkpoint/info.h"
#include "core/checkpoint/retention.h"
#include "core/checkpoint/verify.h"

namespace receiptbench {
namespace {

constexpr std::string_view kPrefix = "ckpt-g", kMiddle = "-s", kSuffix = ".safetensors";

// Disk full, with the figures that help.
class NoSpace final : public FileError {
 public:
    NoSpace(const FileError& cause, std::uint64_t needed, std::optional<std::uint64_t> free)
        : FileError(cause),
          text_(fmt::format("{}; the checkpoint needs {}{}", cause.what(), bytesText(needed),
                            free ? fmt::format(", {} are free", bytesText(*free)) : "")) {}
    const char* what() const noexcept override { return text_.c_str(); }

 private:
    static std::string bytesText(std::uint64_t bytes) {
        return formatBytes(static_cast<std::int64_t>(bytes));
    }
    std::string text_;
};

std::optional<std::uint64_t> freeBytesIfKnown(FileSystem& files, const std::string& folder) {
    try {
        return files.freeBytes(folder);
    } catch (const FileError&) {
        return std::nullopt;
    }
}

// The same state saved twice under one name (a stop right at a boundary) is one checkpoint, not an
// error.
bool isAlreadySaved(FileSystem& files, const std::string& path, const Sha256Digest& digest) {
    try {
        return verifyCheckpoint(files, path).digest == toHex(digest);
    } catch (const Error&) {
        return false;
    }
}

// Returns the digest of what is durable under the path afterwards.
Sha256Digest publish(FileSystem& files, const std::string& path,
                     const EncodedCheckpoint& checkpoint) {
    Sha256Digest digest{};
    try {
        writeAtomicallyWith(
            files, path, [&](WritableFile& file) { digest = writeSealed(file, checkpoint); },
            /*replace=*/false);
    } catch (const FileError& error) {
        if (error.errorNumber() == ENOSPC || error.errorNumber() == EDQUOT) {
            throw NoSpace(error, checkpoint.length, freeBytesIfKnown(files, parentPath(path)));
        }
        if (error.operation() != "rename" || error.errorNumber() != EEXIST ||
            !isAlreadySaved(files, path, digest)) {
            throw;
        }
        files.syncDirectory(parentPath(path));  // the earlier save may have failed just before this
    }
    return digest;
}

}  // namespace

std::string fileName(const CheckpointName& name) {
    return fmt::format("{}{:04}{}{:012}{}", kPrefix, name.generation, kMiddle, name.step, kSuffix);
}

std::optional<CheckpointName> parseCheckpointName(const std::string& file) {
    if (!file.starts_with(kPrefix) || !file.ends_with(kSuffix) ||
        file.size() < kPrefix.size() + kSuffix.size()) {
        return std::nullopt;
    }
    const std::string middle =
        file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size());
    const std::size_t at = middle.find(kMiddle);
    if (at == std::string::npos) {
        return std::nullopt;
    }
    const auto generation = parseInt(middle.substr(0, at)),
               step = parseInt(middle.substr(at + kMiddle.size()));
    if (!generation || !step || *generation < 0 || *step < 0) {
        return std::nullopt;
    }
    const CheckpointName name{*generation, *step};
    return fileName(name) == file ? std::optional(name) : std::nullopt;  // one spelling only
}

std::vector<CheckpointName> listCheckpoints(FileSystem& files, const std::string& folder) {
    std::vector<CheckpointName> names;
    if (!files.exists(folder)) {
        return names;
    }
    for (const DirectoryEntry& entry : files.list(folder)) {
        if (const auto name = parseCheckpointName(entry.name)) {
            names.push_back(*name);
        }
    }
    std::sort(names.rbegin(), names.rend());
    return names;
}

std::int64_t nextGeneration(FileSystem& files, const std::string& folder) {
    const auto names = listCheckpoints(files, folder);
    return names.empty() ? 1 : names.front().generation + 1;
}

CheckpointInfo saveCheckpoint(FileSystem& files, const std::string& folder,
                              const TrainingState& state, const SaveOptions& options) {
    if (options.generation < 1) {
        throw Error(ErrorCode::Usage,
                    fmt::format("checkpoint generation {} is below 1", options.generation));
    }
    const EncodedCheckpoint checkpoint = encodeCheckpoint(state, options);
    CheckpointInfo info;
    info.name = checkpoint.name;
    info.path = joinPath(folder, fileName(info.name));
    info.digest = toHex(publish(files, info.path, checkpoint));
    info.contractHash = options.contractHash;
    info.parentDigest = options.parentDigest;
    info.bytes = checkpoint.length;
    for (const HostTensor& tensor : state.tensors) {
        addPart(info, tensor.name, tensor.bytes.size());
    }
    finishParts(info);
    pruneCheckpoints(files, folder, info.name, options.keepNewest);
    return info;
}

}  // namespace receiptbench
