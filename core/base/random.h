// Counter-based random numbers: every choice is a pure function of (seed, stream, index...), so
// that it depends neither on the order of calls nor on workers, microbatch plan or rank.
// Philox4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace receiptbench {

// One block of Philox4x32-10.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

// A sequence of numbers named by (seed, stream, a, b). stream names the purpose ("permutation",
// "flip", ...).
class RandomStream {
 public:
    RandomStream(std::uint64_t seed, std::string_view stream, std::uint64_t a = 0,
                 std::uint64_t b = 0);

    std::uint32_t next32();
    std::uint64_t next64();
    double uniform();                         // [0, 1), 53 bits
    double uniform(double low, double high);  // [low, high)
    double normal();                          // mean 0, variance 1 (Box-Muller)
    std::uint64_t below(std::uint64_t n);     // [0, n), unbiased; n >= 1

 private:
    std::array<std::uint32_t, 2> key_;
    std::array<std::uint32_t, 4> counter_;
    std::array<std::uint32_t, 4> block_;
    int used_ = 4;
};

// 0..n-1 shuffled (Fisher-Yates) by the stream.
std::vector<std::int64_t> permutation(std::int64_t n, RandomStream stream);

// FNV-1a of the text, for turning names (identities) into stream coordinates.
std::uint64_t hashName(std::string_view text);

}  // namespace receiptbench
