// Training or validation, by whole identities: photos of one receipt never lie on both sides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/data/import.h"

namespace receiptbench {

struct SplitResult {
    std::vector<bool> validation;       // one per item
    std::vector<std::string> warnings;  // a class absent from one side, ...
};

// Without a supplied split: identities that share a file's bytes count as one; stratified by the
// labels they carry; drawn by seed and name, so that the order of rows does not matter; each class
// lies on both sides when two identities carry it. A supplied split is checked and kept.
// Error(Usage): share outside (0,1). Error(Data): no item, a single identity, rows with and without
// a split, a split other than train or val, an identity in both, one side empty.
void checkValidationShare(double validationShare);  // Error(Usage) unless between 0 and 1
SplitResult splitByIdentity(const std::vector<CatalogueItem>& items, double validationShare,
                            std::uint64_t seed);

}  // namespace receiptbench
