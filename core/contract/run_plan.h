// What may vary between compared runs: precision and the microbatch plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace receiptbench {

enum class Precision { Fp32, Fp16, Bf16 };
enum class MemoryFormat { Contiguous, ChannelsLast };

std::string toString(Precision precision);  // "fp32", "fp16", "bf16"
Precision parsePrecision(
    const std::string& text);               // throws Error(Usage) naming the value and the choices
std::string toString(MemoryFormat format);  // "contiguous", "channels-last"
MemoryFormat parseMemoryFormat(const std::string& text);

// How the sum of an update is normalised. Correct: sum of losses / accepted examples. MeanOfMeans
// is the deliberately wrong run: short microbatch means / number of microbatches.
enum class Normalisation { AcceptedCount, MeanOfMeans };

struct RunPlan {
    Precision precision = Precision::Fp32;
    std::int64_t microbatch = 1;  // examples
    MemoryFormat memoryFormat = MemoryFormat::Contiguous;
    int threads = 2;  // fixed for the run, part of what "bit-exact" means
    bool operator==(const RunPlan&) const = default;
};

// The plain cut: microbatch, microbatch, ..., the last one short. accepted >= 0, microbatch >= 1.
std::vector<std::int64_t> cutUpdate(std::int64_t accepted, std::int64_t microbatch);

}  // namespace receiptbench
