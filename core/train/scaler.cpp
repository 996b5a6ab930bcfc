#include "core/train/scaler.h"

#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace receiptbench {

namespace {

void checkState(const ScalerState& state, ErrorCode code) {
    const auto refuse = [code](const char* field, const std::string& value, const char* allowed) {
        throw Error(code, fmt::format("scaler.{} is {}", field, value), allowed);
    };
    if (!(state.scale > 0.0) || !std::isfinite(state.scale)) {
        refuse("scale", formatDouble(state.scale), "It must be positive and finite.");
    }
    if (!(state.growthFactor > 1.0) || !std::isfinite(state.growthFactor)) {
        refuse("growthFactor", formatDouble(state.growthFactor), "It must be above 1.");
    }
    if (!(state.backoffFactor > 0.0 && state.backoffFactor < 1.0)) {
        refuse("backoffFactor", formatDouble(state.backoffFactor), "It must lie between 0 and 1.");
    }
    if (state.growthInterval < 1) {
        refuse("growthInterval", fmt::format("{}", state.growthInterval), "It must be 1 or more.");
    }
    if (state.growthCounter < 0) {
        refuse("growthCounter", fmt::format("{}", state.growthCounter), "It must be 0 or more.");
    }
}

// PyTorch keeps the scale as a float: the same path needs the same rounding.
double asFloat(double scale) {
    return static_cast<double>(static_cast<float>(scale));
}

}  // namespace

LossScaler::LossScaler(const ScalerSpec& spec) : enabled_(true), floor_(spec.floor) {
    state_.scale = asFloat(spec.initScale);
    state_.growthFactor = spec.growthFactor;
    state_.backoffFactor = spec.backoffFactor;
    state_.growthInterval = spec.growthInterval;
    checkState(state_, ErrorCode::Usage);
}

void LossScaler::update(bool foundNonFinite) {
    if (!enabled_) {
        return;
    }
    if (foundNonFinite) {
        const double backed = asFloat(state_.scale * state_.backoffFactor);
        // Below 1 the unscaling would itself overflow what it has just checked.
        if (backed < floor_ || backed <= 0.0) {
            throw Error(
                ErrorCode::Failed,
                fmt::format("the loss scale would fall from {} to {}, below its floor {}",
                            formatDouble(state_.scale), formatDouble(backed), formatDouble(floor_)),
                "The gradients are not finite for another reason than fp16's range: lower the "
                "learning rate, "
                "or use bf16 or fp32.");
        }
        state_.scale = backed;
        state_.growthCounter = 0;
        return;
    }
    if (++state_.growthCounter < state_.growthInterval) {
        return;
    }
    state_.growthCounter = 0;
    const double grown = asFloat(state_.scale * state_.growthFactor);
    if (std::isfinite(grown)) {
        state_.scale = grown;
    }
}

void LossScaler::restore(const ScalerState& state) {
    if (!enabled_ && state.scale != 1.0) {
        throw Error(ErrorCode::Data,
                    fmt::format("the saved loss scale is {}, but this run does not scale its loss",
                                formatDouble(state.scale)),
                    "Resume with the precision the checkpoint was written in.");
    }
    checkState(state, ErrorCode::Data);
    state_ = state;
}

}  // namespace receiptbench
