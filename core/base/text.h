// Text for people and files. Never follows the locale: a number in a file looks the same
// everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptbench {

std::string formatBytes(std::int64_t bytes);  // "163.8 MiB"
std::optional<std::int64_t> parseBytes(
    std::string_view text);                  // "64MiB", "64 MB", "1.5GiB", "4096"; no sign
std::string formatDuration(double seconds);  // "1 min 05 s", "12.3 s"
std::string formatDouble(double value);      // shortest that reads back the same (to_chars)
std::optional<double> parseDouble(
    std::string_view text);  // whole text, from_chars; "0,05" is nothing
std::optional<std::int64_t> parseInt(std::string_view text);  // whole text
std::vector<std::string> split(std::string_view text, char separator);
std::string trim(std::string_view text);  // ASCII white space
bool isValidUtf8(std::string_view text);
// For one-line logs and messages: control characters and invalid UTF-8 as \n, \t, \xNN.
std::string printable(std::string_view text);
// RFC 4180 quoting; a cell that begins with = + - @ (and is no number) gets a leading apostrophe.
std::string csvCell(std::string_view text);

}  // namespace receiptbench
