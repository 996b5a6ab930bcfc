// The experiment contract: what is frozen and hashed before any run, so that runs compared differ
// only in precision and microbatch plan.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/file_system.h"
#include "core/contract/label_map.h"

namespace receiptbench {

struct AugmentationSpec {
    bool horizontalFlip = true;
    bool verticalFlip = true;
    bool operator==(const AugmentationSpec&) const = default;
};

struct ModelSpec {
    std::string name = "receiptnet";
    std::int64_t width = 32;  // channels of the first block; a multiple of 8
    std::string revision;     // digestOfTensors of the initial weights
    bool operator==(const ModelSpec&) const = default;
};

// PyTorch's names, defaults and update rules.
struct OptimizerSpec {
    std::string name = "adamw";  // sgd, adam, adamw, rmsprop
    double learningRate = 2e-3;
    double weightDecay = 0.05;
    double beta1 = 0.9, beta2 = 0.999;  // adam, adamw
    double epsilon = 1e-8;              // adam, adamw, rmsprop
    double momentum = 0.0;              // sgd, rmsprop
    bool nesterov = false;              // sgd
    double alpha = 0.99;                // rmsprop
    bool decayNormsAndBiases = true;
    bool operator==(const OptimizerSpec&) const = default;
};

// Pure functions of the number of applied updates s.
struct ScheduleSpec {
    std::string name = "warmup_cosine";  // constant, step, warmup_cosine, onecycle, linear
    std::int64_t warmup = 20;            // updates; warmup_cosine
    std::int64_t total = 0;              // updates; 0: the contract's number of updates
    double floor = 0.0;                  // factor at the end; warmup_cosine, linear
    std::int64_t every = 0;              // step
    double gamma = 1.0;                  // step
    double maxLearningRate = 0.0;        // onecycle
    bool operator==(const ScheduleSpec&) const = default;
};

struct LossSpec {
    std::string name = "cross_entropy";
    std::string reduction = "sum/accepted";  // with class weights: sum / accepted examples' weights
    double labelSmoothing = 0.0;
    std::vector<double> classWeights;  // empty: all 1
    bool operator==(const LossSpec&) const = default;
};

// PyTorch's GradScaler, used in fp16 runs only.
struct ScalerSpec {
    double initScale = 65536.0;
    double growthFactor = 2.0, backoffFactor = 0.5;
    std::int64_t growthInterval = 2000;  // applied updates in a row
    double floor = 1.0;                  // a scale that would fall below ends the run
    bool operator==(const ScalerSpec&) const = default;
};

// What happens with an epoch's last, partial update.
enum class LastUpdateRule { Carry, Apply, Drop };
std::string toString(LastUpdateRule rule);
LastUpdateRule parseLastUpdateRule(const std::string& text);

struct ExperimentContract {
    LabelMap labels;
    std::string acceptLabel = "readable";
    double acceptanceThreshold = 0.5;    // accepted when p(acceptLabel) >= this
    double nearThresholdBand = 0.05;     // |p_baseline - threshold| <= band
    double nonInferiorityMargin = 0.02;  // of validation accuracy
    std::string splitDigest;             // over split.csv
    std::string datasetDigest;           // over the pixel cache
    std::int64_t trainExamples = 0, validationExamples = 0;
    std::int64_t height = 256, width = 192;
    std::string resizeRule = "letterbox-128";  // bilinear/area into the frame, grey 128 around
    std::array<double, 3> mean{0.5, 0.5, 0.5},
        standardDeviation{0.25, 0.25, 0.25};  // of pixels / 255, RGB
    AugmentationSpec augmentation;
    ModelSpec model;
    OptimizerSpec optimizer;
    ScheduleSpec schedule;
    LossSpec loss;
    ScalerSpec scaler;
    std::int64_t examplesPerUpdate = 47;
    LastUpdateRule lastUpdate = LastUpdateRule::Carry;
    double clipNorm = 1.0;                 // largest gradient norm; 0: no clipping
    std::int64_t updates = 200;            // attempted updates
    std::int64_t checkpointInterval = 25;  // attempted updates
    std::uint64_t seed = 83;

    bool operator==(const ExperimentContract&) const = default;
};

// Recorded beside the hashed part: a difference is named and withholds the memory and speed
// verdict, no refusal.
struct ContractEnvironment {
    std::string device = "cpu";
    std::int64_t memoryLimit = 0;                                // bytes; 0: none
    std::vector<std::pair<std::string, std::string>> libraries;  // name, version
    bool operator==(const ContractEnvironment&) const = default;
};

// Keys sorted, no white space, shortest round-trip numbers: the same bytes everywhere.
std::string canonicalJson(const ExperimentContract& contract);
std::string contractHash(const ExperimentContract& contract);  // SHA-256 hex of canonicalJson

// The file: {"format":1,"contract":{...},"hash":"...","environment":{...}}. Loading checks the
// hash, so that an edited contract is refused: Error(Data) naming both hashes. Unknown and missing
// fields are refused by name.
void saveContract(FileSystem& files, const std::string& path, const ExperimentContract& contract,
                  const ContractEnvironment& environment);
struct LoadedContract {
    ExperimentContract contract;
    ContractEnvironment environment;
    std::string hash;
};
LoadedContract loadContract(FileSystem& files, const std::string& path);

// Checks ranges (threshold in (0,1), sizes >= 16, updates >= 1, label known, weights count, ...):
// Error(Usage or Data) naming field, value and what is allowed.
void validateContract(const ExperimentContract& contract);

struct FieldDifference {
    std::string field;        // "optimizer.learningRate"
    std::string left, right;  // JSON text
};
std::vector<FieldDifference> diffContracts(const ExperimentContract& left,
                                           const ExperimentContract& right);

}  // namespace receiptbench
