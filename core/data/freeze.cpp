#include "core/data/freeze.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <thread>

#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/data/degrade.h"
#include "core/data/file_bytes.h"
#include "core/data/frozen_files.h"
#include "core/data/ordered_parallel.h"
#include "core/data/pixel_cache.h"
#include "core/data/split.h"
#include "core/data/synthetic.h"

namespace receiptbench {
namespace {

constexpr std::int64_t kSmallestSide = 16, kLargestSide = 4096;
constexpr std::int64_t kSyntheticHeight = 512;  // pixels
constexpr std::int64_t kMostSynthetic = 100'000;
constexpr int kMostThreads = 8;  // decoding takes up to 200 MiB a photo
constexpr const char* kReadable = "readable";

// One image as it goes into the cache.
struct Derived {
    Image image;
    std::string label, derivation;
};
// What became of one photo: its images, or why there are none.
struct Made {
    std::vector<Derived> images;
    std::optional<Reject> reject;
};

std::vector<CatalogueItem> syntheticItems(std::int64_t count) {
    if (count > kMostSynthetic) {
        throw Error(ErrorCode::Usage,
                    fmt::format("{} synthetic receipts are more than {}", count, kMostSynthetic),
                    "ask for fewer");
    }
    std::vector<CatalogueItem> items;
    for (std::int64_t i = 0; i < count; ++i) {
        CatalogueItem item;
        item.path = fmt::format("synthetic:{}", i);
        item.label = kReadable;
        item.identity = fmt::format("synthetic-{:05}", i);
        items.push_back(std::move(item));
    }
    return items;
}

void checkOptions(const FreezeOptions& options) {
    for (const std::int64_t side : {options.height, options.width}) {
        if (side < kSmallestSide || side > kLargestSide) {
            throw Error(ErrorCode::Usage,
                        fmt::format("image size {}x{} has a side of {}", options.height,
                                    options.width, side),
                        fmt::format("choose sides between {} and {}, e.g. 256x192", kSmallestSide,
                                    kLargestSide));
        }
    }
}

void checkLabels(const std::vector<CatalogueItem>& items, bool derive) {
    std::set<std::string> labels;
    for (const CatalogueItem& item : items) {
        labels.insert(item.label);
        if (derive && item.label != kReadable) {
            throw Error(ErrorCode::Data,
                        fmt::format("{} is labelled '{}', but blurred and cut-off images are "
                                    "derived from readable receipts only",
                                    printable(item.path), printable(item.label)),
                        "leave such rows out, or freeze without --derive");
        }
    }
    if (!derive && labels.size() == 1) {
        throw Error(ErrorCode::Data,
                    fmt::format("every image is labelled '{}': a classifier needs two classes",
                                printable(*labels.begin())),
                    std::string("add images of another class") +
                        (*labels.begin() == kReadable ? ", or use --derive" : ""));
    }
}

// Freezing is one person's work in a folder of its own: what lies there under these names is an
// unfinished freeze.
void clearUnfinished(FileSystem& files, const std::string& folder) {
    files.makeDirectories(folder);
    if (files.exists(joinPath(folder, "contract.json"))) {
        throw Error(ErrorCode::Failed,
                    fmt::format("{} is frozen already: it holds a contract", printable(folder)),
                    "use a new project folder");
    }
    for (const char* name : {kFrozenFile, kSplitFile, kTrainPixels, kValidationPixels}) {
        if (files.exists(joinPath(folder, name))) {
            files.remove(joinPath(folder, name));
        }
    }
    const std::string temporary = ".tmp";
    for (const DirectoryEntry& entry : files.list(folder)) {
        for (const char* name : {kTrainPixels, kValidationPixels}) {
            if (entry.kind == EntryKind::File && entry.name.starts_with(name + temporary)) {
                files.remove(joinPath(folder, entry.name));
            }
        }
    }
}

// One job: the photos in the order of the caches, made on several threads, written in that order.
class Freezer {
 public:
    Freezer(const Catalogue& catalogue, const FreezeOptions& options, FileSystem& files,
            std::string folder)
        : root_(catalogue.root), options_(options), files_(files), folder_(std::move(folder)) {
        const bool synthetic = options.syntheticIdentities > 0;
        items_ = synthetic ? syntheticItems(options.syntheticIdentities) : catalogue.items;
        options_.derive = options.derive || synthetic;
    }

    FrozenSet run(Progress& progress, const CancelToken* cancel) {
        checkOptions(options_);
        SplitResult split = splitByIdentity(items_, options_.validationShare, options_.seed);
        checkLabels(items_, options_.derive);
        clearUnfinished(files_, folder_);
        set_.width = options_.width;
        set_.height = options_.height;
        set_.warnings = std::move(split.warnings);
        validation_ = std::move(split.validation);
        for (const bool validation : {false, true}) {
            for (std::size_t i = 0; i < items_.size(); ++i) {
                if (validation_[i] == validation) {
                    order_.push_back(i);
                }
            }
        }
        return write(progress, cancel);
    }

 private:
    FrozenSet write(Progress& progress, const CancelToken* cancel) {
        PixelCacheWriter train(files_, joinPath(folder_, kTrainPixels), options_.height,
                               options_.width);
        PixelCacheWriter validation(files_, joinPath(folder_, kValidationPixels), options_.height,
                                    options_.width);
        const auto count = static_cast<std::int64_t>(order_.size());
        progress.stage("freeze", count);
        orderedParallel<Made>(
            count, threads(),
            [&](std::int64_t i) {
                refuseWhenCancelled(cancel);
                return make(items_[order_[static_cast<std::size_t>(i)]]);
            },
            [&](std::int64_t i, Made made) {
                const std::size_t item = order_[static_cast<std::size_t>(i)];
                take(item, std::move(made), validation_[item] ? validation : train, progress);
                progress.step(i + 1);
            });
        refuseWhenCancelled(cancel);
        finishSet();
        const PixelDigests pixels{train.finish(), validation.finish()};
        const std::string csv = splitCsv(set_);
        set_.splitDigest = sha256Hex(std::string_view(csv));
        set_.datasetDigest = datasetDigest(set_, pixels);
        writeAtomically(files_, joinPath(folder_, kSplitFile), csv);
        writeAtomically(files_, joinPath(folder_, kFrozenFile), frozenJson(set_, pixels));
        return std::move(set_);
    }

    int threads() const {
        const int wanted = options_.threads > 0
                               ? options_.threads
                               : static_cast<int>(std::thread::hardware_concurrency());
        return std::clamp(wanted, 1, kMostThreads);
    }

    static void refuseWhenCancelled(const CancelToken* cancel) {
        if (cancel != nullptr && cancel->finishRequested()) {
            throw Error(ErrorCode::Interrupted, "freezing was stopped: nothing is frozen",
                        "start it again");
        }
    }

    // Runs on any thread: reads nothing that changes.
    Made make(const CatalogueItem& item) const {
        Made made;
        try {
            Image photo = limitLongSide(load(item), kLongSide);
            if (options_.derive) {
                const std::uint64_t identity = hashName(item.identity), file = hashName(item.path);
                Degraded blurred = blur(photo, RandomStream(options_.seed, "blur", identity, file));
                Degraded cut =
                    cutOff(photo, RandomStream(options_.seed, "cut-off", identity, file));
                made.images.push_back({framed(photo), kReadable, ""});
                made.images.push_back({framed(blurred.image), "blurred", blurred.json()});
                made.images.push_back({framed(cut.image), "cut-off", cut.json()});
            } else {
                made.images.push_back({framed(photo), item.label, ""});
            }
        } catch (const DecodeError& error) {
            made.images.clear();
            made.reject = Reject{item.path, item.line, error.reason(), error.what()};
        }
        return made;
    }

    Image framed(const Image& image) const {
        return letterbox(image, options_.width, options_.height);
    }

    // Phones differ in shape: with one shape for all, the grey beside the picture would give every
    // cut away.
    Image drawSynthetic(std::int64_t identity) const {
        RandomStream random(options_.seed, "synthetic-shape", static_cast<std::uint64_t>(identity));
        const auto width = static_cast<std::int64_t>(kSyntheticHeight * random.uniform(0.6, 0.9));
        return drawReceipt(options_.seed, identity, width, kSyntheticHeight);
    }

    Image load(const CatalogueItem& item) const {
        if (options_.syntheticIdentities > 0) {
            return drawSynthetic(&item - items_.data());
        }
        const std::vector<std::byte> bytes = readImageFile(joinPath(root_, item.path));
        if (!item.sha256.empty() && sha256Hex(std::span(bytes)) != item.sha256) {
            throw Error(ErrorCode::Data,
                        fmt::format("{} has changed since it was imported", printable(item.path)),
                        "import the data again");
        }
        return decodeImage(bytes);
    }

    void take(std::size_t item, Made made, PixelCacheWriter& cache, Progress& progress) {
        if (made.reject) {
            progress.note(
                fmt::format("rejected {}: {}", printable(made.reject->path), made.reject->message));
            set_.rejects.push_back(std::move(*made.reject));
            return;
        }
        auto& examples = validation_[item] ? set_.validation : set_.train;
        for (Derived& derived : made.images) {
            cache.add(derived.image);
            examples.push_back({static_cast<std::int64_t>(examples.size()),
                                validation_[item] ? "val" : "train", std::move(derived.label),
                                items_[item].identity, items_[item].path,
                                std::move(derived.derivation)});
        }
    }

    // Rejects may have emptied what the split had filled.
    void finishSet() {
        std::array<std::set<std::string>, 2> labels;
        for (const FrozenExample& example : set_.train) {
            labels[0].insert(example.label);
        }
        for (const FrozenExample& example : set_.validation) {
            labels[1].insert(example.label);
        }
        const std::string rejected =
            set_.rejects.empty()
                ? ""
                : fmt::format(" ({} files were rejected, the first: {})", set_.rejects.size(),
                              printable(set_.rejects.front().path));
        std::vector<std::string> all;
        std::set_union(labels[0].begin(), labels[0].end(), labels[1].begin(), labels[1].end(),
                       std::back_inserter(all));
        if (labels[0].empty() || labels[1].empty()) {
            throw Error(ErrorCode::Data,
                        fmt::format("no image is left for {}{}",
                                    labels[0].empty() ? "training" : "validation", rejected),
                        "import images that can be decoded");
        }
        if (all.size() < 2) {
            throw Error(
                ErrorCode::Data,
                fmt::format("every image left is labelled '{}'{}: a classifier needs two classes",
                            printable(all[0]), rejected),
                "import images of another class that can be decoded");
        }
        for (const std::string& label : all) {
            for (std::size_t side = 0; side < labels.size(); ++side) {
                const std::string warning =
                    fmt::format("class '{}' is absent from {}", printable(label),
                                side == 0 ? "training" : "validation");
                const bool told = std::any_of(
                    set_.warnings.begin(), set_.warnings.end(),
                    [&](const std::string& known) { return known.starts_with(warning); });
                if (labels[side].count(label) == 0 && !told) {
                    set_.warnings.push_back(warning + rejected);
                }
            }
        }
        set_.labels = LabelMap::fromLabels(all);
    }

    std::string root_;
    FreezeOptions options_;
    FileSystem& files_;
    std::string folder_;
    std::vector<CatalogueItem> items_;
    std::vector<bool> validation_;    // one per item
    std::vector<std::size_t> order_;  // of items: training first
    FrozenSet set_;
};

void checkPixels(const std::string& path, const FrozenSet& set, std::size_t count,
                 const std::string& digest, bool full) {
    const PixelCache cache(path);
    const auto differs = [&](const std::string& why) {
        throw Error(
            ErrorCode::Data, fmt::format("{} {}", printable(path), why),
            "the frozen set was changed or damaged: freeze the data again into a new project");
    };
    if (cache.height() != set.height || cache.width() != set.width ||
        cache.size() != static_cast<std::int64_t>(count)) {
        differs(fmt::format("holds {} images of {}x{}, the frozen set has {} of {}x{}",
                            cache.size(), cache.height(), cache.width(), count, set.height,
                            set.width));
    }
    if (cache.digest() != digest) {
        differs(fmt::format("has the digest {}, frozen.json says {}", cache.digest(), digest));
    }
    if (full && !cache.verify()) {
        differs(fmt::format("was altered: its pixels no longer have the digest {}", digest));
    }
}

}  // namespace

FrozenSet freezeImages(const Catalogue& catalogue, const FreezeOptions& options, FileSystem& files,
                       const std::string& folder, Progress& progress, const CancelToken* cancel) {
    return Freezer(catalogue, options, files, folder).run(progress, cancel);
}

FrozenSet openFrozen(FileSystem& files, const std::string& folder, bool full) {
    const std::string frozenPath = joinPath(folder, kFrozenFile),
                      splitPath = joinPath(folder, kSplitFile);
    if (!files.exists(frozenPath)) {
        throw Error(
            ErrorCode::Data,
            fmt::format("{} holds no frozen set: {} is missing", printable(folder), kFrozenFile),
            "run receiptbench freeze");
    }
    FrozenFacts facts = parseFrozenJson(readText(files, frozenPath), frozenPath);
    FrozenSet& set = facts.set;
    const std::string csv = readText(files, splitPath);
    const std::string digest = sha256Hex(std::string_view(csv));
    if (digest != set.splitDigest) {
        throw Error(ErrorCode::Data,
                    fmt::format("{} was altered: its digest is {}, frozen.json says {}",
                                printable(splitPath), digest, set.splitDigest),
                    "the split is frozen: freeze the data again into a new project");
    }
    parseSplitCsv(csv, splitPath, set);
    checkPixels(joinPath(folder, kTrainPixels), set, set.train.size(), facts.pixels.train, full);
    checkPixels(joinPath(folder, kValidationPixels), set, set.validation.size(),
                facts.pixels.validation, full);
    if (datasetDigest(set, facts.pixels) != set.datasetDigest ||
        facts.trainCount != static_cast<std::int64_t>(set.train.size()) ||
        facts.validationCount != static_cast<std::int64_t>(set.validation.size())) {
        throw Error(
            ErrorCode::Data,
            fmt::format("{} contradicts itself: its counts and digests do not belong together",
                        printable(frozenPath)),
            "the frozen set was changed or damaged: freeze the data again into a new project");
    }
    return std::move(set);
}

}  // namespace receiptbench
