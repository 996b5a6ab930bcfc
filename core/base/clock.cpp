#include "core/base/clock.h"

#include <fmt/format.h>

#include <ctime>

namespace receiptbench {
namespace {

class SystemClock final : public Clock {
 public:
    double seconds() const override {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return std::chrono::duration<double>(now).count();
    }
    std::string utc() const override {
        const auto now = std::chrono::system_clock::now();
        const auto milliseconds =
            std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
        const std::time_t whole = static_cast<std::time_t>(milliseconds / 1000);
        std::tm parts{};
        gmtime_r(&whole, &parts);
        return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                           parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                           parts.tm_sec, milliseconds % 1000);
    }
};

}  // namespace

const Clock& Clock::system() {
    static const SystemClock clock;
    return clock;
}

}  // namespace receiptbench
