// An 8-bit RGB picture: the only form pixels have outside the decoder.
#pragma once

#include <cstdint>
#include <vector>

namespace receiptbench {

struct Image {
    std::int64_t width = 0, height = 0;
    std::vector<std::uint8_t> rgb;  // [height,width,3]
};

}  // namespace receiptbench
