// Whether a state makes sense, whatever its bytes: asked before writing and after reading.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/contract/training_state.h"

namespace receiptbench {

// Name, type and shape of a tensor, without its bytes.
struct TensorShape {
    std::string name, dtype;
    std::vector<std::int64_t> shape;
};

// Required: a weight, rng/cpu, and optimizer state only for weights that exist, in their shape;
// counters that add up. Error(Data) naming the tensor or value.
void checkMeaning(const StateValues& values, const std::vector<TensorShape>& tensors);

}  // namespace receiptbench
