#include "core/base/random.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/base/error.h"

namespace receiptbench {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < kRounds; ++round) {
        const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
        const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
        counter = {high(product1) ^ counter[1] ^ key[0], low(product1),
                   high(product0) ^ counter[3] ^ key[1], low(product0)};
        key[0] += kWeyl0;
        key[1] += kWeyl1;
    }
    return counter;
}

std::uint64_t hashName(std::string_view text) {
    std::uint64_t hash = 14695981039346656037ull;
    for (const char character : text) {
        hash ^= static_cast<unsigned char>(character);
        hash *= 1099511628211ull;
    }
    return hash;
}

// 256 bits of coordinates go into a 64-bit key and the counter's upper half by two blocks of the
// generator itself; the counter's lower half then numbers the blocks.
RandomStream::RandomStream(std::uint64_t seed, std::string_view stream, std::uint64_t a,
                           std::uint64_t b) {
    const std::uint64_t purpose = hashName(stream);
    const auto first = philox({low(seed), high(seed), low(purpose), high(purpose)}, {0, 0});
    const auto second =
        philox({low(a) ^ first[2], high(a) ^ first[3], low(b), high(b)}, {first[0], first[1]});
    key_ = {second[0], second[1]};
    counter_ = {0, 0, second[2], second[3]};
    block_ = {};
}

std::uint32_t RandomStream::next32() {
    if (used_ == 4) {
        block_ = philox(counter_, key_);
        used_ = 0;
        if (++counter_[0] == 0) {
            ++counter_[1];
        }
    }
    return block_[static_cast<std::size_t>(used_++)];
}

std::uint64_t RandomStream::next64() {
    const std::uint64_t lower = next32();
    const std::uint64_t upper = next32();
    return upper << 32 | lower;
}

double RandomStream::uniform() {
    return static_cast<double>(next64() >> 11) * 0x1p-53;
}

double RandomStream::uniform(double lowest, double highest) {
    const double value = lowest + (highest - lowest) * uniform();
    return value < highest ? value : lowest;  // rounding may reach the open end
}

double RandomStream::normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));  // 1 - u is never 0
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::uint64_t RandomStream::below(std::uint64_t n) {
    if (n == 0) {
        throw Error(ErrorCode::Failed, "random number below 0 asked for");
    }
    const std::uint64_t surplus = (0 - n) % n;  // 2^64 mod n: these would favour small values
    std::uint64_t value = next64();
    while (value < surplus) {
        value = next64();
    }
    return value % n;
}

std::vector<std::int64_t> permutation(std::int64_t n, RandomStream stream) {
    if (n < 0) {
        throw Error(ErrorCode::Failed,
                    "permutation of " + std::to_string(n) + " elements asked for");
    }
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    for (std::size_t left = order.size(); left > 1; --left) {
        std::swap(order[left - 1], order[stream.below(left)]);
    }
    return order;
}

}  // namespace receiptbench
