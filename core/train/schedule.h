// Learning rate (and one-cycle momentum) as pure functions of the applied updates.
#pragma once

#include <cstdint>
#include <optional>

#include "core/contract/contract.h"

namespace receiptbench {

// Learning rate used by the update that follows `applied` applied ones. total 0 means `updates`.
//   constant | step: lr*gamma^floor(s/every) | linear: 1 -> floor over total
//   warmup_cosine: (s+1)/W for s < W, else floor + (1-floor)*(1+cos(pi*min(1,(s-W)/max(1,T-W))))/2
//   onecycle: PyTorch's OneCycleLR (pct_start 0.3, cos, div_factor 25, final_div_factor 1e4)
double learningRateAt(const ScheduleSpec& schedule, const OptimizerSpec& optimizer,
                      std::int64_t updates, std::int64_t applied);
// One-cycle's momentum (0.95 -> 0.85 -> 0.95): beta1 or momentum; none for the others.
std::optional<double> momentumAt(const ScheduleSpec& schedule, std::int64_t updates,
                                 std::int64_t applied);

}  // namespace receiptbench
