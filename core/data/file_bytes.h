// Reading a user's file: regular files only, never blocking on a pipe or device, size known before
// memory is spent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace receiptbench {

// Larger files are no receipt photos: an uncompressed 64 megapixel picture with 16 bits a sample
// has 488 MiB.
inline constexpr std::int64_t kMaxImageFileBytes = 512ll << 20;

// Links are followed. Throws DecodeError: Missing, NotAFile, Empty, Unreadable, TooLarge;
// NotAnImage or UnsupportedFormat when the first bytes already tell (the rest is then not read).
std::vector<std::byte> readImageFile(const std::string& path);
// Throws Error(Usage) when there is no such regular file, Error(Data) when it is larger than limit
// or cannot be read.
std::string readTextFile(const std::string& path, std::size_t limit);
// By the first bytes; a damaged or unsupported picture is one too. Never throws: what cannot be
// read is none.
bool startsLikePicture(const std::string& path);

}  // namespace receiptbench
