// Which checkpoint a run is continued, judged or bundled from. Each is the run's own: of its
// precision, and with the receipt that its ledger has for that update (else Error(Data)).
#pragma once

#include <string>

#include "core/checkpoint/store.h"
#include "core/contract/contract.h"
#include "core/runs/run_directory.h"

namespace receiptbench {

// Error(Data) when the run belongs to another contract.
void demandContract(const RunDescription& description, const LoadedContract& loaded);
// Error(NoCheckpoint) when none verifies: never silently from scratch.
Recovery newestCheckpoint(FileSystem& files, const std::string& runFolder,
                          const RunDescription& description, bool removeTemporaries = true);
// checkpoint: a file name in the run's folder, or a path.
Recovery namedCheckpoint(FileSystem& files, const std::string& runFolder,
                         const RunDescription& description, const std::string& checkpoint);
// The weights that the run's results are about: of a finished run those of its last update only,
// else Error(NoCheckpoint).
Recovery resultCheckpoint(FileSystem& files, const std::string& runFolder,
                          const RunDescription& description);

}  // namespace receiptbench
