#include "core/checkpoint/info.h"

namespace receiptbench {

void addPart(CheckpointInfo& info, const std::string& tensorName, std::uint64_t bytes) {
    const char* part = tensorName.starts_with("optimizer/") ? "optimizer"
                       : tensorName.starts_with("rng/")     ? "rng"
                                                            : "weights";
    info.bytesByPart[part] += bytes;
}

void finishParts(CheckpointInfo& info) {
    std::uint64_t tensors = 0;
    for (const auto& [part, bytes] : info.bytesByPart) {
        tensors += bytes;
    }
    info.bytesByPart["state and header"] = info.bytes - tensors;
}

}  // namespace receiptbench
