// Microbatch and memory format found by trying on a copied model, never guessed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/host_tensor.h"
#include "core/base/progress.h"
#include "core/contract/contract.h"
#include "core/contract/run_plan.h"
#include "core/contract/update_record.h"
#include "core/train/batch.h"

namespace receiptbench {

struct Probe {  // one tried candidate
    RunPlan plan;
    bool fits = false;
    MemoryPeaks peak;              // measured (when it fits)
    double examplesPerSecond = 0;  // measured (when it fits)
    std::string reason;            // why it does not fit
};

struct PlanResult {
    std::optional<RunPlan> chosen;  // fastest that ran within the budget; always one of the probes
    std::vector<Probe> probes;
    std::int64_t memoryLimit = 0;         // bytes
    std::int64_t bytesForOneExample = 0;  // what microbatch 1 needs, when nothing fits
    std::string notSupported;  // reason when the device cannot do the precision; then no probes
};
void to_json(nlohmann::json& json, const Probe& probe);
void from_json(const nlohmann::json& json, Probe& probe);
void to_json(nlohmann::json& json, const PlanResult& result);
void from_json(const nlohmann::json& json, PlanResult& result);

struct PlanOptions {
    Precision precision = Precision::Fp32;
    std::int64_t memoryLimit = 0;            // 0: none
    std::optional<std::int64_t> microbatch;  // fixed by the user: only the format is tried
    std::optional<MemoryFormat> memoryFormat;
    int threads = 2;
    double secondsPerProbe = 0.3;  // of measuring, after one warm-up microbatch
};
// Candidates: 4, 8, 12, 16, 24, 32 and examplesPerUpdate in both memory formats (2 and 1 where 4
// does not fit), left out when clearly slower, no longer gaining, or when the time is up (about 10
// times secondsPerProbe); when memory is the limit, the largest that fits is found by bisection.
// A sixty-fourth of the budget is left as a reserve, since a run's memory has other holes than a
// trial's. Within 3 % of the fastest, the one with the smallest peak is chosen. Nothing fits:
// chosen is empty and bytesForOneExample is set, to a budget that was tried.
PlanResult planRun(const ExperimentContract& contract, const std::vector<HostTensor>& weights,
                   const BatchSource& train, const PlanOptions& options,
                   Progress& progress = Progress::none(), const CancelToken* cancel = nullptr);

// For a result without a choice: what was tried, what one example needs, and the remedy.
Error nothingFits(const PlanResult& result, Precision precision);

// The search alone, for a monotone `fits`: the largest value in [1, cap] for which fits() ran and
// said yes; 0 when none.
std::int64_t largestThatFits(std::int64_t cap, const std::function<bool(std::int64_t)>& fits);

}  // namespace receiptbench
