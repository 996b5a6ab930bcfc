// JSON lines: one object a line. A line that is no JSON is a reject; the others stand for
// themselves.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/data/import/manifest.h"

namespace receiptbench {

namespace {

using Json = nlohmann::json;

void setProblem(ManifestRow& row, RejectReason reason, std::string message) {
    if (!row.problem) {
        row.problem = Problem{reason, std::move(message)};
    }
}

void takeField(ManifestRow& row, Field field, const std::string& name, const Json& value) {
    auto& cell = row.fields[static_cast<std::size_t>(field)];
    if (value.is_string()) {
        cell = value.get<std::string>();
    } else if (field == Field::Weight && value.is_number()) {
        cell = formatDouble(value.get<double>());
    } else {
        setProblem(
            row, RejectReason::BadRow,
            fmt::format("\"{}\" must be a string, not {}", printable(name), value.type_name()));
    }
}

ManifestRow readObject(std::string_view line, std::int64_t number, const ImportOptions& options) {
    ManifestRow row;
    row.line = number;
    if (!isValidUtf8(line)) {
        setProblem(row, RejectReason::InvalidUtf8, "the line is not UTF-8");
        return row;
    }
    Json object;
    try {
        object = parseJson(line, "the line");
    } catch (const Error& error) {
        setProblem(row, RejectReason::BadRow, error.what());
        return row;
    }
    if (!object.is_object()) {
        setProblem(row, RejectReason::BadRow,
                   fmt::format("the line is {}, not an object", object.type_name()));
        return row;
    }
    for (std::size_t f = 0; f < kFieldCount; ++f) {
        for (const std::string& name : namesOf(static_cast<Field>(f), options)) {
            if (const auto found = object.find(name); found != object.end()) {
                takeField(row, static_cast<Field>(f), name, *found);
                break;
            }
        }
    }
    return row;
}

}  // namespace

void readJsonLines(std::string_view text, const std::string& what, const ImportOptions& options,
                   const TakeRow& take) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        throw Error(ErrorCode::Data, fmt::format("{} is empty", what),
                    "Write one JSON object a line.");
    }
    if (text[first] == '[') {
        throw Error(
            ErrorCode::Data, fmt::format("{} is one JSON array, not JSON lines", what),
            "Write one object a line, without brackets and commas between them (jq -c '.[]').");
    }
    for (std::int64_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
            take(readObject(line, number, options));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace receiptbench
