#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/contract/contract.h"
#include "core/evaluate/metrics.h"
#include "core/report/report.h"
#include "core/runs/run_directory.h"

namespace receiptbench {
namespace {

using nlohmann::json;

json readJson(FileSystem& files, const std::string& path) {
    try {
        return json::parse(readText(files, path));
    } catch (const json::exception& error) {
        throw Error(ErrorCode::Data, path + " is damaged: " + error.what(),
                    "restore it, or write the project anew");
    }
}

json readJsonIfThere(FileSystem& files, const std::string& path) {
    return files.exists(path) ? readJson(files, path) : json();
}

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

PhaseSeconds totalSeconds(const std::vector<UpdateRecord>& updates) {
    PhaseSeconds total;
    for (const auto& update : updates) {
        total.data += update.seconds.data;
        total.forward += update.seconds.forward;
        total.backward += update.seconds.backward;
        total.optimizer += update.seconds.optimizer;
        total.checkpoint += update.seconds.checkpoint;
        total.other += update.seconds.other;
    }
    return total;
}

void addMix(std::vector<std::int64_t>& total, const std::vector<std::int64_t>& mix) {
    total.resize(std::max(total.size(), mix.size()));
    for (std::size_t c = 0; c < mix.size(); ++c) {
        total[c] += mix[c];
    }
}

// Everything the ledger says in one row; recomputed from the records, never copied from the run's
// own summary.
json summarise(const std::vector<UpdateRecord>& updates) {
    std::int64_t applied = 0, accepted = 0, nonFinite = 0, shortest = 0, longest = 0, replans = 0;
    std::vector<std::int64_t> mix;
    std::vector<double> rates;
    const UpdateRecord* highest = nullptr;
    for (const auto& update : updates) {
        applied += update.wasApplied ? 1 : 0;
        accepted += update.accepted;
        nonFinite += update.nonFiniteElements > 0 ? 1 : 0;
        replans += static_cast<std::int64_t>(update.replans.size());
        shortest = highest == nullptr ? update.accepted : std::min(shortest, update.accepted);
        longest = std::max(longest, update.accepted);
        addMix(mix, update.classMix);
        if (const auto rate = examplesPerSecond(update)) {
            rates.push_back(*rate);
        }
        if (highest == nullptr || update.memory.total > highest->memory.total) {
            highest = &update;
        }
    }
    return {{"attempted", updates.size()},
            {"applied", applied},
            {"skipped", static_cast<std::int64_t>(updates.size()) - applied},
            {"updatesWithNonFiniteGradients", nonFinite},
            {"acceptedExamples", accepted},
            {"fewestAcceptedInAnUpdate", shortest},
            {"mostAcceptedInAnUpdate", longest},
            {"classMix", mix},
            {"replans", replans},
            {"examplesPerSecond", median(rates)},
            {"peak", highest == nullptr ? json() : json(highest->memory)},
            {"peakAtUpdate", highest == nullptr ? 0 : highest->update}};
}

// Of the stored predictions, as a comparison takes them; what the run said at its end where there
// are none.
json metricsOf(FileSystem& files, const RunOverview& run, const RunHistory& history,
               const LoadedContract& loaded) {
    const auto& contract = loaded.contract;
    const auto accept = contract.labels.index(contract.acceptLabel);
    const auto stored = run.description.contractHash == loaded.hash
                            ? loadPredictions(files, run.folder)
                            : std::nullopt;
    if (stored && accept && stored->classes == contract.labels.size()) {
        return computeMetrics(fromLogits(stored->logits, stored->labels, stored->classes), *accept);
    }
    return history.end.is_object() ? history.end.value("metrics", json()) : json();
}

json gatherRun(FileSystem& files, const RunOverview& run, const LoadedContract& loaded) {
    const auto history = readHistory(files, run.folder);
    const auto& description = run.description;
    return {{"name", description.name},
            {"kind", description.kind},
            {"state", toString(run.state)},
            {"precision", toString(description.plan.precision)},
            {"microbatch", description.plan.microbatch},
            {"memoryFormat", toString(description.plan.memoryFormat)},
            {"threads", description.plan.threads},
            {"memoryLimit", description.memoryLimit},
            {"normalisation", description.normalisation == Normalisation::AcceptedCount
                                  ? "accepted-count"
                                  : "mean-of-means"},
            {"contractHash", description.contractHash},
            {"environment", description.environment},
            {"created", description.created},
            {"gradientCheck", readJsonIfThere(files, joinPath(run.folder, "check.json"))},
            {"ledger", summarise(history.updates)},
            {"timeBreakdown", totalSeconds(history.updates)},
            {"updates", history.updates},
            {"memoryTrace", history.memory},
            {"checkpoints", history.checkpoints},
            {"resumes", history.resumes},
            {"messages", history.messages},
            {"damagedLines", history.damagedLines},
            {"metrics", metricsOf(files, run, history, loaded)},
            {"end", history.end}};
}

json gatherRuns(FileSystem& files, const std::string& project, const LoadedContract& loaded) {
    json runs = json::array();
    for (const auto& run : listRuns(files, project)) {
        runs.push_back(gatherRun(files, run, loaded));
    }
    return runs;
}

json gatherPlans(FileSystem& files, const std::string& project) {
    json plans = json::object();
    const auto folder = joinPath(project, "plans");
    if (files.exists(folder)) {
        for (const auto& entry : files.list(folder)) {
            if (entry.kind == EntryKind::File && entry.name.ends_with(".json")) {
                plans[entry.name.substr(0, entry.name.size() - 5)] =
                    readJson(files, joinPath(folder, entry.name));
            }
        }
    }
    return plans;
}

json gatherDrills(FileSystem& files, const std::string& project) {
    json drills = json::array();
    const auto folder = joinPath(project, "drills");
    if (files.exists(folder)) {
        for (const auto& entry : files.list(folder)) {
            const auto path = joinPath(joinPath(folder, entry.name), "drill.json");
            if (entry.kind == EntryKind::Directory && files.exists(path)) {
                drills.push_back(readJson(files, path));
            }
        }
    }
    return drills;
}

json gatherData(FileSystem& files, const std::string& project, const json& contract) {
    json data{{"train", contract.at("trainExamples")},
              {"validation", contract.at("validationExamples")},
              {"splitDigest", contract.at("splitDigest")},
              {"datasetDigest", contract.at("datasetDigest")}};
    const auto catalogue = readJsonIfThere(files, joinPath(project, "catalogue.json"));
    if (catalogue.is_object()) {
        data["imported"] = catalogue.value("items", json::array()).size();
        data["rejects"] = catalogue.value("rejects", json::array());
        data["warnings"] = catalogue.value("warnings", json::array());
    }
    return data;
}

}  // namespace

json gatherReport(FileSystem& files, const std::string& projectFolder) {
    const auto contractPath = joinPath(joinPath(projectFolder, "frozen"), "contract.json");
    if (!files.exists(contractPath)) {
        throw Error(ErrorCode::Data, projectFolder + " has no frozen contract",
                    "run receiptbench freeze first");
    }
    const auto loaded = loadContract(files, contractPath);  // refuses an edited one
    const auto stored = readJson(files, contractPath);
    json report{{"schema", "receiptbench-report"},
                {"version", 1},
                {"contract", stored.at("contract")},
                {"contractHash", stored.at("hash")},
                {"environment", stored.at("environment")}};
    report["data"] = gatherData(files, projectFolder, stored.at("contract"));
    report["plans"] = gatherPlans(files, projectFolder);
    report["runs"] = gatherRuns(files, projectFolder, loaded);
    report["comparison"] = readJsonIfThere(files, joinPath(projectFolder, "comparison.json"));
    report["recovery"] = gatherDrills(files, projectFolder);
    report["howToRecompute"] = {
        "receiptbench compare --project PROJECT recomputes metrics and threshold changes from the "
        "stored logits",
        "receiptbench evaluate --project PROJECT RUN recomputes the logits from the newest "
        "checkpoint and the frozen pixels",
        "every figure of a ledger row is in runs/RUN/events.jsonl"};
    return report;
}

}  // namespace receiptbench
