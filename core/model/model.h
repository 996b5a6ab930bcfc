// What the rest may ask about a model without seeing Torch.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/host_tensor.h"
#include "core/contract/contract.h"

namespace receiptbench {

// Initial weights of the contract's model (a pure function of spec, classes and seed), and how many
// there are.
std::vector<HostTensor> initialWeights(const ModelSpec& spec, std::int64_t classes,
                                       std::uint64_t seed);
std::int64_t parameterCount(const ModelSpec& spec, std::int64_t classes);

}  // namespace receiptbench
