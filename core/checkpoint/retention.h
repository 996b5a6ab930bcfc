// Which checkpoints may go once a newer one is safe.
#pragma once

#include <string>
#include <vector>

#include "core/base/file_system.h"
#include "core/checkpoint/store.h"

namespace receiptbench {

struct StoredCheckpoint {
    CheckpointName name;
    bool sealed = false;  // has a seal of the right length
};

// The ones older than `saved` beyond the keepNewest newest sealed ones, `saved` included. Only
// sealed files count: one that lost its seal cannot stand in for an older one that has it.
// keepNewest < 1 keeps everything. What is newer than `saved` is not superseded by it.
std::vector<CheckpointName> superseded(std::vector<StoredCheckpoint> stored,
                                       const CheckpointName& saved, int keepNewest);

// Removes the superseded files and the temporaries that crashes left. Called after `saved` is
// durable. What cannot be removed stays for the next time: a full or failing disk must not turn a
// finished save into a failed one.
void pruneCheckpoints(FileSystem& files, const std::string& folder, const CheckpointName& saved,
                      int keepNewest);

// A temporary of this folder's own saves: ckpt-....safetensors.tmp or .tmp-<number>.
bool isTemporaryCheckpoint(const std::string& file);

}  // namespace receiptbench
