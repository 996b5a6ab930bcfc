#include "core/workbench/gallery.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/data/degrade.h"
#include "core/evaluate/metrics.h"
#include "core/workbench/training.h"

namespace receiptbench {
namespace {

constexpr const char* kDrawn = "synthetic:";  // sources that the program drew

void addCatalogue(const Project& project, Gallery& gallery) {
    if (!project.files().exists(project.paths().catalogue())) {
        return;
    }
    auto catalogue = loadCatalogue(project);
    gallery.imported = true;
    gallery.readableOnly = cataloguesReadableOnly(project);
    gallery.imageRoot = std::move(catalogue.root);
    gallery.rejects = std::move(catalogue.rejects);
    gallery.warnings = std::move(catalogue.warnings);
    std::map<std::string, std::pair<std::int64_t, std::set<std::string>>> classes;
    for (const auto& item : catalogue.items) {
        auto& [photos, identities] = classes[item.label];
        ++photos;
        identities.insert(item.identity);
    }
    for (const auto& [label, counted] : classes) {
        gallery.classes.push_back(
            {label, counted.first, static_cast<std::int64_t>(counted.second.size())});
    }
}

void addPhotos(std::vector<FrozenExample>& examples, Gallery& gallery) {
    for (auto& example : examples) {
        const auto label = gallery.labels.index(example.label);
        if (!label) {
            throw Error(ErrorCode::Data,
                        fmt::format("label \"{}\" of {} is not in the contract's label map",
                                    printable(example.label), printable(example.source)));
        }
        gallery.photos.push_back({example.split == "val", example.id, *label,
                                  std::move(example.identity), std::move(example.source),
                                  std::move(example.derivation)});
    }
}

std::vector<PhotoPrediction> rowsOf(const StoredPredictions& stored, std::size_t acceptIndex,
                                    double threshold) {
    const auto predictions = fromLogits(stored.logits, stored.labels, stored.classes);
    std::vector<PhotoPrediction> rows(stored.labels.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        auto& one = rows[row];
        one.predicted = predictedClass(predictions, static_cast<std::int64_t>(row));
        if (one.predicted < 0) {
            continue;
        }
        one.acceptScore =
            predictions.probabilities[row * static_cast<std::size_t>(stored.classes) + acceptIndex];
        one.accepted = one.acceptScore >= threshold;
    }
    return rows;
}

// Why a run's predictions are not those of this validation set, or empty.
std::string mismatch(const StoredPredictions& stored, const Gallery& gallery,
                     const std::string& digest) {
    const auto expected = static_cast<std::int64_t>(gallery.photos.size()) - gallery.trainCount;
    if (stored.validationDigest != digest) {
        return "its predictions are of another validation set";
    }
    if (static_cast<std::int64_t>(stored.labels.size()) != expected ||
        stored.classes != gallery.labels.size() ||
        static_cast<std::int64_t>(stored.logits.size()) != expected * stored.classes) {
        return fmt::format("its predictions are of {} photos, here are {}", stored.labels.size(),
                           expected);
    }
    return {};
}

void compareWithBaseline(const RunPredictions& baseline, RunPredictions& run) {
    for (std::size_t row = 0; row < run.rows.size(); ++row) {
        const auto& before = baseline.rows[row];
        auto& now = run.rows[row];
        if (before.predicted < 0 || now.predicted < 0) {
            now.change = DecisionChange::Unknown;
        } else if (before.accepted == now.accepted) {
            now.change = DecisionChange::None;
        } else {
            now.change =
                before.accepted ? DecisionChange::AcceptToReject : DecisionChange::RejectToAccept;
        }
    }
}

// A run without predictions is one that has not ended: nothing to say. One that cannot be read is
// named.
void addRun(const Project& project, const RunOverview& overview, const std::string& digest,
            Gallery& gallery) {
    const auto& description = overview.description;
    const auto accept = static_cast<std::size_t>(gallery.labels.index(gallery.acceptLabel).value());
    try {
        const auto stored = loadPredictions(project.files(), overview.folder);
        if (!stored) {
            return;
        }
        const auto why = mismatch(*stored, gallery, digest);
        if (!why.empty()) {
            gallery.problems.push_back(fmt::format("{}: {}", description.name, why));
            return;
        }
        gallery.runs.push_back({description.name, toString(description.plan.precision),
                                description.kind, false,
                                rowsOf(*stored, accept, gallery.threshold)});
    } catch (const Error& error) {
        gallery.problems.push_back(fmt::format("{}: {}", description.name, error.what()));
    }
}

void addRuns(const Project& project, Gallery& gallery) {
    const auto digest = project.validationDigest();
    for (const auto& overview : listRuns(project.files(), project.paths().root)) {
        if (overview.problem.empty()) {
            addRun(project, overview, digest, gallery);
        }
    }
    const auto baseline = baselineRun(project);
    const auto at = std::find_if(gallery.runs.begin(), gallery.runs.end(),
                                 [&](const RunPredictions& run) { return run.run == baseline; });
    if (baseline.empty() || at == gallery.runs.end()) {
        return;
    }
    at->isBaseline = gallery.hasBaseline = true;
    std::rotate(gallery.runs.begin(), at, at + 1);
    for (auto& run : gallery.runs) {
        compareWithBaseline(gallery.runs.front(), run);
    }
}

}  // namespace

const PhotoPrediction* Gallery::prediction(std::size_t run, std::size_t photo) const {
    if (run >= runs.size() || photo >= photos.size() || !photos[photo].validation) {
        return nullptr;
    }
    const auto row = photo - static_cast<std::size_t>(trainCount);
    return row < runs[run].rows.size() ? &runs[run].rows[row] : nullptr;
}

Gallery loadGallery(const Project& project) {
    Gallery gallery;
    gallery.folder = project.paths().root;
    addCatalogue(project, gallery);
    gallery.frozen = project.isFrozen();
    if (!gallery.frozen) {
        return gallery;
    }
    const auto contract = project.contract().contract;
    auto set = project.frozen();
    gallery.labels = contract.labels;
    gallery.acceptLabel = contract.acceptLabel;
    gallery.threshold = contract.acceptanceThreshold;
    gallery.splitDigest = contract.splitDigest;
    gallery.datasetDigest = contract.datasetDigest;
    gallery.height = contract.height;
    gallery.width = contract.width;
    gallery.trainCount = static_cast<std::int64_t>(set.train.size());
    gallery.photos.reserve(set.train.size() + set.validation.size());
    addPhotos(set.train, gallery);
    addPhotos(set.validation, gallery);
    addRuns(project, gallery);
    return gallery;
}

void verifyFrozen(const Project& project) {
    project.frozen(true);
}

PhotoPixels::PhotoPixels(const std::string& projectFolder) {
    const auto frozen = ProjectPaths{projectFolder}.frozen();
    train_ = std::make_unique<const PixelCache>(joinPath(frozen, "train.pixels"));
    validation_ = std::make_unique<const PixelCache>(joinPath(frozen, "val.pixels"));
}

PhotoPixels::~PhotoPixels() = default;

Image PhotoPixels::read(bool validation, std::int64_t id) const {
    const auto& cache = validation ? *validation_ : *train_;
    if (id < 0 || id >= cache.size()) {
        return {};
    }
    const auto pixels = cache.pixels(id);
    Image image{cache.width(), cache.height(), {pixels.begin(), pixels.end()}};
    cache.release(id);
    return image;
}

bool hasOriginal(const Gallery& gallery, const Photo& photo) {
    return !gallery.imageRoot.empty() && !photo.source.starts_with(kDrawn);
}

Image readOriginal(const Gallery& gallery, const Photo& photo, std::int64_t longSide) {
    if (!hasOriginal(gallery, photo)) {
        throw Error(ErrorCode::Data,
                    "this photo was drawn by the program: there is no file behind it");
    }
    return limitLongSide(decodeImageFile(joinPath(gallery.imageRoot, photo.source)), longSide);
}

std::string describeDerivation(const std::string& derivation) {
    if (derivation.empty()) {
        return {};
    }
    const auto content = nlohmann::json::parse(derivation, nullptr, false);
    if (!content.is_object() || !content.contains("kind") || !content["kind"].is_string() ||
        !content.contains("severity") || !content["severity"].is_number()) {
        return printable(derivation);
    }
    return fmt::format("{}, severity {}", printable(content["kind"].get<std::string>()),
                       formatDouble(content["severity"].get<double>()));
}

}  // namespace receiptbench
