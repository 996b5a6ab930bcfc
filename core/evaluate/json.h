// Undefined values are null in JSON.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/evaluate/metrics.h"

namespace receiptbench {

inline nlohmann::json optionalJson(const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}
inline std::optional<double> optionalDouble(const nlohmann::json& json) {
    return json.is_null() ? std::nullopt : std::optional<double>(json.get<double>());
}
inline void to_json(nlohmann::json& json, const Interval& interval) {
    json = {interval.low, interval.high};
}
inline void from_json(const nlohmann::json& json, Interval& interval) {
    interval = {json.at(0).get<double>(), json.at(1).get<double>()};
}

}  // namespace receiptbench
