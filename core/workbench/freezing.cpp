// Freeze: images and contract become one population that no run can change.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/data/freeze.h"
#include "core/data/split.h"
#include "core/model/model.h"
#include "core/train/gradient_check.h"
#include "core/train/trainer.h"
#include "core/workbench/blank_source.h"
#include "core/workbench/catalogue.h"
#include "core/workbench/demo.h"
#include "core/workbench/estimate.h"
#include "core/workbench/project.h"

namespace receiptbench {
namespace {

// Peak of one microbatch size without a limit, or whether it fits one; never stored.
Probe probe(const ExperimentContract& contract, std::int64_t classes, std::int64_t microbatch,
            std::int64_t limit, int threads) {
    PlanOptions options;
    options.memoryLimit = limit;
    options.microbatch = microbatch;
    options.memoryFormat = MemoryFormat::Contiguous;
    options.threads = threads;
    options.secondsPerProbe = 0.001;
    auto tried = withLabels(contract, classes);
    const auto weights = initialWeights(tried.model, classes, tried.seed);
    tried.model.revision = digestOfTensors(weights);
    const auto result = planRun(tried, weights, BlankSource(tried, classes), options);
    Probe best;
    best.reason = result.notSupported;
    for (const auto& one : result.probes) {
        if (one.fits || !best.fits) {
            best = one;
        }
    }
    if (!best.fits) {
        best.peak.total = result.bytesForOneExample;
    }
    return best;
}

// The check before each run makes its images smaller until the full batch fits, down to 16x16.
bool checkFits(const ExperimentContract& contract, std::int64_t classes, std::int64_t limit) {
    auto tried = withLabels(contract, classes);
    tried.height = tried.width = 16;
    const auto weights = initialWeights(tried.model, classes, tried.seed);
    tried.model.revision = digestOfTensors(weights);
    const RunPlan plan{Precision::Fp32, tried.examplesPerUpdate, MemoryFormat::Contiguous, 2};
    try {
        checkGradients(tried, weights, BlankSource(tried, classes), plan, limit);
        return true;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::OverBudget) {
            throw;
        }
        return false;
    }
}

// What fp32 needs: one example of a run, and the gradient check before it.
struct Need {
    bool fits = false;
    std::int64_t bytes = 0;  // that would do, when it does not fit
};
Need needOf(const ExperimentContract& contract, std::int64_t classes, std::int64_t limit) {
    const auto one = probe(contract, classes, 1, limit, 2);
    std::int64_t bytes = one.fits ? limit : one.peak.total;
    while (!checkFits(contract, classes, bytes)) {
        bytes += std::max<std::int64_t>(4096, bytes / 20 / 4096 * 4096);
    }
    return {bytes == limit, bytes};
}

// The first smaller image, else the first smaller model, that fits, in the command line's words;
// else empty.
std::string proposeSmaller(const ExperimentContract& contract, std::int64_t classes,
                           std::int64_t limit) {
    auto smaller = contract;
    while (smaller.height >= 32 && smaller.width >= 32) {
        smaller.height = std::max<std::int64_t>(16, smaller.height / 2 / 16 * 16);
        smaller.width = std::max<std::int64_t>(16, smaller.width / 2 / 16 * 16);
        if (needOf(smaller, classes, limit).fits) {
            return fmt::format("--size {}x{} fits", smaller.height, smaller.width);
        }
    }
    while (smaller.model.width >= 16) {
        smaller.model.width = std::max<std::int64_t>(8, smaller.model.width / 2 / 8 * 8);
        if (needOf(smaller, classes, limit).fits) {
            return fmt::format("--size {}x{} --model-width {} fits", smaller.height, smaller.width,
                               smaller.model.width);
        }
    }
    return {};
}

void checkBudget(const ExperimentContract& contract, std::int64_t limit) {
    const auto classes = contract.labels.size();
    if (limit <= 0) {
        return;
    }
    const auto need = needOf(contract, classes, limit);
    if (need.fits) {
        return;
    }
    const auto smaller = proposeSmaller(contract, classes, limit);
    throw Error(
        ErrorCode::OverBudget,
        fmt::format("fp32 does not fit within {}: one example, and the gradient check of {} small "
                    "ones, need {} ({} bytes)",
                    formatBytes(limit), contract.examplesPerUpdate, formatBytes(need.bytes),
                    need.bytes),
        smaller.empty() ? "raise --budget to that: no smaller image or model fits either"
                        : "raise --budget to that, or take a smaller image or model: " + smaller);
}

ContractEnvironment environmentFor(std::int64_t memoryLimit) {
    ContractEnvironment environment;
    environment.device = currentEnvironment(2).device;
    environment.memoryLimit = memoryLimit;
    environment.libraries = usedLibraries();
    return environment;
}

// Decoding found more that cannot be used: the catalogue's list of rejects is completed.
void storeRejects(const Project& project, Catalogue catalogue, const FrozenSet& set) {
    if (set.rejects.empty() && set.warnings.empty()) {
        return;
    }
    for (const auto& reject : set.rejects) {
        const auto known =
            std::any_of(catalogue.rejects.begin(), catalogue.rejects.end(),
                        [&](const Reject& other) { return other.path == reject.path; });
        if (!known) {
            catalogue.rejects.push_back(reject);
        }
    }
    for (const auto& warning : set.warnings) {
        if (std::find(catalogue.warnings.begin(), catalogue.warnings.end(), warning) ==
            catalogue.warnings.end()) {
            catalogue.warnings.push_back(warning);
        }
    }
    saveCatalogue(project, catalogue, cataloguesReadableOnly(project));
}

void fillFromImages(ExperimentContract& contract, const FrozenSet& set,
                    const FreezeOptions& options) {
    contract.labels = set.labels;
    contract.splitDigest = set.splitDigest;
    contract.datasetDigest = set.datasetDigest;
    contract.trainExamples = static_cast<std::int64_t>(set.train.size());
    contract.validationExamples = static_cast<std::int64_t>(set.validation.size());
    contract.height = options.height;
    contract.width = options.width;
}

// A wrong value in the contract is said before hours of decoding: checked with the labels that will
// come out.
void checkBeforehand(const Catalogue& catalogue, const FreezeRequest& request) {
    checkValidationShare(request.data.validationShare);
    if (!catalogue.items.empty()) {
        splitByIdentity(catalogue.items, request.data.validationShare, request.data.seed);
    }
    std::vector<std::string> labels;
    for (const auto& item : catalogue.items) {
        labels.push_back(item.label);
    }
    FrozenSet expected;
    expected.labels = expectedLabels(std::move(labels), request.data);
    if (expected.labels.size() < 2) {
        throw Error(
            ErrorCode::Data,
            fmt::format("there is one class only: \"{}\"",
                        expected.labels.size() == 1 ? printable(expected.labels.name(0)) : ""),
            "add images of another class, or derive them with --derive");
    }
    auto contract = request.contract;
    expected.splitDigest = expected.datasetDigest = std::string(64, '0');
    fillFromImages(contract, expected, request.data);
    contract.trainExamples = contract.validationExamples = contract.examplesPerUpdate;
    contract.model.revision = std::string(64, '0');
    validateContract(contract);
    initialWeights(contract.model, contract.labels.size(),
                   contract.seed);  // an unknown model or width is said here
    if (request.checkBudget) {
        checkBudget(contract, request.memoryLimit);
    }
}

}  // namespace

namespace {

struct Preparation {
    Catalogue catalogue;  // empty for the example
    FreezeOptions options;
};

Preparation prepare(const Project* project, const FreezeRequest& request) {
    const bool example = request.data.syntheticIdentities > 0;
    if (project != nullptr && project->isFrozen()) {
        throw Error(ErrorCode::Failed, project->paths().root + " is frozen already",
                    "a frozen contract cannot be changed: freeze a new project folder");
    }
    if (project == nullptr && !example) {
        throw Error(ErrorCode::Data, "nothing is imported yet", "run receiptbench import first");
    }
    Preparation prepared{example ? Catalogue{} : loadCatalogue(*project), request.data};
    if (!example && cataloguesReadableOnly(*project)) {
        prepared.options.derive = true;
    }
    auto checked = request;
    checked.data = prepared.options;
    checkBeforehand(prepared.catalogue, checked);
    return prepared;
}

}  // namespace

void checkFreeze(const Catalogue& catalogue, const FreezeRequest& request) {
    checkBeforehand(catalogue, request);
}

void checkFreeze(const Project* project, const FreezeRequest& request) {
    prepare(project, request);
}

LoadedContract freezeProject(Project& project, const FreezeRequest& request, Progress& progress,
                             const CancelToken* cancel) {
    const auto lock = lockProject(project);
    const bool example = request.data.syntheticIdentities > 0;
    const auto [catalogue, options] = prepare(&project, request);
    auto& files = project.files();
    files.makeDirectories(project.paths().frozen());
    const auto set =
        freezeImages(catalogue, options, files, project.paths().frozen(), progress, cancel);
    if (!example) {
        storeRejects(project, catalogue, set);
    }
    auto contract = request.contract;
    fillFromImages(contract, set, options);
    const auto weights = initialWeights(contract.model, contract.labels.size(), contract.seed);
    contract.model.revision = digestOfTensors(weights);
    validateContract(contract);
    writeSafetensors(files, project.paths().weights(), {weights, {{"format", "pt"}}});
    // Last: its presence is what makes the project frozen.
    saveContract(files, project.paths().contract(), contract, environmentFor(request.memoryLimit));
    return project.contract();
}

std::int64_t suggestBudget(const ExperimentContract& contract, std::int64_t classes, int threads) {
    const auto microbatch = std::min<std::int64_t>(16, contract.examplesPerUpdate);
    const auto peak = probe(contract, classes, microbatch, 0, threads).peak;
    const std::int64_t wanted = std::max(peak.total, peak.reserved) / 4 * 5;
    return (wanted / (1 << 20) + 1) * (1 << 20);
}

}  // namespace receiptbench
