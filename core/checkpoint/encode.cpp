#include "core/checkpoint/encode.h"

#include <algorithm>

#include "core/checkpoint/crc32c.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/manifest.h"
#include "core/checkpoint/meaning.h"
#include "core/checkpoint/seal.h"

namespace receiptbench {
namespace {

// Hashes what it writes; gathers small pieces.
class HashingWriter {
 public:
    explicit HashingWriter(WritableFile& file) : file_(file) { buffer_.reserve(format::kChunk); }

    void append(std::span<const std::byte> bytes) {
        hash_.update(bytes);
        if (buffer_.size() + bytes.size() > format::kChunk) {
            flush();
        }
        if (bytes.size() > format::kChunk) {
            file_.write(bytes);
        } else {
            buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
        }
    }
    void flush() {
        if (!buffer_.empty()) {
            file_.write(buffer_);
            buffer_.clear();
        }
    }
    Sha256Digest finish() { return hash_.finish(); }

 private:
    WritableFile& file_;
    std::vector<std::byte> buffer_;
    Sha256 hash_;
};

// Largest elements first, so that every tensor is aligned to its element without gaps, which
// safetensors forbids.
std::vector<const HostTensor*> fileOrder(const std::vector<HostTensor>& tensors) {
    std::vector<const HostTensor*> order;
    order.reserve(tensors.size());
    for (const HostTensor& tensor : tensors) {
        order.push_back(&tensor);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const HostTensor* left, const HostTensor* right) {
                         return dtypeSize(left->dtype) > dtypeSize(right->dtype);
                     });
    return order;
}

std::vector<TensorSlot> slotsOf(const std::vector<const HostTensor*>& tensors) {
    std::vector<TensorSlot> slots;
    std::uint64_t offset = 0;
    for (const HostTensor* tensor : tensors) {
        const std::uint64_t end = offset + tensor->bytes.size();
        slots.push_back({tensor->name, tensor->dtype, tensor->shape, offset, end});
        offset = end;
    }
    slots.push_back({std::string(format::kSealName),
                     "U8",
                     {std::int64_t{format::kSealBytes}},
                     offset,
                     offset + format::kSealBytes});
    return slots;
}

}  // namespace

EncodedCheckpoint encodeCheckpoint(const TrainingState& state, const SaveOptions& options) {
    Manifest manifest{{options.generation, state.values.attempted},
                      options.contractHash,
                      options.parentDigest,
                      state.values,
                      {}};
    std::vector<TensorShape> shapes;
    for (const HostTensor& tensor : state.tensors) {
        shapes.push_back({tensor.name, tensor.dtype, tensor.shape});
        manifest.checksums.emplace_back(tensor.name, crc32c(tensor.bytes));
    }
    checkMeaning(state.values, shapes);
    EncodedCheckpoint checkpoint;
    checkpoint.name = manifest.name;
    checkpoint.tensors = fileOrder(state.tensors);
    const std::vector<TensorSlot> slots = slotsOf(checkpoint.tensors);
    checkpoint.header = makeSafetensorsHeader(slots, writeManifest(manifest));
    checkpoint.length = checkpoint.header.size() + slots.back().end;
    return checkpoint;
}

Sha256Digest writeSealed(WritableFile& file, const EncodedCheckpoint& checkpoint) {
    HashingWriter writer(file);
    writer.append(checkpoint.header);
    writer.flush();
    for (const HostTensor* tensor : checkpoint.tensors) {
        writer.append(tensor->bytes);
    }
    writer.flush();
    const Sha256Digest digest = writer.finish();
    file.write(encodeSeal({checkpoint.length, digest}));
    return digest;
}

}  // namespace receiptbench
