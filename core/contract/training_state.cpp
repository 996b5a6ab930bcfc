#include "core/contract/training_state.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/contract/json_fields.h"

namespace receiptbench {
namespace {

using nlohmann::json;

constexpr const char* kAcceptedCount = "accepted-count";
constexpr const char* kMeanOfMeans = "mean-of-means";

json scalerToJson(const ScalerState& scaler) {
    return {{"scale", numberToJson(scaler.scale)},
            {"growthCounter", scaler.growthCounter},
            {"growthFactor", numberToJson(scaler.growthFactor)},
            {"backoffFactor", numberToJson(scaler.backoffFactor)},
            {"growthInterval", scaler.growthInterval}};
}

ScalerState scalerFromJson(const json& in) {
    ScalerState scaler;
    JsonFields fields(in, "state.scaler");
    fields.read("scale", scaler.scale);
    fields.read("growthCounter", scaler.growthCounter);
    fields.read("growthFactor", scaler.growthFactor);
    fields.read("backoffFactor", scaler.backoffFactor);
    fields.read("growthInterval", scaler.growthInterval);
    return scaler;
}

json planToJson(const RunPlan& plan) {
    return {{"precision", toString(plan.precision)},
            {"microbatch", plan.microbatch},
            {"memoryFormat", toString(plan.memoryFormat)},
            {"threads", plan.threads}};
}

RunPlan planFromJson(const json& in) {
    RunPlan plan;
    JsonFields fields(in, "state.plan");
    std::string precision, memoryFormat;
    fields.read("precision", precision);
    fields.read("microbatch", plan.microbatch);
    fields.read("memoryFormat", memoryFormat);
    fields.read("threads", plan.threads);
    plan.precision = parsePrecision(precision);
    plan.memoryFormat = parseMemoryFormat(memoryFormat);
    return plan;
}

Normalisation normalisationFrom(const std::string& text) {
    if (text != kAcceptedCount && text != kMeanOfMeans) {
        throw Error(ErrorCode::Data,
                    fmt::format("field \"state.normalisation\": \"{}\" is neither {} nor {}",
                                printable(text), kAcceptedCount, kMeanOfMeans));
    }
    return text == kMeanOfMeans ? Normalisation::MeanOfMeans : Normalisation::AcceptedCount;
}

}  // namespace

void to_json(json& out, const StateValues& values) {
    out = {{"attempted", values.attempted},
           {"applied", values.applied},
           {"skipped", values.skipped},
           {"consecutiveSkips", values.consecutiveSkips},
           {"scheduleSteps", values.scheduleSteps},
           {"learningRate", numberToJson(values.learningRate)},
           {"acceptedExamples", values.acceptedExamples},
           {"epoch", values.epoch},
           {"position", values.position},
           {"scaler", scalerToJson(values.scaler)},
           {"plan", planToJson(values.plan)},
           {"normalisation",
            values.normalisation == Normalisation::MeanOfMeans ? kMeanOfMeans : kAcceptedCount},
           {"receipt", values.receipt},
           {"bestMetric", values.bestMetric ? numberToJson(*values.bestMetric) : json(nullptr)},
           {"environment", values.environment}};
}

// Unknown fields are a newer minor version's; what a reader must know is in the checkpoint's
// feature list.
void from_json(const json& in, StateValues& values) {
    JsonFields fields(in, "state");
    fields.read("attempted", values.attempted);
    fields.read("applied", values.applied);
    fields.read("skipped", values.skipped);
    fields.read("consecutiveSkips", values.consecutiveSkips);
    fields.read("scheduleSteps", values.scheduleSteps);
    fields.read("learningRate", values.learningRate);
    fields.read("acceptedExamples", values.acceptedExamples);
    fields.read("epoch", values.epoch);
    fields.read("position", values.position);
    values.scaler = scalerFromJson(fields.at("scaler"));
    values.plan = planFromJson(fields.at("plan"));
    std::string normalisation;
    fields.read("normalisation", normalisation);
    values.normalisation = normalisationFrom(normalisation);
    fields.read("receipt", values.receipt);
    fields.read("bestMetric", values.bestMetric);
    from_json(fields.at("environment"), values.environment);
}

}  // namespace receiptbench
