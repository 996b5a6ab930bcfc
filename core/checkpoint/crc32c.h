// CRC-32C (Castagnoli, polynomial 0x1EDC6F41; RFC 3720 appendix B.4). Names the damaged tensor; the
// seal's SHA-256 is what a checkpoint is accepted by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace receiptbench {

// Continues `previous`, the value over the bytes before; 0 to begin. Uses SSE4.2 where the
// processor has it.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous = 0);
// The same without special instructions.
std::uint32_t crc32cPortable(std::span<const std::byte> bytes, std::uint32_t previous = 0);

}  // namespace receiptbench
