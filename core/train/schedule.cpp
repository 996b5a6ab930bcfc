#include "core/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace receiptbench {

namespace {

// PyTorch's OneCycleLR defaults.
constexpr double kRisingShare = 0.3;
constexpr double kDivFactor = 25.0, kFinalDivFactor = 1e4;
constexpr double kLowMomentum = 0.85, kHighMomentum = 0.95;

double cosineBetween(double start, double end, double share) {
    return end + (start - end) / 2.0 * (std::cos(std::numbers::pi * share) + 1.0);
}

// A value that falls or rises from start to top and then goes to end, in PyTorch's two phases.
double oneCycle(double start, double top, double end, std::int64_t total, std::int64_t step) {
    const double risingEnd = kRisingShare * static_cast<double>(total) - 1.0;
    const double lastStep = static_cast<double>(total) - 1.0;
    // PyTorch refuses steps past the total; here the last value holds.
    const double now = std::min(static_cast<double>(step), lastStep);
    if (now <= risingEnd && risingEnd > 0.0) {
        return cosineBetween(start, top, now / risingEnd);
    }
    return cosineBetween(top, end, (now - risingEnd) / (lastStep - risingEnd));
}

double warmupCosine(const ScheduleSpec& schedule, std::int64_t total, std::int64_t applied) {
    if (applied < schedule.warmup) {
        return static_cast<double>(applied + 1) / static_cast<double>(schedule.warmup);
    }
    const auto length = static_cast<double>(std::max<std::int64_t>(1, total - schedule.warmup));
    const double share = std::min(1.0, static_cast<double>(applied - schedule.warmup) / length);
    return schedule.floor +
           (1.0 - schedule.floor) * 0.5 * (1.0 + std::cos(std::numbers::pi * share));
}

[[noreturn]] void refuse(const char* field, const std::string& value, const char* hint) {
    throw Error(ErrorCode::Usage, fmt::format("schedule.{} is {}", field, value), hint);
}

std::int64_t totalOf(const ScheduleSpec& schedule, std::int64_t updates) {
    const std::int64_t total = schedule.total == 0 ? updates : schedule.total;
    if (total < 1) {
        refuse("total", fmt::format("{}", total),
               "It must be 1 or more, or 0 for the contract's number of updates.");
    }
    return total;
}

}  // namespace

double learningRateAt(const ScheduleSpec& schedule, const OptimizerSpec& optimizer,
                      std::int64_t updates, std::int64_t applied) {
    if (applied < 0) {
        throw Error(ErrorCode::Failed, fmt::format("the number of applied updates is {}", applied));
    }
    const double base = optimizer.learningRate;
    if (schedule.name == "constant") {
        return base;
    }
    if (schedule.name == "step") {
        if (schedule.every < 1) {
            refuse("every", fmt::format("{}", schedule.every),
                   "A step schedule needs 1 or more updates.");
        }
        return base * std::pow(schedule.gamma, static_cast<double>(applied / schedule.every));
    }
    const std::int64_t total = totalOf(schedule, updates);
    if (schedule.name == "linear") {
        const double share =
            std::min(1.0, static_cast<double>(applied) / static_cast<double>(total));
        return base * (1.0 + (schedule.floor - 1.0) * share);
    }
    if (schedule.name == "warmup_cosine") {
        return base * warmupCosine(schedule, total, applied);
    }
    if (schedule.name == "onecycle") {
        const double top = schedule.maxLearningRate;
        if (!(top > 0.0)) {
            refuse("maxLearningRate", formatDouble(top),
                   "A one-cycle schedule needs a positive one.");
        }
        const double start = top / kDivFactor;
        return oneCycle(start, top, start / kFinalDivFactor, total, applied);
    }
    refuse("name", "'" + printable(schedule.name) + "'",
           "Choose constant, step, linear, warmup_cosine or onecycle.");
}

std::optional<double> momentumAt(const ScheduleSpec& schedule, std::int64_t updates,
                                 std::int64_t applied) {
    if (schedule.name != "onecycle") {
        return std::nullopt;
    }
    return oneCycle(kHighMomentum, kLowMomentum, kHighMomentum, totalOf(schedule, updates),
                    applied);
}

}  // namespace receiptbench
