// SHA-256 through OpenSSL's EVP interface.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace receiptbench {

using Sha256Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;

    Sha256& update(std::span<const std::byte> bytes);
    Sha256& update(std::string_view text);
    // Little-endian bytes of the number.
    Sha256& update(std::uint64_t number);
    Sha256Digest finish();      // once
    std::string finishHex();    // once

 private:
    struct State;
    std::unique_ptr<State> state_;
};

std::string sha256Hex(std::span<const std::byte> bytes);
std::string sha256Hex(std::string_view text);
std::string toHex(std::span<const std::uint8_t> bytes);

}  // namespace receiptbench
