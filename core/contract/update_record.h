// The run's records: one stream of events that screen, log file, report and command line all read.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace receiptbench {

enum class MemoryCategory {
    Parameters,
    Gradients,
    Optimizer,
    Inputs,
    Activations,
    Other
};  // Activations: and workspace
inline constexpr int kMemoryCategories = 6;
std::string toString(MemoryCategory category);  // "parameters", "gradients", "optimizer", "inputs",
                                                // "activations", "other"

struct MemoryPeaks {         // bytes
    std::int64_t total = 0;  // largest sum of live bytes
    std::array<std::int64_t, kMemoryCategories>
        atPeak{};               // by category at that moment: adds up to total
    std::int64_t reserved = 0;  // allocated + kept, largest
};

struct PhaseSeconds {
    double data = 0, forward = 0, backward = 0, optimizer = 0, checkpoint = 0, other = 0;
    double total() const { return data + forward + backward + optimizer + checkpoint + other; }
};

// One attempted update: a row of the ledger.
struct UpdateRecord {
    std::int64_t update = 0;                // attempted, from 1
    std::int64_t applied = 0, skipped = 0;  // totals including this one: update = applied + skipped
    std::int64_t scheduleSteps = 0;         // = applied
    std::int64_t epoch = 0;                 // of its first example, from 0
    std::int64_t position = 0;              // consumed examples of the stream after it
    std::int64_t accepted = 0;              // examples in this update
    std::string idsDigest;                  // SHA-256 over the ids in order
    std::vector<std::int64_t> classMix;     // accepted examples by class
    std::vector<std::int64_t> microbatches;
    double denominator = 0;
    double loss = 0;                     // sum of unreduced losses / denominator
    std::optional<double> gradientNorm;  // before clipping; none when not finite
    double clipFactor = 1;
    std::vector<std::string> nonFiniteParameters;
    std::int64_t nonFiniteElements = 0;
    double scaleBefore = 1, scaleAfter = 1;
    bool wasApplied = false;
    std::string skipReason;
    std::string overflowInjected;  // not empty: labelled, deliberate
    double learningRate = 0;
    PhaseSeconds seconds;
    MemoryPeaks memory;
    std::vector<std::string> replans;  // "microbatch 16 -> 8: activations 40.1 MiB of 64.0 MiB ..."
    std::string receipt;               // chain digest, see checkpoint design
};

// Accepted examples by the update's time without its checkpoint; none when it took no time.
std::optional<double> examplesPerSecond(const UpdateRecord& record);

// Live bytes at a moment of the trace (sampled at phase borders and new peaks).
struct MemorySample {
    double seconds = 0;  // since the run's start
    std::int64_t update = 0;
    std::int64_t microbatch = 0;  // within the update
    std::string phase;            // "forward", ...
    std::int64_t total = 0;
    std::array<std::int64_t, kMemoryCategories> byCategory{};
};

// Environment that bit-exactness depends on.
struct EnvironmentFingerprint {
    std::string torchVersion, cpuCapability, device;
    int threads = 0;
    bool oneDnn = true;
    bool deterministic = true;
    bool operator==(const EnvironmentFingerprint&) const = default;
};

void to_json(nlohmann::json& json, const MemoryPeaks& peaks);
void from_json(const nlohmann::json& json, MemoryPeaks& peaks);
void to_json(nlohmann::json& json, const PhaseSeconds& seconds);
void from_json(const nlohmann::json& json, PhaseSeconds& seconds);
void to_json(nlohmann::json& json,
             const UpdateRecord& record);  // NaN/inf loss as the strings "nan", "inf", "-inf"
void from_json(const nlohmann::json& json, UpdateRecord& record);
void to_json(nlohmann::json& json, const MemorySample& sample);
void from_json(const nlohmann::json& json, MemorySample& sample);
void to_json(nlohmann::json& json, const EnvironmentFingerprint& environment);
void from_json(const nlohmann::json& json, EnvironmentFingerprint& environment);

}  // namespace receiptbench
