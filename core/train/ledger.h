// What must hold for every row of a run's ledger: train, verify and CI fail on a breach.
#pragma once

#include <cstdint>

#include "core/contract/contract.h"
#include "core/contract/update_record.h"

namespace receiptbench {

// attempted = applied + skipped; schedule steps = applied; accepted = the contract's examples per
// update, but for an epoch's last one where the contract says apply; microbatches and classes add
// up to it; the stream moved on by at least as much since positionBefore. Error(Failed) naming the
// update and what does not add up.
void checkLedger(const UpdateRecord& record, const ExperimentContract& contract,
                 std::int64_t positionBefore);

}  // namespace receiptbench
