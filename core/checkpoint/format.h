// Constants of the checkpoint format; described in FORMAT.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace receiptbench::format {

inline constexpr std::string_view kFormat = "receiptbench-checkpoint";
inline constexpr std::string_view kVersion = "1.0";
inline constexpr std::int64_t kMajorVersion = 1;

// Features that a reader must know to read the file rightly. The first two are in every file of
// version 1.
inline constexpr std::array<std::string_view, 2> kFeatures{"crc32c", "seal-sha256"};

inline constexpr std::string_view kSealName = "seal";
inline constexpr std::size_t kSealBytes = 64;
// Begins with a byte that is no text and holds CR LF, so that a text-mode copy breaks it visibly
// (as PNG does).
inline constexpr std::array<std::uint8_t, 8> kSealMagic{0x8b, 'R', 'B', 'S', '1', '\r', '\n', 0x1a};

inline constexpr std::uint64_t kMostFileBytes = 8ull << 30;
inline constexpr std::uint64_t kMostHeaderBytes = 4ull << 20;
inline constexpr std::uint64_t kHeaderPrefix = 8;
inline constexpr std::size_t kChunk = 1u << 20;  // bytes read or written at once

}  // namespace receiptbench::format
