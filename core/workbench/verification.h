// Whether everything that was frozen, and what was trained from it, is still what it was.
#pragma once

#include <string>
#include <vector>

#include "core/workbench/project.h"

namespace receiptbench {

struct Verified {
    std::string what;             // "contract", "run fp32"
    std::string problem, remedy;  // empty: it is as it was
};
// Contract, split and every pixel, initial weights; of each run its contract and, once it has
// checkpoints, the one that its results belong to. Never throws for what it finds.
std::vector<Verified> verifyProject(const Project& project);

}  // namespace receiptbench
