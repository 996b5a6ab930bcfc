// The classifiers that can be trained. Torch is seen here: only .cpp files of core include this.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/host_tensor.h"
#include "core/contract/contract.h"
#include "core/contract/run_plan.h"

namespace receiptbench {

// [N,3,H,W] float (or autocast) -> logits [N,classes]. Parameter names are PyTorch's (state_dict
// keys).
class Classifier : public torch::nn::Module {
 public:
    virtual torch::Tensor forward(const torch::Tensor& images) = 0;
    // A deep copy with its own parameters and buffers (same values, same memory formats).
    std::shared_ptr<Classifier> copy() const;
    virtual std::shared_ptr<Classifier> makeEmpty()
        const = 0;  // same architecture, fresh parameters
};

// ReceiptNet exactly as shared/peers/peers.py: stem, stem_norm, blocks.0..2
// {conv1,norm1,conv2,norm2,shortcut}, head. Initialised as PyTorch's defaults from
// RandomStream(seed, "initial-weights", parameter index): the same weights on any thread count and
// LibTorch version. Throws Error(Usage) for an unknown name or a width that is no multiple of 8.
std::shared_ptr<Classifier> makeClassifier(const ModelSpec& spec, std::int64_t classes,
                                           std::uint64_t seed);

// Host tensors <-> Torch. Names "param-name" without prefix.
std::vector<HostTensor> exportParameters(
    const torch::nn::Module& module);  // parameters, then buffers; row-major
// Every parameter and buffer must be there with its shape and dtype, nothing else: Error(Data)
// naming the first wrong one.
void importParameters(torch::nn::Module& module, const std::vector<HostTensor>& tensors);
HostTensor toHost(const std::string& name, const torch::Tensor& tensor);
torch::Tensor toTorch(const HostTensor& tensor);                       // a copy, contiguous
void setMemoryFormat(torch::nn::Module& module, MemoryFormat format);  // 4-d parameters

}  // namespace receiptbench
