#include <fmt/format.h>

#include <algorithm>

#include "core/base/host_tensor.h"
#include "core/base/text.h"

namespace receiptbench {
namespace {

constexpr std::uint64_t kMostFileBytes = 8ull << 30;
constexpr std::uint64_t kMostHeaderRead = 8 + (4ull << 20);

SafetensorsHeader readHeader(ReadableFile& file) {
    const std::uint64_t size = file.size();
    if (size > kMostFileBytes) {
        throw Error(ErrorCode::Data,
                    fmt::format("safetensors: {} bytes, {} are allowed", size, kMostFileBytes));
    }
    std::vector<std::byte> start(std::min<std::uint64_t>(size, 8));
    file.read(0, start);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        length |= std::to_integer<std::uint64_t>(start[i]) << (8 * i);
    }
    // Only what a valid header may hold is read; parseSafetensorsHeader refuses the rest.
    start.resize(
        std::min({size, kMostHeaderRead, length > kMostHeaderRead ? kMostHeaderRead : 8 + length}));
    file.read(0, start);
    return parseSafetensorsHeader(start, size);
}

std::vector<TensorSlot> slotsOf(const std::vector<HostTensor>& tensors) {
    std::vector<TensorSlot> slots;
    std::uint64_t offset = 0;
    for (const HostTensor& tensor : tensors) {
        slots.push_back(
            {tensor.name, tensor.dtype, tensor.shape, offset, offset + tensor.bytes.size()});
        offset += tensor.bytes.size();
    }
    return slots;
}

}  // namespace

SafetensorsFile readSafetensors(FileSystem& files, const std::string& path) {
    const auto file = files.openRead(path);
    try {
        const SafetensorsHeader header = readHeader(*file);
        SafetensorsFile content;
        content.metadata = header.metadata;
        for (const TensorSlot& slot : header.tensors) {
            HostTensor tensor{slot.name, slot.dtype, slot.shape,
                              std::vector<std::byte>(slot.end - slot.begin)};
            file->read(header.dataOffset + slot.begin, tensor.bytes);
            content.tensors.push_back(std::move(tensor));
        }
        return content;
    } catch (const FileError&) {
        throw;
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("{}: {}", printable(path), error.what()),
                    error.hint());
    }
}

void writeSafetensors(FileSystem& files, const std::string& path, const SafetensorsFile& content) {
    const std::vector<std::byte> header =
        makeSafetensorsHeader(slotsOf(content.tensors), content.metadata);
    writeAtomicallyWith(files, path, [&](WritableFile& file) {
        file.write(header);
        for (const HostTensor& tensor : content.tensors) {
            if (!tensor.bytes.empty()) {
                file.write(tensor.bytes);
            }
        }
    });
}

}  // namespace receiptbench
