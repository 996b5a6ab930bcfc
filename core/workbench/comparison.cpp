#include "core/workbench/comparison.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/evaluate/json.h"
#include "core/workbench/drill.h"
#include "core/workbench/run_session.h"

namespace receiptbench {
namespace {

using nlohmann::json;

// Refused by the name of the first field that differs, when the run's own contract is at hand.
void demandSameContract(const Project& project, const std::string& folder,
                        const RunDescription& description, const LoadedContract& loaded) {
    if (description.contractHash == loaded.hash) {
        return;
    }
    std::string fields;
    const auto path = joinPath(folder, "contract.json");
    if (project.files().exists(path)) {
        for (const auto& difference :
             diffContracts(loaded.contract, loadContract(project.files(), path).contract)) {
            fields += fmt::format("{}{} ({} here, {} there)", fields.empty() ? ": " : ", ",
                                  difference.field, difference.left, difference.right);
        }
    }
    throw Error(
        ErrorCode::Data,
        fmt::format("run {} is of another contract ({} here, {} there){}", description.name,
                    loaded.hash.substr(0, 12), description.contractHash.substr(0, 12), fields),
        "compare runs of one contract only");
}

std::optional<bool> recoveryOf(const Project& project, const std::string& run) {
    std::optional<bool> proven;
    for (const auto& drill : listDrills(project)) {
        if (drill.run == run && drill.notBitExact.empty()) {
            proven = proven.value_or(true) && drill.proven;
        }
    }
    return proven;
}

void addCheck(const Project& project, const std::string& folder, RunFacts& facts) {
    const auto path = joinPath(folder, "check.json");
    if (project.files().exists(path)) {
        const auto check =
            parseJson(readText(project.files(), path), path).get<GradientCheckResult>();
        facts.gradientCheckPassed = check.accumulatedPasses();
        facts.wrongRunCaught = check.wrongIsCaught();
    }
}

void addLedger(const RunHistory& history, RunFacts& facts) {
    for (const auto& update : history.updates) {
        ++facts.attempted;
        ++(update.wasApplied ? facts.applied : facts.skipped);
        facts.acceptedPerUpdate.push_back(update.accepted);
        facts.classMixPerUpdate.push_back(update.classMix);
        facts.idsDigestPerUpdate.push_back(update.idsDigest);
        facts.peakBytes = std::max(facts.peakBytes, update.memory.total);
        facts.deliberateOverflow = facts.deliberateOverflow || !update.overflowInjected.empty();
    }
    facts.finished = history.end.is_object() && history.end.value("state", "") == "finished";
}

std::vector<std::string> defaultNames(const Project& project, const std::string& baseline,
                                      const std::string& hash) {
    std::vector<std::string> names;
    for (const auto& run : listRuns(project.files(), project.paths().root)) {
        const auto& description = run.description;
        if (description.name != baseline && run.state == RunState::Finished &&
            description.contractHash == hash &&
            (description.kind == "run" || description.kind == "wrong")) {
            names.push_back(description.name);
        }
    }
    return names;
}

std::vector<std::string> unsupported(const Project& project) {
    std::vector<std::string> lines;
    for (const auto precision : {Precision::Fp32, Precision::Bf16, Precision::Fp16}) {
        const auto plan = storedPlan(project, precision);
        if (plan && !plan->notSupported.empty()) {
            lines.push_back(toString(precision) + ": " + plan->notSupported);
        }
    }
    return lines;
}

Predictions probabilities(const Project& project, const std::string& run) {
    const auto stored = predictionsOf(project, run);
    return fromLogits(stored.logits, stored.labels, stored.classes);
}

class Judge {
 public:
    Judge(const Project& project, const std::string& baseline)
        : project_(project),
          contract_(project.contract().contract),
          baselineFacts_(gatherRunFacts(project, baseline)),
          baseline_(probabilities(project, baseline)) {}

    const RunFacts& baseline() const { return baselineFacts_; }

    ComparedRun compare(const std::string& run) const {
        ComparedRun compared;
        compared.facts = gatherRunFacts(project_, run);
        compared.kind = loadRun(project_.files(), project_.paths().run(run)).kind;
        // Another population has no rows to set side by side: the verdict then says so.
        if (compared.facts.validationDigest == baselineFacts_.validationDigest) {
            const auto candidate = probabilities(project_, run);
            const ThresholdRule rule{contract_.labels.index(contract_.acceptLabel).value(),
                                     contract_.acceptanceThreshold, contract_.nearThresholdBand};
            compared.changes = thresholdChanges(baseline_, candidate, contract_.labels, rule);
            compared.accuracyDifference =
                pairedAccuracyDifference(baseline_, candidate, contract_.seed);
        }
        compared.verdict =
            judge(baselineFacts_, compared.facts, contract_.examplesPerUpdate,
                  contract_.nonInferiorityMargin, compared.accuracyDifference, compared.changes);
        return compared;
    }

 private:
    const Project& project_;
    ExperimentContract contract_;
    RunFacts baselineFacts_;
    Predictions baseline_;
};

}  // namespace

RunFacts gatherRunFacts(const Project& project, const std::string& run) {
    auto& files = project.files();
    const auto folder = project.paths().run(run);
    const auto description = loadRun(files, folder);
    const auto loaded = project.contract();
    demandSameContract(project, folder, description, loaded);
    RunFacts facts;
    facts.name = description.name;
    facts.precision = toString(description.plan.precision);
    facts.contractHash = description.contractHash;
    facts.device = description.environment.device;
    facts.memoryLimit = description.memoryLimit;
    facts.contractUpdates = loaded.contract.updates;
    facts.startedFromWeights = !description.startedFromWeights.empty();
    facts.wrongNormalisation = description.normalisation != Normalisation::AcceptedCount;
    addLedger(readHistory(files, folder), facts);
    addCheck(project, folder, facts);
    facts.recoveryProven = recoveryOf(project, description.name);
    if (const auto stored = loadPredictions(files, folder)) {
        facts.validationDigest = stored->validationDigest;
        facts.metrics = metricsOf(*stored, loaded.contract);
    }
    return facts;
}

namespace {

std::string demandBaseline(const Project& project) {
    auto baseline = baselineRun(project);
    if (baseline.empty()) {
        throw Error(ErrorCode::Data, "there is no finished fp32 baseline to compare with",
                    "run receiptbench train --precision fp32 first");
    }
    return baseline;
}

// Equal in every run, and yet not what "all examples" would mean.
std::vector<std::string> notesOf(const ExperimentContract& contract) {
    const auto left = contract.trainExamples % contract.examplesPerUpdate;
    if (left == 0 || contract.lastUpdate == LastUpdateRule::Carry) {
        return {};
    }
    if (contract.lastUpdate == LastUpdateRule::Drop) {
        return {
            fmt::format("every run drops the last {} of {} training examples of each epoch "
                        "(last update: drop)",
                        left, contract.trainExamples)};
    }
    return {
        fmt::format("each epoch's last update has {} examples instead of {} (last update: "
                    "apply)",
                    left, contract.examplesPerUpdate)};
}

}  // namespace

Comparison compareRuns(const Project& project, const std::vector<std::string>& names) {
    const auto baseline = demandBaseline(project);
    const Judge judge(project, baseline);
    Comparison comparison;
    comparison.baseline = judge.baseline();
    for (const auto& name :
         names.empty() ? defaultNames(project, baseline, project.contract().hash) : names) {
        comparison.runs.push_back(judge.compare(name));
    }
    comparison.notSupported = unsupported(project);
    comparison.notes = notesOf(project.contract().contract);
    writeAtomically(project.files(), project.paths().comparison(), json(comparison).dump(1) + "\n");
    return comparison;
}

ComparedRun compareRun(const Project& project, const std::string& run) {
    return Judge(project, demandBaseline(project)).compare(run);
}

bool isExpected(const ComparedRun& run) {
    return run.facts.wrongNormalisation && run.verdict.outcome == Outcome::NotPreserved;
}

void to_json(json& out, const RunFacts& facts) {
    const auto known = [](const std::optional<bool>& value) {
        return value ? json(*value) : json();
    };
    out = {{"name", facts.name},
           {"precision", facts.precision},
           {"contractHash", facts.contractHash},
           {"validationDigest", facts.validationDigest},
           {"device", facts.device},
           {"memoryLimit", facts.memoryLimit},
           {"attempted", facts.attempted},
           {"applied", facts.applied},
           {"skipped", facts.skipped},
           {"contractUpdates", facts.contractUpdates},
           {"peakBytes", facts.peakBytes},
           {"finished", facts.finished},
           {"deliberateOverflow", facts.deliberateOverflow},
           {"startedFromWeights", facts.startedFromWeights},
           {"wrongNormalisation", facts.wrongNormalisation},
           {"gradientCheckPassed", known(facts.gradientCheckPassed)},
           {"wrongRunCaught", known(facts.wrongRunCaught)},
           {"recoveryProven", known(facts.recoveryProven)},
           {"metrics", facts.metrics}};
}

void to_json(json& out, const ComparedRun& run) {
    out = {{"facts", run.facts},
           {"kind", run.kind},
           {"expected", run.facts.wrongNormalisation ? "not preserved" : "preserved"},
           {"changes", run.changes},
           {"accuracyDifference", run.accuracyDifference},
           {"verdict", run.verdict}};
}

void to_json(json& out, const Comparison& comparison) {
    out = {{"schema", "receiptbench-comparison"},     {"version", 1},
           {"baseline", comparison.baseline},         {"runs", comparison.runs},
           {"notSupported", comparison.notSupported}, {"notes", comparison.notes}};
}

}  // namespace receiptbench
