#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <map>

#include "core/base/error.h"
#include "core/model/model_torch.h"

namespace receiptbench {
namespace {

struct DtypeName {
    torch::ScalarType type;
    const char* name;
};
constexpr DtypeName kDtypes[] = {{torch::kFloat, "F32"}, {torch::kDouble, "F64"},
                                 {torch::kHalf, "F16"},  {torch::kBFloat16, "BF16"},
                                 {torch::kLong, "I64"},  {torch::kInt, "I32"},
                                 {torch::kByte, "U8"},   {torch::kBool, "BOOL"}};

std::string nameOf(torch::ScalarType type, const std::string& tensor) {
    for (const DtypeName& entry : kDtypes) {
        if (entry.type == type) {
            return entry.name;
        }
    }
    throw Error(ErrorCode::Data,
                fmt::format("tensor {}: type {} cannot be stored", tensor, torch::toString(type)));
}

torch::ScalarType typeOf(const HostTensor& tensor) {
    for (const DtypeName& entry : kDtypes) {
        if (tensor.dtype == entry.name) {
            return entry.type;
        }
    }
    throw Error(ErrorCode::Data,
                fmt::format("tensor {}: unknown type \"{}\"", tensor.name, tensor.dtype));
}

std::string shapeText(c10::IntArrayRef shape) {
    return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ","));
}

void checkBytes(const HostTensor& tensor) {
    const auto expected =
        static_cast<std::uint64_t>(elementCount(tensor.shape)) * dtypeSize(tensor.dtype);
    if (tensor.bytes.size() != expected) {
        throw Error(
            ErrorCode::Data,
            fmt::format("tensor {}: {} of shape {} needs {} bytes, there are {}", tensor.name,
                        tensor.dtype, shapeText(tensor.shape), expected, tensor.bytes.size()));
    }
}

std::vector<std::pair<std::string, torch::Tensor>> parametersAndBuffers(
    const torch::nn::Module& module) {
    std::vector<std::pair<std::string, torch::Tensor>> all;
    for (const auto& item : module.named_parameters()) {
        all.emplace_back(item.key(), item.value());
    }
    for (const auto& item : module.named_buffers()) {
        all.emplace_back(item.key(), item.value());
    }
    return all;
}

void checkMatches(const std::string& name, const torch::Tensor& target, const HostTensor& tensor) {
    const std::string wantedType = nameOf(target.scalar_type(), name);
    if (tensor.dtype != wantedType || !target.sizes().equals(tensor.shape)) {
        throw Error(ErrorCode::Data,
                    fmt::format("weights: {} is {} {}, the model needs {} {}", name, tensor.dtype,
                                shapeText(tensor.shape), wantedType, shapeText(target.sizes())),
                    "These weights belong to another model.");
    }
    checkBytes(tensor);
}

}  // namespace

HostTensor toHost(const std::string& name, const torch::Tensor& tensor) {
    const torch::Tensor plain = tensor.detach().to(torch::kCPU).contiguous();
    HostTensor host{name, nameOf(plain.scalar_type(), name), plain.sizes().vec(), {}};
    host.bytes.resize(plain.nbytes());
    if (!host.bytes.empty()) {
        std::memcpy(host.bytes.data(), plain.const_data_ptr(), host.bytes.size());
    }
    return host;
}

torch::Tensor toTorch(const HostTensor& tensor) {
    const torch::ScalarType type = typeOf(tensor);
    checkBytes(tensor);
    torch::Tensor result = torch::empty(tensor.shape, type);
    if (!tensor.bytes.empty()) {
        std::memcpy(result.mutable_data_ptr(), tensor.bytes.data(), tensor.bytes.size());
    }
    return result;
}

std::vector<HostTensor> exportParameters(const torch::nn::Module& module) {
    std::vector<HostTensor> result;
    for (const auto& [name, tensor] : parametersAndBuffers(module)) {
        result.push_back(toHost(name, tensor));
    }
    return result;
}

// Everything is checked before the first value is written: a refused file leaves the module as it
// was.
void importParameters(torch::nn::Module& module, const std::vector<HostTensor>& tensors) {
    std::map<std::string, const HostTensor*> given;
    for (const HostTensor& tensor : tensors) {
        if (!given.emplace(tensor.name, &tensor).second) {
            throw Error(ErrorCode::Data, fmt::format("weights: {} is there twice", tensor.name));
        }
    }
    const auto targets = parametersAndBuffers(module);
    for (const auto& [name, target] : targets) {
        const auto found = given.find(name);
        if (found == given.end()) {
            throw Error(ErrorCode::Data, fmt::format("weights: {} is missing", name),
                        "These weights belong to another model.");
        }
        checkMatches(name, target, *found->second);
    }
    if (given.size() != targets.size()) {
        for (const auto& [name, target] : targets) {
            given.erase(name);
        }
        throw Error(ErrorCode::Data,
                    fmt::format("weights: {} is not part of the model", given.begin()->first),
                    "These weights belong to another model.");
    }
    torch::NoGradGuard noGrad;
    for (const auto& [name, target] : targets) {
        torch::Tensor destination = target;
        destination.copy_(toTorch(*given.at(name)));
    }
}

}  // namespace receiptbench
