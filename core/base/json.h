// JSON from files, parsed strictly: duplicate keys, deep nesting and invalid UTF-8 are refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace receiptbench {

// what names the text in the message ("contract.json", "header of x.safetensors"). Throws
// Error(Data).
nlohmann::json parseJson(std::string_view text, const std::string& what, int deepest = 32);

}  // namespace receiptbench
