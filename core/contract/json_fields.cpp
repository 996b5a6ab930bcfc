#include "core/contract/json_fields.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/text.h"

namespace receiptbench {
namespace {

using nlohmann::json;

bool assign(const json& value, std::string& out) {
    if (!value.is_string()) {
        return false;
    }
    out = value.get<std::string>();
    return true;
}

bool assign(const json& value, std::int64_t& out) {
    const auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<std::uint64_t>() > largest)) {
        return false;
    }
    out = value.get<std::int64_t>();
    return true;
}

bool assign(const json& value, double& out) {
    if (value.is_number()) {
        out = value.get<double>();
        return true;
    }
    if (value == "nan") {
        out = std::numeric_limits<double>::quiet_NaN();
    } else if (value == "inf") {
        out = std::numeric_limits<double>::infinity();
    } else if (value == "-inf") {
        out = -std::numeric_limits<double>::infinity();
    } else {
        return false;
    }
    return true;
}

}  // namespace

json numberToJson(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    return value;
}

JsonFields::JsonFields(const json& value, std::string path)
    : value_(value), path_(std::move(path)) {
    if (!value_.is_object()) {
        throw Error(ErrorCode::Data,
                    fmt::format("{}: expected an object", path_.empty() ? "JSON" : path_));
    }
}

const json& JsonFields::at(const char* name) {
    const auto found = value_.find(name);
    if (found == value_.end()) {
        throw Error(ErrorCode::Data, fmt::format("field \"{}\" is missing", pathOf(name)));
    }
    seen_.insert(name);
    return *found;
}

void JsonFields::refuse(const std::string& name, const char* expected) const {
    const json& value = value_.at(name);
    const std::string text = value.is_structured() ? value.type_name() : value.dump();
    throw Error(ErrorCode::Data, fmt::format("field \"{}\": expected {}, got {}", pathOf(name),
                                             expected, printable(text)));
}

void JsonFields::read(const char* name, std::string& value) {
    if (!assign(at(name), value)) {
        refuse(name, "text");
    }
}

void JsonFields::read(const char* name, bool& value) {
    const json& found = at(name);
    if (!found.is_boolean()) {
        refuse(name, "true or false");
    }
    value = found.get<bool>();
}

void JsonFields::read(const char* name, double& value) {
    if (!assign(at(name), value)) {
        refuse(name, "a number");
    }
}

void JsonFields::read(const char* name, std::int64_t& value) {
    if (!assign(at(name), value)) {
        refuse(name, "a whole number below 2^63");
    }
}

void JsonFields::read(const char* name, int& value) {
    std::int64_t wide = 0;
    read(name, wide);
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
        refuse(name, "a whole number below 2^31");
    }
    value = static_cast<int>(wide);
}

void JsonFields::read(const char* name, std::uint64_t& value) {
    const json& found = at(name);
    // A json built in memory from a positive int is "signed"; a parsed one is "unsigned".
    if (!found.is_number_integer() ||
        (!found.is_number_unsigned() && found.get<std::int64_t>() < 0)) {
        refuse(name, "a whole number from 0 to 2^64-1");
    }
    value = found.get<std::uint64_t>();
}

void JsonFields::read(const char* name, std::optional<double>& value) {
    double number = 0;
    if (at(name).is_null()) {
        value.reset();
    } else if (assign(at(name), number)) {
        value = number;
    } else {
        refuse(name, "a number or null");
    }
}

template <typename Value>
void JsonFields::readList(const char* name, std::vector<Value>& list) {
    const json& found = at(name);
    if (!found.is_array()) {
        refuse(name, "a list");
    }
    list.clear();
    for (const json& item : found) {
        Value value{};
        if (!assign(item, value)) {
            refuse(name, "a list of one kind");
        }
        list.push_back(std::move(value));
    }
}

void JsonFields::read(const char* name, std::vector<std::string>& value) {
    readList(name, value);
}
void JsonFields::read(const char* name, std::vector<std::int64_t>& value) {
    readList(name, value);
}
void JsonFields::read(const char* name, std::vector<double>& value) {
    readList(name, value);
}

void JsonFields::refuseUnknown() const {
    for (const auto& [name, value] : value_.items()) {
        if (!seen_.contains(name)) {
            throw Error(ErrorCode::Data,
                        fmt::format("field \"{}\" is unknown", printable(pathOf(name))),
                        "it may come from a newer version of receiptbench");
        }
    }
}

}  // namespace receiptbench
