// Every field of the contract that a user may set.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "core/workbench/project.h"

namespace receiptbench {

struct FreezeArguments {
    FreezeRequest request;
    std::string size = "256x192", budget = "none", lastUpdate = "carry";
    bool noHorizontalFlip = false, noVerticalFlip = false;
};
void addFreezeOptions(CLI::App& command, FreezeArguments& arguments);
// Texts turned into values: Error(Usage).
FreezeRequest freezeRequest(const FreezeArguments& arguments);

}  // namespace receiptbench
