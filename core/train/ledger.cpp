#include "core/train/ledger.h"

#include <fmt/format.h>

#include <numeric>

#include "core/base/error.h"

namespace receiptbench {
namespace {

void require(bool holds, const UpdateRecord& record, const std::string& what) {
    if (!holds) {
        throw Error(ErrorCode::Failed,
                    fmt::format("update {}: the ledger does not add up: {}", record.update, what),
                    "This is a fault of the program or of its records, not of your data.");
    }
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

}  // namespace

void checkLedger(const UpdateRecord& record, const ExperimentContract& contract,
                 std::int64_t positionBefore) {
    require(record.update == record.applied + record.skipped, record,
            fmt::format("{} applied + {} skipped", record.applied, record.skipped));
    require(record.scheduleSteps == record.applied, record,
            fmt::format("{} schedule steps, {} applied", record.scheduleSteps, record.applied));
    const bool shortAllowed =
        contract.lastUpdate == LastUpdateRule::Apply && record.accepted >= 1 &&
        record.accepted < contract.examplesPerUpdate && contract.trainExamples > 0 &&
        record.position % contract.trainExamples == 0;
    require(record.accepted == contract.examplesPerUpdate || shortAllowed, record,
            fmt::format("{} accepted examples, the contract says {}", record.accepted,
                        contract.examplesPerUpdate));
    const std::int64_t cut = sum(record.microbatches), mixed = sum(record.classMix);
    require(
        cut == record.accepted && mixed == record.accepted, record,
        fmt::format("{} accepted, {} in microbatches, {} by class", record.accepted, cut, mixed));
    require(record.position - positionBefore >= record.accepted, record,
            fmt::format("stream position {} after {}, {} accepted", record.position, positionBefore,
                        record.accepted));
}

}  // namespace receiptbench
