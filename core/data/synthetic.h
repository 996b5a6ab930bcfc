// The embedded example: plausible receipts on a table, drawn from a seed. No download.
#pragma once

#include <cstdint>

#include "core/data/image.h"

namespace receiptbench {

// The receipt number `identity` of this seed: shop, items, totals, paper, table, perspective,
// light, folds, noise.
Image drawReceipt(std::uint64_t seed, std::int64_t identity, std::int64_t width = 384,
                  std::int64_t height = 512);

}  // namespace receiptbench
