// Reading JSON objects field by field, so that every complaint names the field:
// "contract.optimizer.beta1: ...". For this project's .cpp files: it includes the whole JSON
// library.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace receiptbench {

// Non-finite numbers, which JSON lacks, as the strings "nan", "inf" and "-inf".
nlohmann::json numberToJson(double value);

class JsonFields {
 public:
    // path names the object in messages. Throws Error(Data) when value is no object.
    JsonFields(const nlohmann::json& value, std::string path);

    const nlohmann::json& at(const char* name);  // Error(Data) when missing
    bool has(const char* name) const { return value_.contains(name); }
    std::string pathOf(const std::string& name) const {
        return path_.empty() ? name : path_ + "." + name;
    }

    void read(const char* name, std::string& value);
    void read(const char* name, bool& value);
    void read(const char* name, double& value);  // also numberToJson's strings
    void read(const char* name, std::int64_t& value);
    void read(const char* name, int& value);
    void read(const char* name, std::uint64_t& value);
    void read(const char* name, std::optional<double>& value);  // null: none
    void read(const char* name, std::vector<std::string>& value);
    void read(const char* name, std::vector<std::int64_t>& value);
    void read(const char* name, std::vector<double>& value);

    // Every field that was not read is unknown: Error(Data) naming the first.
    void refuseUnknown() const;

 private:
    [[noreturn]] void refuse(const std::string& name, const char* expected) const;
    template <typename Value>
    void readList(const char* name, std::vector<Value>& list);

    const nlohmann::json& value_;
    std::string path_;
    std::set<std::string> seen_;
};

}  // namespace receiptbench
