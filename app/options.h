// Option values that are more than a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/contract/run_plan.h"

namespace receiptbench {

// All throw Error(Usage) naming option and value.
std::int64_t parseBudget(const std::string& text);  // "64MiB"; 0 or "none": no limit
std::pair<std::int64_t, std::int64_t> parseSize(
    const std::string& text);  // "256x192": height, width
std::vector<Precision> parseModes(const std::vector<std::string>& names);

// For every option that takes a whole number: decimal digits only, so that "010" is ten and "-1" no
// huge number. Call once, when all commands are there.
void readWholeNumbersStrictly(CLI::App& app);
// least or more; the message names the value.
CLI::Validator atLeast(std::int64_t least);

}  // namespace receiptbench
