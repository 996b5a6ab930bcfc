// The contract as JSON, both ways. For this folder's .cpp files.
#pragma once

#include <nlohmann/json.hpp>

#include "core/contract/contract.h"

namespace receiptbench {

nlohmann::json contractToJson(const ExperimentContract& contract);
// Unknown and missing fields: Error(Data) by name. Ranges are validateContract's.
ExperimentContract contractFromJson(const nlohmann::json& json);
nlohmann::json environmentToJson(const ContractEnvironment& environment);
ContractEnvironment environmentFromJson(const nlohmann::json& json);

}  // namespace receiptbench
