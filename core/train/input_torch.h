// The pixels of a microbatch as normalised numbers for the model.
#pragma once

#include <torch/torch.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/contract/contract.h"
#include "core/contract/run_plan.h"
#include "core/train/batch.h"

namespace receiptbench {

// Type the model's first layer computes in: the buffer holds it already, which saves autocast a
// cast per microbatch and rounds the same way.
torch::ScalarType inputType(Precision precision);

// Host pixels and model input, allocated once and counted as Inputs, so that a microbatch allocates
// nothing for its data.
class InputBuffer {
 public:
    InputBuffer(const ExperimentContract& contract, std::int64_t capacity, Precision precision,
                MemoryFormat format);

    // Reads the pixels of the uses (at most `capacity`) and returns them as [n,3,H,W], (pixel / 255
    // - mean) / standard deviation per channel. The result is a view: it is valid until the next
    // call.
    torch::Tensor fill(const BatchSource& source, std::span<const ExampleUse> uses);
    std::int64_t capacity() const { return capacity_; }

 private:
    template <typename Element>
    void convert(std::int64_t images);

    std::int64_t height_, width_, capacity_;
    MemoryFormat format_;
    std::array<std::array<float, 256>, 3>
        table_;  // value of each pixel level, by channel: exact and fast
    torch::Tensor pixels_, values_;
};

// [n] class indices of the uses.
torch::Tensor labelsOf(const BatchSource& source, std::span<const ExampleUse> uses);

// Error(Data) when the source does not fit the contract: size, image size, a label out of range, no
// example.
void checkSource(const ExperimentContract& contract, const BatchSource& source);

}  // namespace receiptbench
