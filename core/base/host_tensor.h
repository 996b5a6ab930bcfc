// A tensor as plain bytes in host memory, and the safetensors container format without Torch.
// Format: https://github.com/huggingface/safetensors (u64le header length | JSON header |
// contiguous data).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/file_system.h"

namespace receiptbench {

// dtype by safetensors' names: "F32", "F64", "F16", "BF16", "I64", "I32", "U8", "BOOL".
struct HostTensor {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::vector<std::byte> bytes;  // contiguous, little-endian, row-major
};

std::size_t dtypeSize(const std::string& dtype);  // throws Error(Data) for an unknown one
std::int64_t elementCount(const std::vector<std::int64_t>& shape);

struct TensorSlot {  // where a tensor lies in the data part
    std::string name, dtype;
    std::vector<std::int64_t> shape;
    std::uint64_t begin, end;  // bytes, relative to the data part
};
struct SafetensorsHeader {
    std::vector<TensorSlot> tensors;              // by begin
    std::map<std::string, std::string> metadata;  // "__metadata__"
    std::uint64_t dataOffset;                     // 8 + header length
    std::uint64_t dataLength;
};

// Limits: header <= 4 MiB, <= 65,536 tensors, rank <= 8, names <= 512 bytes, no duplicate keys,
// checked multiplication, contiguous offsets without holes. fileSize is checked against them before
// anything is allocated. Throws Error(Data) naming what is wrong.
SafetensorsHeader parseSafetensorsHeader(std::span<const std::byte> start, std::uint64_t fileSize);

// Length prefix + header, padded with spaces so that the data begins at a multiple of 64.
std::vector<std::byte> makeSafetensorsHeader(const std::vector<TensorSlot>& tensors,
                                             const std::map<std::string, std::string>& metadata);

struct SafetensorsFile {
    std::vector<HostTensor> tensors;
    std::map<std::string, std::string> metadata;
};
SafetensorsFile readSafetensors(FileSystem& files, const std::string& path);
// Atomically (see writeAtomically), in the order given.
void writeSafetensors(FileSystem& files, const std::string& path, const SafetensorsFile& content);

// SHA-256 over name, dtype, shape and bytes of each, in order of name: a model's revision.
std::string digestOfTensors(const std::vector<HostTensor>& tensors);

}  // namespace receiptbench
