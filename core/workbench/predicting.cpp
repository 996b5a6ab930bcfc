#include "core/workbench/predicting.h"

#include <algorithm>
#include <thread>

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/data/decode.h"
#include "core/data/ordered_parallel.h"
#include "core/workbench/run_checkpoint.h"
#include "core/workbench/run_session.h"

namespace receiptbench {
namespace {

constexpr std::size_t kBatch = 64;  // photos in memory at a time

// Framed photos that are predicted and dropped.
class PhotoBatch : public BatchSource {
 public:
    PhotoBatch(std::int64_t height, std::int64_t width) : height_(height), width_(width) {}
    void add(Image image) { images_.push_back(std::move(image)); }
    std::int64_t size() const override { return static_cast<std::int64_t>(images_.size()); }
    std::int64_t height() const override { return height_; }
    std::int64_t width() const override { return width_; }
    std::int64_t label(std::int64_t) const override { return 0; }
    void read(std::span<const ExampleUse> uses, std::span<std::uint8_t> pixels) const override {
        auto to = pixels.begin();
        for (const auto& use : uses) {
            const auto& image = images_.at(static_cast<std::size_t>(use.id));
            to = std::copy(image.rgb.begin(), image.rgb.end(), to);
        }
    }

 private:
    std::int64_t height_, width_;
    std::vector<Image> images_;
};

struct Decoded {
    Image image;
    std::string problem, message;
};

class Predicting {
 public:
    Predicting(const Project& project, const PredictRequest& request, Progress& progress,
               const CancelToken* cancel)
        : project_(project),
          progress_(progress),
          cancel_(cancel),
          loaded_(project.contract()),
          batch_(loaded_.contract.height, loaded_.contract.width) {
        threads_ = request.threads > 0 ? request.threads
                                       : static_cast<int>(std::thread::hardware_concurrency());
    }

    PredictResult run(const PredictRequest& request) {
        list(request.sources);
        startTrainer(request.run);
        progress_.stage("predicting", static_cast<std::int64_t>(result_.photos.size()));
        const auto& spec = loaded_.contract;
        orderedParallel<Decoded>(
            static_cast<std::int64_t>(result_.photos.size()), std::max(1, threads_),
            [&](std::int64_t index) {
                return decode(result_.photos[static_cast<std::size_t>(index)], spec);
            },
            [&](std::int64_t index, Decoded decoded) { take(index, std::move(decoded)); });
        predictBatch();
        return std::move(result_);
    }

 private:
    void list(const std::vector<std::string>& sources) {
        if (sources.empty()) {
            throw Error(ErrorCode::Usage, "there is nothing to predict",
                        "name pictures, folders or manifests");
        }
        for (const auto& source : sources) {
            auto found = listPhotos(source);
            for (auto& path : found.paths) {
                PhotoScore photo;
                photo.path = std::move(path);
                result_.photos.push_back(std::move(photo));
            }
            for (const auto& reject : found.rejects) {
                PhotoScore photo;
                photo.path = reject.path;
                photo.problem = toString(reject.reason);
                photo.message = reject.message;
                result_.photos.push_back(std::move(photo));
            }
        }
    }

    void startTrainer(const std::string& wanted) {
        auto& files = project_.files();
        result_.run = wanted.empty() ? baselineRun(project_) : wanted;
        if (result_.run.empty()) {
            throw Error(ErrorCode::Data, "there is no finished fp32 run to predict with",
                        "train one, or name another with --run");
        }
        const auto folder = project_.paths().run(result_.run);
        const auto description = loadRun(files, folder);
        demandContract(description, loaded_);
        const auto recovery = resultCheckpoint(files, folder, description);
        result_.checkpoint = baseName(recovery.chosen->path);
        result_.labels = loaded_.contract.labels;
        result_.acceptLabel = loaded_.contract.acceptLabel;
        result_.threshold = loaded_.contract.acceptanceThreshold;
        precision_ = recovery.state.values.plan.precision;
        source_ = project_.trainSource();
        TrainerOptions options;
        options.plan = recovery.state.values.plan;
        options.memoryLimit = description.memoryLimit;
        trainer_ = std::make_unique<Trainer>(loaded_.contract, project_.initialWeights(), *source_,
                                             options);
        trainer_->restore(recovery.state);
    }

    static Decoded decode(const PhotoScore& photo, const ExperimentContract& spec) {
        Decoded decoded{{}, photo.problem, photo.message};
        if (!decoded.problem.empty()) {
            return decoded;
        }
        try {
            decoded.image = framePhoto(decodeImageFile(photo.path), spec.width, spec.height);
        } catch (const DecodeError& error) {
            decoded.problem = toString(error.reason());
            decoded.message = error.what();
        }
        return decoded;
    }

    void take(std::int64_t index, Decoded decoded) {
        if (cancel_ != nullptr && cancel_->finishRequested()) {
            throw Error(ErrorCode::Interrupted, "predicting was stopped", "start it again");
        }
        auto& photo = result_.photos[static_cast<std::size_t>(index)];
        photo.problem = std::move(decoded.problem);
        photo.message = std::move(decoded.message);
        if (photo.problem.empty()) {
            batch_.add(std::move(decoded.image));
            waiting_.push_back(static_cast<std::size_t>(index));
        }
        if (waiting_.size() == kBatch) {
            predictBatch();
        }
        progress_.step(index + 1);
    }

    void predictBatch() {
        if (waiting_.empty()) {
            return;
        }
        const auto classes = result_.labels.size();
        const auto accept = result_.labels.index(result_.acceptLabel).value();
        const auto scores = fromLogits(trainer_->predict(batch_, precision_),
                                       std::vector<std::int64_t>(waiting_.size(), 0), classes);
        for (std::size_t row = 0; row < waiting_.size(); ++row) {
            auto& photo = result_.photos[waiting_[row]];
            const auto first =
                scores.probabilities.begin() + static_cast<std::ptrdiff_t>(row) * classes;
            photo.probabilities.assign(first, first + classes);
            photo.predicted = predictedClass(scores, static_cast<std::int64_t>(row));
            photo.accepted =
                photo.probabilities[static_cast<std::size_t>(accept)] >= result_.threshold;
        }
        batch_ = PhotoBatch(loaded_.contract.height, loaded_.contract.width);
        waiting_.clear();
    }

    const Project& project_;
    Progress& progress_;
    const CancelToken* cancel_;
    LoadedContract loaded_;
    PhotoBatch batch_;
    std::vector<std::size_t> waiting_;  // photos of the batch
    int threads_ = 1;
    Precision precision_ = Precision::Fp32;
    std::unique_ptr<BatchSource> source_;
    std::unique_ptr<Trainer> trainer_;
    PredictResult result_;
};

}  // namespace

std::int64_t PredictResult::rejected() const {
    return std::count_if(photos.begin(), photos.end(),
                         [](const PhotoScore& photo) { return !photo.problem.empty(); });
}

PredictResult predictPhotos(const Project& project, const PredictRequest& request,
                            Progress& progress, const CancelToken* cancel) {
    return Predicting(project, request, progress, cancel).run(request);
}

}  // namespace receiptbench
