// Small helpers for drawing from a RandomStream.
#pragma once

#include <cstdint>

#include "core/base/random.h"

namespace receiptbench {

inline bool chance(RandomStream& random, double probability) {
    return random.uniform() < probability;
}

// low and high included.
inline int between(RandomStream& random, int low, int high) {
    return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

// choices: anything with size() and [], not empty.
template <typename Choices>
const auto& pick(RandomStream& random, const Choices& choices) {
    return choices[static_cast<std::size_t>(random.below(choices.size()))];
}

}  // namespace receiptbench
