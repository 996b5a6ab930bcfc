#include "core/contract/run_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace receiptbench {

std::string toString(Precision precision) {
    switch (precision) {
        case Precision::Fp32:
            return "fp32";
        case Precision::Fp16:
            return "fp16";
        case Precision::Bf16:
            return "bf16";
    }
    return "unknown";
}

Precision parsePrecision(const std::string& text) {
    for (const Precision precision : {Precision::Fp32, Precision::Fp16, Precision::Bf16}) {
        if (text == toString(precision)) {
            return precision;
        }
    }
    throw Error(ErrorCode::Usage, fmt::format("precision \"{}\" is not known", printable(text)),
                "use fp32, fp16 or bf16");
}

std::string toString(MemoryFormat format) {
    return format == MemoryFormat::ChannelsLast ? "channels-last" : "contiguous";
}

MemoryFormat parseMemoryFormat(const std::string& text) {
    for (const MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
        if (text == toString(format)) {
            return format;
        }
    }
    throw Error(ErrorCode::Usage, fmt::format("memory format \"{}\" is not known", printable(text)),
                "use contiguous or channels-last");
}

std::vector<std::int64_t> cutUpdate(std::int64_t accepted, std::int64_t microbatch) {
    if (microbatch < 1 || accepted < 0) {
        throw Error(
            ErrorCode::Usage,
            fmt::format("cannot cut {} examples into microbatches of {}", accepted, microbatch),
            "a microbatch holds 1 or more examples");
    }
    std::vector<std::int64_t> sizes;
    for (std::int64_t left = accepted; left > 0; left -= sizes.back()) {
        sizes.push_back(std::min(left, microbatch));
    }
    return sizes;
}

}  // namespace receiptbench
