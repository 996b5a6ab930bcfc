#include "core/contract/contract.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/contract/contract_json.h"
#include "core/contract/json_fields.h"

namespace receiptbench {
namespace {

using nlohmann::json;

constexpr std::int64_t kFormat = 1;
constexpr std::uint64_t kMostContractBytes = 4ull << 20;

// Dotted name -> value; lists stay whole.
void flatten(const json& value, const std::string& path, std::map<std::string, json>& out) {
    if (!value.is_object()) {
        out[path] = value;
        return;
    }
    for (const auto& [name, field] : value.items()) {
        flatten(field, path.empty() ? name : path + "." + name, out);
    }
}

// JSON has no such numbers: they would be written as null and be lost.
void requireFinite(const json& value) {
    std::map<std::string, json> fields;
    flatten(value, "", fields);
    const auto isBad = [](const json& number) {
        return number.is_number_float() && !std::isfinite(number.get<double>());
    };
    for (const auto& [name, field] : fields) {
        bool bad = isBad(field);
        for (const json& item : field.is_array() ? field : json::array()) {
            bad = bad || isBad(item);
        }
        if (bad) {
            throw Error(ErrorCode::Data,
                        fmt::format("contract field \"{}\" is not a finite number", name));
        }
    }
}

std::string dumpText(const json& value, int indent) {
    try {
        return value.dump(indent);
    } catch (const json::exception&) {
        throw Error(ErrorCode::Data, "the contract holds text that is not valid UTF-8");
    }
}

}  // namespace

std::string toString(LastUpdateRule rule) {
    switch (rule) {
        case LastUpdateRule::Carry:
            return "carry";
        case LastUpdateRule::Apply:
            return "apply";
        case LastUpdateRule::Drop:
            return "drop";
    }
    return "unknown";
}

LastUpdateRule parseLastUpdateRule(const std::string& text) {
    for (const auto rule : {LastUpdateRule::Carry, LastUpdateRule::Apply, LastUpdateRule::Drop}) {
        if (text == toString(rule)) {
            return rule;
        }
    }
    throw Error(ErrorCode::Usage,
                fmt::format("last-update rule \"{}\" is not known", printable(text)),
                "use carry, apply or drop");
}

std::string canonicalJson(const ExperimentContract& contract) {
    const json value = contractToJson(contract);  // nlohmann's objects are sorted by key
    requireFinite(value);
    return dumpText(value, -1);
}

std::string contractHash(const ExperimentContract& contract) {
    return sha256Hex(canonicalJson(contract));
}

void saveContract(FileSystem& files, const std::string& path, const ExperimentContract& contract,
                  const ContractEnvironment& environment) {
    const json file = {{"format", kFormat},
                       {"contract", contractToJson(contract)},
                       {"hash", contractHash(contract)},
                       {"environment", environmentToJson(environment)}};
    // A frozen contract is never replaced: runs were made under it.
    writeAtomically(files, path, dumpText(file, 2) + "\n", false);
}

LoadedContract loadContract(FileSystem& files, const std::string& path) {
    const std::string text = readText(files, path, kMostContractBytes);
    const std::string shown = printable(path);
    const json root = parseJson(text, shown);
    try {
        JsonFields fields(root, "");
        std::int64_t format = 0;
        fields.read("format", format);
        if (format != kFormat) {
            throw Error(ErrorCode::Data,
                        fmt::format("contract format {}, this version reads {}", format, kFormat));
        }
        LoadedContract loaded;
        fields.read("hash", loaded.hash);
        loaded.contract = contractFromJson(fields.at("contract"));
        loaded.environment = environmentFromJson(fields.at("environment"));
        fields.refuseUnknown();
        const std::string actual = contractHash(loaded.contract);
        if (actual != loaded.hash) {
            throw Error(
                ErrorCode::Data,
                fmt::format(
                    "the contract was changed after freezing: it says hash {}, its content has {}",
                    printable(loaded.hash), actual),
                "put the original file back, or freeze a new project with the changed settings");
        }
        validateContract(loaded.contract);
        return loaded;
    } catch (const Error& error) {
        throw Error(ErrorCode::Data, fmt::format("{}: {}", shown, error.what()), error.hint());
    }
}

std::vector<FieldDifference> diffContracts(const ExperimentContract& left,
                                           const ExperimentContract& right) {
    std::map<std::string, json> leftFields, rightFields;
    flatten(contractToJson(left), "", leftFields);
    flatten(contractToJson(right), "", rightFields);
    std::vector<FieldDifference> differences;
    for (const auto& [name, value] : leftFields) {  // both have every field
        const json& other = rightFields.at(name);
        const std::string leftText = dumpText(value, -1), rightText = dumpText(other, -1);
        if (leftText != rightText) {
            differences.push_back({name, leftText, rightText});
        }
    }
    return differences;
}

}  // namespace receiptbench
