#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace receiptbench {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\r\f\v";

struct Unit {
    std::string_view name;  // lower case
    std::int64_t factor;
};
constexpr std::int64_t kKi = 1024;
constexpr std::array<Unit, 14> kUnits{{{"", 1},
                                       {"b", 1},
                                       {"k", kKi},
                                       {"kib", kKi},
                                       {"kb", 1000},
                                       {"m", kKi* kKi},
                                       {"mib", kKi* kKi},
                                       {"mb", 1000'000},
                                       {"g", kKi* kKi* kKi},
                                       {"gib", kKi* kKi* kKi},
                                       {"gb", 1000'000'000},
                                       {"t", kKi* kKi* kKi* kKi},
                                       {"tib", kKi* kKi* kKi* kKi},
                                       {"tb", 1000'000'000'000}}};

template <typename Number>
std::optional<Number> parseWhole(std::string_view text) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || error != std::errc() || stop != end) {
        return std::nullopt;
    }
    return value;
}

char lowerAscii(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string formatBytes(std::int64_t bytes) {
    static constexpr std::array<const char*, 6> kNames{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    const double magnitude = std::fabs(static_cast<double>(bytes));
    if (magnitude < 1024) {
        return fmt::format("{} B", bytes);
    }
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    // 1023.95 would print as "1024.0".
    while (std::fabs(value) >= 1023.95 && unit + 1 < kNames.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.1f} {}", value, kNames[unit]);
}

std::optional<std::int64_t> parseBytes(std::string_view text) {
    const std::string whole = trim(text);
    const std::size_t numberEnd = std::min(whole.find_first_not_of("0123456789."), whole.size());
    const std::string_view number = std::string_view(whole).substr(0, numberEnd);
    std::string unitName = trim(std::string_view(whole).substr(numberEnd));
    std::transform(unitName.begin(), unitName.end(), unitName.begin(), lowerAscii);
    const auto unit = std::find_if(kUnits.begin(), kUnits.end(),
                                   [&](const Unit& known) { return known.name == unitName; });
    if (unit == kUnits.end() || number.empty() || number.front() == '.' || number.back() == '.') {
        return std::nullopt;
    }
    if (const auto integer = parseInt(number)) {
        std::int64_t bytes = 0;
        return __builtin_mul_overflow(*integer, unit->factor, &bytes) ? std::nullopt
                                                                      : std::optional(bytes);
    }
    const auto real = parseDouble(number);
    if (!real || unit->factor == 1) {
        return std::nullopt;  // no half bytes
    }
    const double bytes = std::floor(*real * static_cast<double>(unit->factor));
    return bytes < 0x1p63 ? std::optional(static_cast<std::int64_t>(bytes)) : std::nullopt;
}

std::string formatDuration(double seconds) {
    if (!std::isfinite(seconds)) {
        return "unknown";
    }
    if (seconds < 0) {
        return "-" + formatDuration(-seconds);
    }
    if (seconds < 0.9995) {
        return fmt::format("{:.0f} ms", seconds * 1000);
    }
    if (seconds < 59.95) {
        return fmt::format("{:.1f} s", seconds);
    }
    if (seconds > 1e15) {
        return fmt::format("{:.0f} h", seconds / 3600);
    }
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    if (whole < 3600) {
        return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    }
    return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string formatDouble(double value) {
    std::array<char, 32> buffer;
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), result.ptr};
}

std::optional<double> parseDouble(std::string_view text) {
    return parseWhole<double>(text);
}
std::optional<std::int64_t> parseInt(std::string_view text) {
    return parseWhole<std::int64_t>(text);
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true) {
        const std::size_t end = text.find(separator, begin);
        parts.emplace_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos) {
            return parts;
        }
        begin = end + 1;
    }
}

std::string trim(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kWhiteSpace);
    if (begin == std::string_view::npos) {
        return {};
    }
    return std::string(text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1));
}

}  // namespace receiptbench
