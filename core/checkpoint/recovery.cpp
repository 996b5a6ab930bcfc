// Which checkpoint a run continues from.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "core/base/text.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/info.h"
#include "core/checkpoint/retention.h"
#include "core/checkpoint/store.h"
#include "core/checkpoint/verify.h"

namespace receiptbench {
namespace {

struct Opened {
    CheckpointInfo info;
    TrainingState state;
};

void checkBelongs(const Manifest& manifest, const std::string& file,
                  const std::string& contractHash) {
    const auto name = parseCheckpointName(file);
    if (name && *name != manifest.name) {
        throw Error(
            ErrorCode::Data,
            fmt::format("it is named generation {} step {}, but holds generation {} step {}",
                        name->generation, name->step, manifest.name.generation,
                        manifest.name.step));
    }
    if (!contractHash.empty() && manifest.contractHash != contractHash) {
        throw Error(ErrorCode::Data,
                    fmt::format("it belongs to the contract {}, this run to {}",
                                printable(manifest.contractHash), contractHash),
                    "resume it in the project that it was trained in");
    }
}

CheckpointInfo infoOf(const VerifiedCheckpoint& verified, const std::string& path) {
    CheckpointInfo info;
    info.name = verified.manifest.name;
    info.path = path;
    info.digest = verified.digest;
    info.contractHash = verified.manifest.contractHash;
    info.parentDigest = verified.manifest.parentDigest;
    info.bytes = verified.file->size();
    for (const TensorSlot& slot : verified.header.tensors) {
        if (slot.name != format::kSealName) {
            addPart(info, slot.name, slot.end - slot.begin);
        }
    }
    finishParts(info);
    return info;
}

Opened open(FileSystem& files, const std::string& path, const std::string& contractHash) {
    const VerifiedCheckpoint verified = verifyCheckpoint(files, path);
    checkBelongs(verified.manifest, baseName(path), contractHash);
    return {infoOf(verified, path), loadVerified(verified)};
}

// Says something about this process, not about the file: taking an older checkpoint would be wrong.
bool isOurShortage(const Error& error) {
    const auto* fileError = dynamic_cast<const FileError*>(&error);
    return fileError != nullptr &&
           (fileError->errorNumber() == EMFILE || fileError->errorNumber() == ENFILE ||
            fileError->errorNumber() == ENOMEM);
}

void removeTemporaries(FileSystem& files, const std::string& folder,
                       const std::vector<std::string>& names, Recovery& recovery) {
    for (const std::string& name : names) {
        try {
            files.remove(joinPath(folder, name));
            recovery.removedTemporaries.push_back(name);
        } catch (const FileError&) {
            recovery.untouched.push_back(name);  // a read-only folder can still be resumed from
        }
    }
}

}  // namespace

TrainingState openCheckpoint(FileSystem& files, const std::string& path,
                             const std::string& contractHash, CheckpointInfo* info) {
    try {
        Opened opened = open(files, path, contractHash);
        if (info != nullptr) {
            *info = std::move(opened.info);
        }
        return std::move(opened.state);
    } catch (const FileError& error) {
        throw Error(ErrorCode::Data, error.what(), error.hint());
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("{}: {}", printable(path), error.what()),
                    error.hint());
    }
}

Recovery recoverCheckpoint(FileSystem& files, const std::string& folder,
                           const std::string& contractHash, bool removeTemporaryFiles) {
    Recovery recovery;
    if (!files.exists(folder)) {
        return recovery;
    }
    std::vector<CheckpointName> finals;
    std::vector<std::string> temporaries;
    for (const DirectoryEntry& entry : files.list(folder)) {
        if (const auto name = parseCheckpointName(entry.name)) {
            finals.push_back(*name);
        } else if (entry.kind == EntryKind::File && isTemporaryCheckpoint(entry.name)) {
            temporaries.push_back(entry.name);
        } else {
            recovery.untouched.push_back(entry.name);
        }
    }
    std::sort(finals.rbegin(), finals.rend());
    for (const CheckpointName& name : finals) {
        try {
            Opened opened = open(files, joinPath(folder, fileName(name)), contractHash);
            recovery.chosen = std::move(opened.info);
            recovery.state = std::move(opened.state);
            break;
        } catch (const Error& error) {
            if (isOurShortage(error)) {
                throw;
            }
            recovery.rejected.push_back({fileName(name), error.what()});
        }
    }
    if (recovery.chosen && removeTemporaryFiles) {
        removeTemporaries(files, folder, temporaries, recovery);
    }
    return recovery;
}

}  // namespace receiptbench
