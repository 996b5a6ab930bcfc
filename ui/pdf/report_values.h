// Reading the report's JSON for people: whatever is absent or of another type becomes "n/a", never
// an exception.
#pragma once

#include <cstdint>
#include <vector>

#include <QString>

#include <nlohmann/json.hpp>

namespace receiptbench {

// A null value when it is not there.
const nlohmann::json& fieldOf(const nlohmann::json& object, const char* key);
// An empty list when it is none.
const nlohmann::json& listOf(const nlohmann::json& object, const char* key);

QString notAvailable();
QString noComparison(const nlohmann::json& report);  // why the report has none
// From a file: control characters and invalid UTF-8 made visible, at most `longest` characters.
QString plainText(const nlohmann::json& value, int longest = 400);
QString plainText(const std::string& value, int longest = 400);
QString shortHash(const nlohmann::json& value, int characters = 12);

double numberOf(
    const nlohmann::json& value);  // also "nan", "inf", "-inf"; NaN when it is no number
std::int64_t wholeOf(const nlohmann::json& value);  // 0 when it is no number
std::vector<std::int64_t> wholesOf(const nlohmann::json& list);
bool isTrue(const nlohmann::json& value);

// Never by the locale. "n/a" for NaN, "inf" for infinities.
QString fixedText(double value, int decimals);
QString powerText(double value, int digits = 2);      // "3.1e-07"
QString shortText(double value, int digits = 4);      // "0.002", "65536"
QString percentText(double share, int decimals = 1);  // "93.1 %"
QString bytesText(const nlohmann::json& value);       // "48.3 MiB"; "n/a"
QString countText(const nlohmann::json& value);       // "12 345"; "n/a"
QString joinedText(const std::vector<std::int64_t>& values, const QString& separator);

}  // namespace receiptbench
