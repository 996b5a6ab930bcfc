// Tells an allocation that the budget refused from every other failure.
#pragma once

#include <functional>
#include <optional>

#include "core/memory/budget.h"

namespace receiptbench {

// Runs the job. Returns the refusal when the budget ended it: then nothing of the job's tensors is
// left, a failed backward's unfinished graph included. Any other failure leaves as Error.
std::optional<OverBudget> withinBudget(const std::function<void()>& job);

}  // namespace receiptbench
