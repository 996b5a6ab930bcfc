// Process-wide settings of Torch that bit-exactness depends on.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace receiptbench {

// Thread count, deterministic algorithms, no filling of fresh memory. Before the first operation of
// a run.
void prepareTorch(int threads);

// Torch's own CPU generator as a pure function of (seed, update).
void seedTorch(std::uint64_t seed, std::int64_t update);
torch::Tensor torchGeneratorState();                      // U8
void setTorchGeneratorState(const torch::Tensor& state);  // Error(Data) when it is none

// Leaves the generator as it was.
class KeepGenerator {
 public:
    KeepGenerator() : state_(torchGeneratorState()) {}
    ~KeepGenerator() { setTorchGeneratorState(state_); }
    KeepGenerator(const KeepGenerator&) = delete;
    KeepGenerator& operator=(const KeepGenerator&) = delete;

 private:
    torch::Tensor state_;
};

}  // namespace receiptbench
