#include "app/options.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/workbench/demo.h"

namespace receiptbench {

std::int64_t parseBudget(const std::string& text) {
    if (text == "none") {
        return 0;
    }
    const auto bytes = parseBytes(text);
    if (!bytes || *bytes < 1) {
        throw Error(ErrorCode::Usage, fmt::format("--budget \"{}\" is no size", printable(text)),
                    "name one such as 64MiB or 1.5GiB, or none for no limit");
    }
    return *bytes;
}

std::pair<std::int64_t, std::int64_t> parseSize(const std::string& text) {
    const auto parts = split(text, 'x');
    const auto height = parseInt(parts[0]),
               width = parts.size() == 2 ? parseInt(parts[1]) : std::nullopt;
    if (!height || !width) {
        throw Error(ErrorCode::Usage,
                    fmt::format("--size \"{}\" is no HEIGHTxWIDTH", printable(text)),
                    "for example --size 256x192");
    }
    validateSize(*height, *width);
    return {*height, *width};
}

std::vector<Precision> parseModes(const std::vector<std::string>& names) {
    std::vector<Precision> modes;
    for (const auto& name : names) {
        const auto mode = parsePrecision(name);
        if (std::find(modes.begin(), modes.end(), mode) == modes.end()) {
            modes.push_back(mode);
        }
    }
    return modes;
}

namespace {

std::string readWhole(std::string& text, bool isSigned) {
    const auto value = parseInt(text);
    if (!value || (!isSigned && *value < 0)) {
        return fmt::format("\"{}\" is no whole number{}", printable(text),
                           isSigned ? "" : " from 0 to 9223372036854775807");
    }
    text = std::to_string(*value);
    return {};
}

}  // namespace

void readWholeNumbersStrictly(CLI::App& app) {
    for (auto* option : app.get_options()) {
        const bool isSigned = option->get_type_name().rfind("INT", 0) == 0;
        if (isSigned || option->get_type_name().rfind("UINT", 0) == 0) {
            option->transform(CLI::Validator(
                [isSigned](std::string& text) { return readWhole(text, isSigned); }, ""));
        }
    }
    for (auto* command : app.get_subcommands({})) {
        readWholeNumbersStrictly(*command);
    }
}

CLI::Validator atLeast(std::int64_t least) {
    return CLI::Validator(
        [least](std::string& text) {
            const auto value = parseInt(text);
            return value && *value >= least
                       ? std::string()
                       : fmt::format("{} is not allowed: {} or more", printable(text), least);
        },
        "");
}

}  // namespace receiptbench
