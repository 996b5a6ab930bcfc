#include "core/base/host_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/hash.h"
#include "core/base/text.h"

namespace receiptbench {

std::size_t dtypeSize(const std::string& dtype) {
    static constexpr std::array<std::pair<std::string_view, std::size_t>, 8> kSizes{{{"F32", 4},
                                                                                     {"F64", 8},
                                                                                     {"F16", 2},
                                                                                     {"BF16", 2},
                                                                                     {"I64", 8},
                                                                                     {"I32", 4},
                                                                                     {"U8", 1},
                                                                                     {"BOOL", 1}}};
    for (const auto& [name, size] : kSizes) {
        if (name == dtype) {
            return size;
        }
    }
    throw Error(ErrorCode::Data, fmt::format("tensor type \"{}\" is not known", printable(dtype)),
                "known are F32, F64, F16, BF16, I64, I32, U8 and BOOL");
}

std::int64_t elementCount(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    bool empty = false, overflow = false;
    for (const std::int64_t side : shape) {
        if (side < 0) {
            throw Error(ErrorCode::Data,
                        fmt::format("tensor shape has the negative size {}", side));
        }
        empty = empty || side == 0;
        overflow = overflow || __builtin_mul_overflow(count, side, &count);
    }
    if (overflow && !empty) {
        throw Error(ErrorCode::Data, "tensor shape has more than 2^63 elements");
    }
    return empty ? 0 : count;
}

std::string digestOfTensors(const std::vector<HostTensor>& tensors) {
    std::vector<const HostTensor*> ordered;
    for (const HostTensor& tensor : tensors) {
        ordered.push_back(&tensor);
    }
    std::sort(ordered.begin(), ordered.end(), [](const HostTensor* left, const HostTensor* right) {
        return left->name < right->name;
    });
    Sha256 hash;
    const auto add =
        [&](const std::string& text) {  // length first: no two lists give the same bytes
            hash.update(std::uint64_t{text.size()}).update(std::string_view(text));
        };
    hash.update(std::uint64_t{ordered.size()});
    for (const HostTensor* tensor : ordered) {
        add(tensor->name);
        add(tensor->dtype);
        hash.update(std::uint64_t{tensor->shape.size()});
        for (const std::int64_t side : tensor->shape) {
            hash.update(static_cast<std::uint64_t>(side));
        }
        hash.update(std::uint64_t{tensor->bytes.size()});
        hash.update(std::span<const std::byte>(tensor->bytes));
    }
    return hash.finishHex();
}

}  // namespace receiptbench
