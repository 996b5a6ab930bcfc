#include "core/checkpoint/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace receiptbench {
namespace {

constexpr std::uint32_t kReflectedPolynomial = 0x82f63b78u;

constexpr std::array<std::uint32_t, 256> makeTable() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit) {
            value = (value >> 1) ^ ((value & 1) != 0 ? kReflectedPolynomial : 0);
        }
        table[byte] = value;
    }
    return table;
}
constexpr auto kTable = makeTable();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32cSse42(std::span<const std::byte> bytes,
                                                            std::uint32_t previous) {
    std::uint64_t value = ~previous;
    while (bytes.size() >= sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof word);
        value = _mm_crc32_u64(value, word);
        bytes = bytes.subspan(sizeof word);
    }
    auto rest = static_cast<std::uint32_t>(value);
    for (const std::byte byte : bytes) {
        rest = _mm_crc32_u8(rest, std::to_integer<std::uint8_t>(byte));
    }
    return ~rest;
}
#endif

}  // namespace

std::uint32_t crc32cPortable(std::span<const std::byte> bytes, std::uint32_t previous) {
    std::uint32_t value = ~previous;
    for (const std::byte byte : bytes) {
        value = (value >> 8) ^ kTable[(value ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
    }
    return ~value;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous) {
#if defined(__x86_64__)
    static const bool fast = __builtin_cpu_supports("sse4.2") != 0;
    if (fast) {
        return crc32cSse42(bytes, previous);
    }
#endif
    return crc32cPortable(bytes, previous);
}

}  // namespace receiptbench
