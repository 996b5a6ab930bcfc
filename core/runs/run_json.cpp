#include "core/runs/run_json.h"

#include <fmt/format.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/contract/json_fields.h"

namespace receiptbench {
namespace {

using nlohmann::json;

constexpr std::int64_t kFormat = 1;
constexpr const char* kAcceptedCount = "accepted-count";
constexpr const char* kMeanOfMeans = "mean-of-means";

json planToJson(const RunPlan& plan) {
    return {{"precision", toString(plan.precision)},
            {"microbatch", plan.microbatch},
            {"memoryFormat", toString(plan.memoryFormat)},
            {"threads", plan.threads}};
}

RunPlan planFromJson(const json& in) {
    JsonFields fields(in, "plan");
    RunPlan plan;
    std::string precision, memoryFormat;
    fields.read("precision", precision);
    fields.read("microbatch", plan.microbatch);
    fields.read("memoryFormat", memoryFormat);
    fields.read("threads", plan.threads);
    fields.refuseUnknown();
    plan.precision = parsePrecision(precision);
    plan.memoryFormat = parseMemoryFormat(memoryFormat);
    return plan;
}

Normalisation normalisationFrom(const std::string& text) {
    if (text != kAcceptedCount && text != kMeanOfMeans) {
        throw Error(ErrorCode::Data,
                    fmt::format("field \"normalisation\": \"{}\" is neither {} nor {}",
                                printable(text), kAcceptedCount, kMeanOfMeans));
    }
    return text == kMeanOfMeans ? Normalisation::MeanOfMeans : Normalisation::AcceptedCount;
}

RunDescription readFields(const json& in) {
    JsonFields fields(in, "");
    RunDescription run;
    std::int64_t format = 0;
    fields.read("format", format);
    if (format != kFormat) {
        throw Error(ErrorCode::Data,
                    fmt::format("format {} is not known, this program reads {}", format, kFormat),
                    "it was written by a newer receiptbench: use that one");
    }
    fields.read("name", run.name);
    fields.read("kind", run.kind);
    fields.read("contractHash", run.contractHash);
    fields.read("splitDigest", run.splitDigest);
    fields.read("datasetDigest", run.datasetDigest);
    run.plan = planFromJson(fields.at("plan"));
    fields.read("memoryLimit", run.memoryLimit);
    std::string normalisation;
    fields.read("normalisation", normalisation);
    run.normalisation = normalisationFrom(normalisation);
    from_json(fields.at("environment"), run.environment);
    fields.read("created", run.created);
    fields.read("startedFromWeights", run.startedFromWeights);
    fields.refuseUnknown();
    return run;
}

}  // namespace

std::string runToJson(const RunDescription& run) {
    const json out = {
        {"format", kFormat},
        {"name", run.name},
        {"kind", run.kind},
        {"contractHash", run.contractHash},
        {"splitDigest", run.splitDigest},
        {"datasetDigest", run.datasetDigest},
        {"plan", planToJson(run.plan)},
        {"memoryLimit", run.memoryLimit},
        {"normalisation",
         run.normalisation == Normalisation::MeanOfMeans ? kMeanOfMeans : kAcceptedCount},
        {"environment", run.environment},
        {"created", run.created},
        {"startedFromWeights", run.startedFromWeights}};
    // A path may hold bytes that are no UTF-8; that must not keep a run from starting.
    return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

RunDescription runFromJson(const std::string& text, const std::string& what) {
    try {
        return readFields(parseJson(text, "JSON"));
    } catch (const Error& error) {
        throw Error(ErrorCode::Data, fmt::format("{}: {}", printable(what), error.what()),
                    error.hint());
    } catch (const json::exception& error) {
        throw Error(ErrorCode::Data,
                    fmt::format("{}: {}", printable(what), printable(error.what())));
    }
}

}  // namespace receiptbench
