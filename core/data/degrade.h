// Degraded versions of a readable photo, derived after the split from the identity's own seed.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/random.h"
#include "core/data/image.h"

namespace receiptbench {

struct Degraded {
    Image image;
    std::string kind;     // "defocus", "motion", "one-side", "two-sides"
    double severity = 0;  // standard deviation of the blur (along the motion) / long side, or share
                          // of the area cut off
    std::string json() const;  // {"kind":"motion","severity":0.0103}
};
// No easier than Gaussian sigma 0.006-0.014 of the long side (at a long side of 1000) and 25-50 %
// of one side. Blur: the same range, as a disc or a Gaussian (out of focus), or as an arc of any
// direction (camera shake), which spreads as much altogether but leaves strokes along it sharper.
// Cut: one side by 25-50 %, at times another by 10-25 % too.
Degraded blur(const Image& image, RandomStream random);
Degraded cutOff(const Image& image, RandomStream random);

// Whole picture, area average, so that its long side is at most longSide: what "strength" refers
// to.
inline constexpr std::int64_t kLongSide = 1000;  // of photos, before any degradation
Image limitLongSide(const Image& image, std::int64_t longSide);

}  // namespace receiptbench
