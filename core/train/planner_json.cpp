#include <nlohmann/json.hpp>

#include "core/contract/json_fields.h"
#include "core/train/planner.h"

namespace receiptbench {
namespace {

using nlohmann::json;

json planToJson(const RunPlan& plan) {
    return {{"precision", toString(plan.precision)},
            {"microbatch", plan.microbatch},
            {"memoryFormat", toString(plan.memoryFormat)},
            {"threads", plan.threads}};
}

RunPlan planFromJson(const json& in, const char* path) {
    RunPlan plan;
    std::string precision, format;
    JsonFields fields(in, path);
    fields.read("precision", precision);
    fields.read("microbatch", plan.microbatch);
    fields.read("memoryFormat", format);
    fields.read("threads", plan.threads);
    plan.precision = parsePrecision(precision);
    plan.memoryFormat = parseMemoryFormat(format);
    return plan;
}

}  // namespace

void to_json(json& out, const Probe& probe) {
    out = {{"plan", planToJson(probe.plan)},
           {"fits", probe.fits},
           {"peak", probe.peak},
           {"examplesPerSecond", numberToJson(probe.examplesPerSecond)},
           {"reason", probe.reason}};
}

void from_json(const json& in, Probe& probe) {
    JsonFields fields(in, "probe");
    probe.plan = planFromJson(fields.at("plan"), "probe.plan");
    fields.read("fits", probe.fits);
    from_json(fields.at("peak"), probe.peak);
    fields.read("examplesPerSecond", probe.examplesPerSecond);
    fields.read("reason", probe.reason);
}

void to_json(json& out, const PlanResult& result) {
    out = {{"chosen", result.chosen ? planToJson(*result.chosen) : json(nullptr)},
           {"probes", json::array()},
           {"memoryLimit", result.memoryLimit},
           {"bytesForOneExample", result.bytesForOneExample},
           {"notSupported", result.notSupported}};
    for (const Probe& probe : result.probes) {
        out["probes"].push_back(probe);
    }
}

void from_json(const json& in, PlanResult& result) {
    JsonFields fields(in, "plan");
    result = {};
    if (const json& chosen = fields.at("chosen"); !chosen.is_null()) {
        result.chosen = planFromJson(chosen, "plan.chosen");
    }
    for (const json& probe : fields.at("probes")) {
        result.probes.push_back(probe.get<Probe>());
    }
    fields.read("memoryLimit", result.memoryLimit);
    fields.read("bytesForOneExample", result.bytesForOneExample);
    fields.read("notSupported", result.notSupported);
}

}  // namespace receiptbench
