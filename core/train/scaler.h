// Loss scaling with the documented behaviour of PyTorch's GradScaler, once per update.
#pragma once

#include "core/contract/contract.h"
#include "core/contract/training_state.h"

namespace receiptbench {

class LossScaler {
 public:
    LossScaler() = default;  // disabled: scale 1, never changes
    explicit LossScaler(const ScalerSpec& spec);
    bool enabled() const { return enabled_; }
    double scale() const { return state_.scale; }
    // After each attempted update: non-finite -> scale*backoff and the counter restarts; else the
    // counter grows and at growthInterval the scale grows (never past the largest float). A scale
    // that would fall below the spec's floor: Error(Failed), nothing changed.
    void update(bool foundNonFinite);
    const ScalerState& state() const { return state_; }
    // Scale, counter, factors and interval, exactly. Error(Data) for a value that cannot be, or
    // when a scale other than 1 meets a disabled scaler.
    void restore(const ScalerState& state);

 private:
    ScalerState state_;
    bool enabled_ = false;
    double floor_ = 1;
};

}  // namespace receiptbench
