// The header of a safetensors file: untrusted bytes in, checked values out.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/host_tensor.h"
#include "core/base/json.h"
#include "core/base/text.h"

namespace receiptbench {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostHeaderBytes = 4ull << 20;
constexpr std::size_t kMostTensors = 65536;
constexpr std::size_t kMostDimensions = 8;
constexpr std::size_t kMostNameBytes = 512;
constexpr std::uint64_t kPrefix = 8;
constexpr std::uint64_t kAlignment = 64;
constexpr const char* kMetadata = "__metadata__";

[[noreturn]] void refuse(const std::string& reason) {
    throw Error(ErrorCode::Data, "safetensors: " + reason);
}

std::uint64_t headerLength(std::span<const std::byte> start, std::uint64_t fileSize) {
    if (start.size() < kPrefix || fileSize < kPrefix) {
        refuse(fmt::format("{} bytes are too few for a header",
                           std::min<std::uint64_t>(start.size(), fileSize)));
    }
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < kPrefix; ++i) {
        length |= std::to_integer<std::uint64_t>(start[i]) << (8 * i);
    }
    if (length > kMostHeaderBytes) {
        refuse(fmt::format("header of {} bytes, {} are allowed", length, kMostHeaderBytes));
    }
    if (length > fileSize - kPrefix) {
        refuse(fmt::format("header of {} bytes in a file of {}", length, fileSize));
    }
    if (length > start.size() - kPrefix) {
        refuse(fmt::format("header of {} bytes, only {} given", length, start.size() - kPrefix));
    }
    return length;
}

std::uint64_t unsignedNumber(const json& value, const std::string& name, const char* what) {
    if (!value.is_number_unsigned() ||
        value.get<std::uint64_t>() >
            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        refuse(fmt::format("tensor \"{}\": {} is no whole number from 0 to 2^63-1", printable(name),
                           what));
    }
    return value.get<std::uint64_t>();
}

const json& arrayOf(const json& entry, const char* key, const std::string& name) {
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_array()) {
        refuse(fmt::format("tensor \"{}\": no list \"{}\"", printable(name), key));
    }
    return *found;
}

void checkName(const std::string& name) {
    if (name.empty() || name.size() > kMostNameBytes) {
        refuse(fmt::format("tensor name of {} bytes, 1 to {} are allowed", name.size(),
                           kMostNameBytes));
    }
}

// Bytes of the tensor; throws when the product overflows.
std::uint64_t byteCount(const TensorSlot& slot) {
    std::uint64_t bytes = 0;
    const auto count = static_cast<std::uint64_t>(elementCount(slot.shape));
    if (__builtin_mul_overflow(count, std::uint64_t{dtypeSize(slot.dtype)}, &bytes)) {
        refuse(fmt::format("tensor \"{}\": more than 2^64 bytes", printable(slot.name)));
    }
    return bytes;
}

void checkSlot(const TensorSlot& slot) {
    checkName(slot.name);
    if (slot.shape.size() > kMostDimensions) {
        refuse(fmt::format("tensor \"{}\": {} dimensions, {} are allowed", printable(slot.name),
                           slot.shape.size(), kMostDimensions));
    }
    if (slot.end < slot.begin || slot.end - slot.begin != byteCount(slot)) {
        refuse(fmt::format("tensor \"{}\": bytes {} to {} do not fit its shape and type ({} bytes)",
                           printable(slot.name), slot.begin, slot.end, byteCount(slot)));
    }
}

TensorSlot readSlot(const std::string& name, const json& entry) {
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string()) {
        refuse(fmt::format("tensor \"{}\": no \"dtype\"", printable(name)));
    }
    if (entry.size() != 3) {
        refuse(
            fmt::format("tensor \"{}\": more than dtype, shape and data_offsets", printable(name)));
    }
    TensorSlot slot{name, entry["dtype"].get<std::string>(), {}, 0, 0};
    for (const json& side : arrayOf(entry, "shape", name)) {
        if (slot.shape.size() == kMostDimensions) {
            refuse(fmt::format("tensor \"{}\": more than {} dimensions", printable(name),
                               kMostDimensions));
        }
        slot.shape.push_back(static_cast<std::int64_t>(unsignedNumber(side, name, "a size")));
    }
    const json& offsets = arrayOf(entry, "data_offsets", name);
    if (offsets.size() != 2) {
        refuse(fmt::format("tensor \"{}\": data_offsets are not two numbers", printable(name)));
    }
    slot.begin = unsignedNumber(offsets[0], name, "an offset");
    slot.end = unsignedNumber(offsets[1], name, "an offset");
    checkSlot(slot);
    return slot;
}

std::map<std::string, std::string> readMetadata(const json& entry) {
    if (!entry.is_object()) {
        refuse("__metadata__ is no object");
    }
    std::map<std::string, std::string> metadata;
    for (const auto& [key, value] : entry.items()) {
        if (!value.is_string()) {
            refuse(fmt::format("__metadata__: \"{}\" is no text", printable(key)));
        }
        metadata[key] = value.get<std::string>();
    }
    return metadata;
}

// Every byte of the data part belongs to exactly one tensor.
void checkContiguous(const std::vector<TensorSlot>& slots, std::uint64_t dataLength) {
    std::uint64_t expected = 0;
    for (const TensorSlot& slot : slots) {
        if (slot.begin != expected) {
            refuse(fmt::format("tensor \"{}\" begins at byte {}, expected {}", printable(slot.name),
                               slot.begin, expected));
        }
        expected = slot.end;
    }
    if (expected != dataLength) {
        refuse(
            fmt::format("the tensors end at byte {}, the file's data at {}", expected, dataLength));
    }
}

}  // namespace

SafetensorsHeader parseSafetensorsHeader(std::span<const std::byte> start, std::uint64_t fileSize) {
    const std::uint64_t length = headerLength(start, fileSize);
    const std::string_view text(reinterpret_cast<const char*>(start.data()) + kPrefix, length);
    if (!text.starts_with('{')) {
        refuse("the header does not begin with {");
    }
    const json root = parseJson(text, "safetensors header", 4);
    if (root.size() > kMostTensors + 1) {
        refuse(fmt::format("{} tensors, {} are allowed", root.size(), kMostTensors));
    }
    SafetensorsHeader header;
    header.dataOffset = kPrefix + length;
    header.dataLength = fileSize - header.dataOffset;
    for (const auto& [name, entry] : root.items()) {
        if (name == kMetadata) {
            header.metadata = readMetadata(entry);
        } else {
            header.tensors.push_back(readSlot(name, entry));
        }
    }
    if (header.tensors.size() > kMostTensors) {
        refuse(fmt::format("{} tensors, {} are allowed", header.tensors.size(), kMostTensors));
    }
    std::sort(header.tensors.begin(), header.tensors.end(),
              [](const auto& left, const auto& right) {
                  return std::tie(left.begin, left.end, left.name) <
                         std::tie(right.begin, right.end, right.name);
              });
    checkContiguous(header.tensors, header.dataLength);
    return header;
}

std::vector<std::byte> makeSafetensorsHeader(const std::vector<TensorSlot>& tensors,
                                             const std::map<std::string, std::string>& metadata) {
    json root = json::object();
    if (!metadata.empty()) {
        root[kMetadata] = metadata;
    }
    for (const TensorSlot& slot : tensors) {
        checkSlot(slot);
        if (slot.name == kMetadata || root.contains(slot.name)) {
            refuse(fmt::format("tensor name \"{}\" is used twice", printable(slot.name)));
        }
        root[slot.name] = {
            {"dtype", slot.dtype}, {"shape", slot.shape}, {"data_offsets", {slot.begin, slot.end}}};
    }
    std::string text;
    try {
        text = root.dump();
    } catch (const json::exception&) {
        refuse("a tensor's name or the metadata is not valid UTF-8");
    }
    text.append((kAlignment - (kPrefix + text.size()) % kAlignment) % kAlignment, ' ');
    if (text.size() > kMostHeaderBytes || tensors.size() > kMostTensors) {
        refuse(fmt::format("{} tensors with a header of {} bytes are too many", tensors.size(),
                           text.size()));
    }
    std::vector<std::byte> bytes;
    bytes.reserve(kPrefix + text.size());
    for (std::size_t i = 0; i < kPrefix; ++i) {
        bytes.push_back(static_cast<std::byte>(text.size() >> (8 * i) & 0xff));
    }
    const auto characters = std::as_bytes(std::span(text));
    bytes.insert(bytes.end(), characters.begin(), characters.end());
    return bytes;
}

}  // namespace receiptbench
