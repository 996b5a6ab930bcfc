#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/workbench/comparison.h"
#include "core/workbench/run_checkpoint.h"
#include "core/workbench/training.h"

namespace receiptbench {
namespace {

using nlohmann::json;

std::vector<HostTensor> weightsOf(const TrainingState& state) {
    std::vector<HostTensor> weights;
    for (const auto& tensor : state.tensors) {
        for (const std::string_view prefix : {"model/", "buffer/"}) {
            if (tensor.name.starts_with(prefix)) {
                weights.push_back(tensor);
                weights.back().name.erase(0, prefix.size());
            }
        }
    }
    return weights;
}

struct Weights {
    std::vector<HostTensor> tensors;
    std::string checkpoint;
};
Weights validatedWeights(const Project& project, const std::string& run,
                         const StoredPredictions& predictions) {
    const auto folder = project.paths().run(run);
    const auto recovery =
        resultCheckpoint(project.files(), folder, loadRun(project.files(), folder));
    Weights weights{weightsOf(recovery.state), fileName(recovery.chosen->name)};
    if (digestOfTensors(weights.tensors) != predictions.weightsDigest) {
        throw Error(ErrorCode::Data,
                    fmt::format("the newest checkpoint of run {} ({}) does not hold the weights "
                                "that were validated",
                                run, weights.checkpoint),
                    "run receiptbench evaluate " + run + " first");
    }
    return weights;
}

// Said before anything is compared: rows of another population cannot be set side by side.
void demandPopulation(const std::string& run, const std::string& expected,
                      const std::string& found) {
    if (found != expected) {
        throw Error(ErrorCode::Data,
                    fmt::format("run {} was validated on {}, the contract's validation set is {}",
                                run, found.substr(0, 16), expected.substr(0, 16)),
                    "run receiptbench evaluate " + run);
    }
}

void demandPreserved(const ComparedRun& candidate, bool force) {
    const auto& facts = candidate.facts;
    if (!facts.finished) {
        throw Error(ErrorCode::Data,
                    fmt::format("run {} is not finished: {} of {} updates", facts.name,
                                facts.attempted, facts.contractUpdates),
                    "finish it with receiptbench train --resume");
    }
    if (candidate.verdict.outcome != Outcome::Preserved && !force) {
        throw Error(ErrorCode::Data,
                    fmt::format("run {} is {}: {}", facts.name, toString(candidate.verdict.outcome),
                                candidate.verdict.words),
                    "choose another run, or take this one all the same with --force");
    }
}

json bundleJson(const LoadedContract& loaded, const ComparedRun& candidate,
                const StoredPredictions& predictions, const std::string& checkpoint) {
    const auto& contract = loaded.contract;
    return {{"schema", "receiptbench-bundle"},
            {"version", 1},
            {"labels", contract.labels.names()},
            {"acceptLabel", contract.acceptLabel},
            {"acceptanceThreshold", contract.acceptanceThreshold},
            {"preprocessing",
             {{"height", contract.height},
              {"width", contract.width},
              {"resizeRule", contract.resizeRule},
              {"colours", "RGB"},
              {"scale", "1/255"},
              {"mean", contract.mean},
              {"standardDeviation", contract.standardDeviation}}},
            {"model", {{"name", contract.model.name}, {"width", contract.model.width}}},
            {"contractHash", loaded.hash},
            {"run", candidate.facts.name},
            {"checkpoint", checkpoint},
            {"precision", candidate.facts.precision},
            {"weightsDigest", predictions.weightsDigest},
            {"validationDigest", predictions.validationDigest},
            {"metrics", candidate.facts.metrics},
            {"verdict", candidate.verdict}};
}

}  // namespace

Bundle selectRun(const Project& project, const std::string& run, bool force) {
    const auto loaded = project.contract();
    const auto predictions = predictionsOf(project, run);
    demandPopulation(run, project.validationDigest(), predictions.validationDigest);
    const auto candidate = compareRun(project, run);  // the baseline is judged against itself
    demandPreserved(candidate, force);
    const auto weights = validatedWeights(project, run, predictions);
    const auto folder = project.paths().bundle();
    auto& files = project.files();
    files.makeDirectories(folder);
    const auto description = joinPath(folder, "bundle.json");
    if (files.exists(description)) {
        files.remove(description);  // never a description beside other weights
    }
    const auto path = joinPath(folder, "weights.safetensors");
    if (files.exists(path)) {
        files.remove(path);
    }
    writeSafetensors(
        files, path,
        {weights.tensors, {{"format", "pt"}, {"contractHash", loaded.hash}, {"run", run}}});
    writeAtomically(files, description,
                    bundleJson(loaded, candidate, predictions, weights.checkpoint).dump(2) + "\n");
    return {folder, weights.checkpoint};
}

}  // namespace receiptbench
