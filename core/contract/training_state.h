// Everything that matters at an update boundary, without Torch: what a checkpoint holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/host_tensor.h"
#include "core/contract/run_plan.h"
#include "core/contract/update_record.h"

namespace receiptbench {

struct ScalerState {  // all of PyTorch's GradScaler state
    double scale = 1;
    std::int64_t growthCounter = 0;
    double growthFactor = 2, backoffFactor = 0.5;
    std::int64_t growthInterval = 2000;
    bool operator==(const ScalerState&) const = default;
};

struct StateValues {
    std::int64_t attempted = 0, applied = 0, skipped = 0, consecutiveSkips = 0;
    std::int64_t scheduleSteps = 0;
    double learningRate = 0;  // in the optimizer's groups at this boundary
    std::int64_t acceptedExamples = 0;
    std::int64_t epoch = 0;
    std::int64_t position = 0;  // consumed examples of the global stream
    ScalerState scaler;
    RunPlan plan;
    Normalisation normalisation = Normalisation::AcceptedCount;
    std::string receipt;  // chain digest so far
    std::optional<double> bestMetric;
    EnvironmentFingerprint environment;
};

// Tensors: model/<name>, buffer/<name>, optimizer/<slot>/<name>, optimizer/step/<name>, rng/cpu.
struct TrainingState {
    StateValues values;
    std::vector<HostTensor>
        tensors;  // contiguous row-major whatever the memory format (the plan names that)
};

void to_json(nlohmann::json& json, const StateValues& values);
void from_json(const nlohmann::json& json, StateValues& values);

}  // namespace receiptbench
