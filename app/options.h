// Option values that are more than a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/run_plan.h"

namespace receiptbench {

// All throw Error(Usage) naming option and value.
std::int64_t parseBudget(const std::string& text);  // "64MiB"; 0 or "none": no limit
std::pair<std::int64_t, std::int64_t> parseSize(
    const std::string& text);  // "256x192": height, width
std::vector<Precision> parseModes(const std::vector<std::string>& names);

}  // namespace receiptbench
