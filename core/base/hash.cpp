#include "core/base/hash.h"

#include <openssl/evp.h>

#include "core/base/error.h"

namespace receiptbench {
namespace {

void require(int result) {
    if (result != 1) {
        throw Error(ErrorCode::Failed, "OpenSSL failed to compute SHA-256",
                    "check the OpenSSL installation and its configuration (OPENSSL_CONF)");
    }
}

}  // namespace

struct Sha256::State {
    std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
    bool finished = false;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
    require(state_->context != nullptr ? 1 : 0);
    require(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr));
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::update(std::span<const std::byte> bytes) {
    require(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()));
    return *this;
}

Sha256& Sha256::update(std::string_view text) {
    return update(std::as_bytes(std::span(text.data(), text.size())));
}

Sha256& Sha256::update(std::uint64_t number) {
    std::array<std::byte, 8> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>(number >> (8 * i) & 0xff);
    }
    return update(std::span<const std::byte>(bytes));
}

Sha256Digest Sha256::finish() {
    if (state_->finished) {
        throw Error(ErrorCode::Failed, "SHA-256 finished twice");
    }
    state_->finished = true;
    Sha256Digest digest;
    require(EVP_DigestFinal_ex(state_->context.get(), digest.data(), nullptr));
    return digest;
}

std::string Sha256::finishHex() {
    return toHex(finish());
}

std::string sha256Hex(std::span<const std::byte> bytes) {
    return Sha256().update(bytes).finishHex();
}
std::string sha256Hex(std::string_view text) {
    return Sha256().update(text).finishHex();
}

std::string toHex(std::span<const std::uint8_t> bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const std::uint8_t byte : bytes) {
        hex += kDigits[byte >> 4];
        hex += kDigits[byte & 0xf];
    }
    return hex;
}

}  // namespace receiptbench
