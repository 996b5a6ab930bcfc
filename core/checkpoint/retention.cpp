#include "core/checkpoint/retention.h"

#include <algorithm>
#include <string_view>

#include "core/checkpoint/seal.h"

namespace receiptbench {
namespace {

bool hasSeal(FileSystem& files, const std::string& path) {
    try {
        readSeal(*files.openRead(path));
        return true;
    } catch (const Error&) {
        return false;
    }
}

void removeIfPossible(FileSystem& files, const std::string& path) {
    try {
        files.remove(path);
    } catch (const FileError&) {
        // Tried again after the next save.
    }
}

}  // namespace

bool isTemporaryCheckpoint(const std::string& file) {
    constexpr std::string_view kSuffix = ".tmp";
    const std::size_t at = file.rfind(kSuffix);
    if (at == std::string::npos || !parseCheckpointName(file.substr(0, at))) {
        return false;
    }
    const std::string_view rest = std::string_view(file).substr(at + kSuffix.size());
    return rest.empty() || (rest.size() > 1 && rest[0] == '-' &&
                            rest.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

std::vector<CheckpointName> superseded(std::vector<StoredCheckpoint> stored,
                                       const CheckpointName& saved, int keepNewest) {
    std::sort(stored.begin(), stored.end(),
              [](const auto& left, const auto& right) { return left.name > right.name; });
    std::vector<CheckpointName> result;
    int kept = 1;  // saved itself
    for (const StoredCheckpoint& checkpoint : stored) {
        if (checkpoint.name >= saved || keepNewest < 1) {
            continue;
        }
        if (kept >= keepNewest) {
            result.push_back(checkpoint.name);
        } else if (checkpoint.sealed) {
            ++kept;
        }
    }
    return result;
}

void pruneCheckpoints(FileSystem& files, const std::string& folder, const CheckpointName& saved,
                      int keepNewest) {
    std::vector<DirectoryEntry> entries;
    try {
        entries = files.list(folder);
    } catch (const FileError&) {
        return;
    }
    std::vector<StoredCheckpoint> stored;
    for (const DirectoryEntry& entry : entries) {
        if (entry.kind != EntryKind::File) {
            continue;
        }
        const std::string path = joinPath(folder, entry.name);
        if (const auto name = parseCheckpointName(entry.name)) {
            stored.push_back({*name, *name < saved && hasSeal(files, path)});
        } else if (isTemporaryCheckpoint(entry.name)) {
            removeIfPossible(files, path);
        }
    }
    for (const CheckpointName& name : superseded(std::move(stored), saved, keepNewest)) {
        removeIfPossible(files, joinPath(folder, fileName(name)));
    }
}

}  // namespace receiptbench
