#include "core/contract/update_record.h"

#include "core/contract/json_fields.h"

namespace receiptbench {
namespace {

using nlohmann::json;
using Categories = std::array<std::int64_t, kMemoryCategories>;

json categoriesToJson(const Categories& bytes) {
    json object = json::object();
    for (int i = 0; i < kMemoryCategories; ++i) {
        object[toString(static_cast<MemoryCategory>(i))] = bytes[static_cast<std::size_t>(i)];
    }
    return object;
}

void readCategories(JsonFields& fields, const char* name, Categories& bytes) {
    JsonFields object(fields.at(name), fields.pathOf(name));
    for (int i = 0; i < kMemoryCategories; ++i) {
        object.read(toString(static_cast<MemoryCategory>(i)).c_str(),
                    bytes[static_cast<std::size_t>(i)]);
    }
}

json optionalToJson(const std::optional<double>& value) {
    return value ? numberToJson(*value) : json(nullptr);
}

}  // namespace

std::string toString(MemoryCategory category) {
    static constexpr std::array<const char*, kMemoryCategories> kNames{
        "parameters", "gradients", "optimizer", "inputs", "activations", "other"};
    return kNames.at(static_cast<std::size_t>(category));
}

std::optional<double> examplesPerSecond(const UpdateRecord& record) {
    const double seconds = record.seconds.total() - record.seconds.checkpoint;
    return seconds > 0 ? std::optional<double>(static_cast<double>(record.accepted) / seconds)
                       : std::nullopt;
}

void to_json(json& out, const MemoryPeaks& peaks) {
    out = {{"total", peaks.total},
           {"atPeak", categoriesToJson(peaks.atPeak)},
           {"reserved", peaks.reserved}};
}

void from_json(const json& in, MemoryPeaks& peaks) {
    JsonFields fields(in, "memory");
    fields.read("total", peaks.total);
    readCategories(fields, "atPeak", peaks.atPeak);
    fields.read("reserved", peaks.reserved);
}

void to_json(json& out, const PhaseSeconds& seconds) {
    out = {{"data", numberToJson(seconds.data)},
           {"forward", numberToJson(seconds.forward)},
           {"backward", numberToJson(seconds.backward)},
           {"optimizer", numberToJson(seconds.optimizer)},
           {"checkpoint", numberToJson(seconds.checkpoint)},
           {"other", numberToJson(seconds.other)}};
}

void from_json(const json& in, PhaseSeconds& seconds) {
    JsonFields fields(in, "seconds");
    fields.read("data", seconds.data);
    fields.read("forward", seconds.forward);
    fields.read("backward", seconds.backward);
    fields.read("optimizer", seconds.optimizer);
    fields.read("checkpoint", seconds.checkpoint);
    fields.read("other", seconds.other);
}

void to_json(json& out, const UpdateRecord& record) {
    out = {{"update", record.update},
           {"applied", record.applied},
           {"skipped", record.skipped},
           {"scheduleSteps", record.scheduleSteps},
           {"epoch", record.epoch},
           {"position", record.position},
           {"accepted", record.accepted},
           {"idsDigest", record.idsDigest},
           {"classMix", record.classMix},
           {"microbatches", record.microbatches},
           {"denominator", numberToJson(record.denominator)},
           {"loss", numberToJson(record.loss)},
           {"gradientNorm", optionalToJson(record.gradientNorm)},
           {"clipFactor", numberToJson(record.clipFactor)},
           {"nonFiniteParameters", record.nonFiniteParameters},
           {"nonFiniteElements", record.nonFiniteElements},
           {"scaleBefore", numberToJson(record.scaleBefore)},
           {"scaleAfter", numberToJson(record.scaleAfter)},
           {"wasApplied", record.wasApplied},
           {"skipReason", record.skipReason},
           {"overflowInjected", record.overflowInjected},
           {"learningRate", numberToJson(record.learningRate)},
           {"seconds", record.seconds},
           {"memory", record.memory},
           {"replans", record.replans},
           {"receipt", record.receipt}};
}

void from_json(const json& in, UpdateRecord& record) {
    JsonFields fields(in, "record");
    fields.read("update", record.update);
    fields.read("applied", record.applied);
    fields.read("skipped", record.skipped);
    fields.read("scheduleSteps", record.scheduleSteps);
    fields.read("epoch", record.epoch);
    fields.read("position", record.position);
    fields.read("accepted", record.accepted);
    fields.read("idsDigest", record.idsDigest);
    fields.read("classMix", record.classMix);
    fields.read("microbatches", record.microbatches);
    fields.read("denominator", record.denominator);
    fields.read("loss", record.loss);
    fields.read("gradientNorm", record.gradientNorm);
    fields.read("clipFactor", record.clipFactor);
    fields.read("nonFiniteParameters", record.nonFiniteParameters);
    fields.read("nonFiniteElements", record.nonFiniteElements);
    fields.read("scaleBefore", record.scaleBefore);
    fields.read("scaleAfter", record.scaleAfter);
    fields.read("wasApplied", record.wasApplied);
    fields.read("skipReason", record.skipReason);
    fields.read("overflowInjected", record.overflowInjected);
    fields.read("learningRate", record.learningRate);
    from_json(fields.at("seconds"), record.seconds);
    from_json(fields.at("memory"), record.memory);
    fields.read("replans", record.replans);
    fields.read("receipt", record.receipt);
}

void to_json(json& out, const MemorySample& sample) {
    out = {{"seconds", numberToJson(sample.seconds)},
           {"update", sample.update},
           {"microbatch", sample.microbatch},
           {"phase", sample.phase},
           {"total", sample.total},
           {"byCategory", categoriesToJson(sample.byCategory)}};
}

void from_json(const json& in, MemorySample& sample) {
    JsonFields fields(in, "sample");
    fields.read("seconds", sample.seconds);
    fields.read("update", sample.update);
    fields.read("microbatch", sample.microbatch);
    fields.read("phase", sample.phase);
    fields.read("total", sample.total);
    readCategories(fields, "byCategory", sample.byCategory);
}

void to_json(json& out, const EnvironmentFingerprint& environment) {
    out = {{"torchVersion", environment.torchVersion},
           {"cpuCapability", environment.cpuCapability},
           {"device", environment.device},
           {"threads", environment.threads},
           {"oneDnn", environment.oneDnn},
           {"deterministic", environment.deterministic}};
}

void from_json(const json& in, EnvironmentFingerprint& environment) {
    JsonFields fields(in, "environment");
    fields.read("torchVersion", environment.torchVersion);
    fields.read("cpuCapability", environment.cpuCapability);
    fields.read("device", environment.device);
    fields.read("threads", environment.threads);
    fields.read("oneDnn", environment.oneDnn);
    fields.read("deterministic", environment.deterministic);
}

}  // namespace receiptbench
