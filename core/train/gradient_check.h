// The proof before the run: on a copied model, the accumulated gradient against the full batch's,
// per layer, and the deliberately wrong one beside it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/host_tensor.h"
#include "core/contract/contract.h"
#include "core/contract/run_plan.h"
#include "core/train/batch.h"

namespace receiptbench {

struct LayerComparison {
    std::string parameter;
    double fullNorm = 0;
    // |accumulated - full| / |full|; a layer whose gradient is less than a millionth of the whole
    // consists of rounding and is measured against that millionth.
    double relativeL2 = 0;
    double wrongRelativeL2 = 0;  // the deliberately wrong gradient against full
    double largestAbsolute = 0;
};

struct GradientCheckResult {
    std::int64_t examples = 0;               // full batch
    std::vector<std::int64_t> microbatches;  // at least two, the last one short
    std::int64_t height = 0, width = 0;      // reduced when full batch does not fit
    bool reducedSize = false;
    std::string reason;                          // why reduced, else empty
    double relativeL2 = 0, wrongRelativeL2 = 0;  // over all parameters
    double wrongLargestAbsolute = 0;
    double lossFull = 0, lossAccumulated = 0, lossWrong = 0;
    double tolerance = 5e-6;
    std::vector<LayerComparison> layers;
    const LayerComparison& worst() const;  // of the accumulated gradient; NaN is the worst
    bool accumulatedPasses() const;        // every layer within the tolerance
    bool wrongIsCaught() const { return wrongRelativeL2 > tolerance; }
    bool passed() const { return accumulatedPasses() && wrongIsCaught(); }
};
void to_json(nlohmann::json& json, const GradientCheckResult& result);
void from_json(const nlohmann::json& json, GradientCheckResult& result);

// fp32, the contract's first update's examples, its initial weights. memoryLimit in bytes (0:
// none): when the full batch does not fit, the image size is halved (multiples of 16 stay) until it
// does, said so in the result; Error(OverBudget) when not even 16x16 fits. The microbatch is the
// plan's, made smaller so that the last one is short and there are two or more (47 at 47 -> 24,
// 23). accumulatedAs (tests, drills): a broken accumulation, which must fail the check.
GradientCheckResult checkGradients(const ExperimentContract& contract,
                                   const std::vector<HostTensor>& weights, const BatchSource& train,
                                   const RunPlan& plan, std::int64_t memoryLimit,
                                   Normalisation accumulatedAs = Normalisation::AcceptedCount);

}  // namespace receiptbench
