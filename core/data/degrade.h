// Degraded versions of a readable photo, derived after the split from the identity's own seed.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/random.h"
#include "core/data/image.h"

namespace receiptbench {

struct Degraded {
    Image image;
    std::string kind;      // "defocus", "motion", "one-side", "two-sides"
    double severity = 0;   // blur radius / long side, or share cut off
    std::string json() const;
};
// No easier than Gaussian sigma 0.006-0.014 of the long side (at a long side of 1000) and 25-50 % of one side.
Degraded blur(const Image& image, RandomStream random);
Degraded cutOff(const Image& image, RandomStream random);

}  // namespace receiptbench
