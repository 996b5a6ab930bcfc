// A small experiment that trains in milliseconds: drawn 32x32 images of three classes, and a
// contract for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/contract/contract.h"
#include "core/model/model.h"
#include "core/train/batch.h"
#include "core/train/trainer.h"

namespace small {

// Class 0: bright on the left, 1: bright on top, 2: grey; noise on all; flipped by a function of
// (epoch, id).
class DrawnSource : public receiptbench::BatchSource {
 public:
    explicit DrawnSource(std::int64_t size = 64, std::int64_t side = 32)
        : size_(size), side_(side) {
        for (std::int64_t id = 0; id < size; ++id) {
            receiptbench::RandomStream random(7, "drawn", static_cast<std::uint64_t>(id));
            for (std::int64_t i = 0; i < side * side * 3; ++i) {
                const bool bright = label(id) == 0 ? i / 3 % side < side / 2
                                                   : label(id) == 1 && i / 3 / side < side / 2;
                pixels_.push_back(
                    static_cast<std::uint8_t>((bright ? 150 : 60) + random.below(80)));
            }
        }
    }
    std::int64_t size() const override { return size_; }
    std::int64_t height() const override { return side_; }
    std::int64_t width() const override { return side_; }
    std::int64_t label(std::int64_t id) const override { return id % 3; }
    void read(std::span<const receiptbench::ExampleUse> uses,
              std::span<std::uint8_t> pixels) const override {
        const std::int64_t bytes = side_ * side_ * 3;
        auto out = pixels.begin();
        for (const receiptbench::ExampleUse& use : uses) {
            const auto begin = pixels_.begin() + static_cast<std::ptrdiff_t>(use.id * bytes);
            const bool flip = use.epoch >= 0 && (use.epoch + use.id) % 2 == 1;
            if (flip) {
                std::reverse_copy(begin, begin + bytes, out);
            } else {
                std::copy(begin, begin + bytes, out);
            }
            out += bytes;
        }
    }

 private:
    std::int64_t size_, side_;
    std::vector<std::uint8_t> pixels_;
};

inline receiptbench::ExperimentContract contractFor(const receiptbench::BatchSource& source) {
    receiptbench::ExperimentContract contract;
    contract.labels = receiptbench::LabelMap({"readable", "blurred", "cut-off"});
    contract.splitDigest = contract.datasetDigest = std::string(64, '0');
    contract.trainExamples = source.size();
    contract.validationExamples = 9;
    contract.height = source.height();
    contract.width = source.width();
    contract.model.width = 8;
    contract.updates = 6;
    contract.checkpointInterval = 4;
    contract.schedule.warmup = 2;
    contract.model.revision = receiptbench::digestOfTensors(
        receiptbench::initialWeights(contract.model, contract.labels.size(), contract.seed));
    return contract;
}

inline std::vector<receiptbench::HostTensor> weightsFor(
    const receiptbench::ExperimentContract& contract) {
    return receiptbench::initialWeights(contract.model, contract.labels.size(), contract.seed);
}

inline receiptbench::TrainerOptions optionsFor(
    receiptbench::Precision precision = receiptbench::Precision::Fp32, std::int64_t microbatch = 16,
    receiptbench::MemoryFormat format = receiptbench::MemoryFormat::Contiguous) {
    receiptbench::TrainerOptions options;
    options.plan = {precision, microbatch, format, 1};  // so small that a second thread only costs
    return options;
}

// Keeps everything.
struct Recorder : receiptbench::TrainObserver {
    void onUpdate(const receiptbench::UpdateRecord& record) override { records.push_back(record); }
    void onMemory(const receiptbench::MemorySample& sample) override { samples.push_back(sample); }
    void onMessage(const std::string& message) override { messages.push_back(message); }
    void onCheckpointDue(const receiptbench::TrainingState& state) override {
        states.push_back(state);
    }
    std::vector<receiptbench::UpdateRecord> records;
    std::vector<receiptbench::MemorySample> samples;
    std::vector<std::string> messages;
    std::vector<receiptbench::TrainingState> states;
};

// sqrt(sum (a-b)^2 / sum b^2) over all fp32 tensors.
inline double relativeDistance(const std::vector<receiptbench::HostTensor>& a,
                               const std::vector<receiptbench::HostTensor>& b) {
    double difference = 0, norm = 0;
    for (std::size_t t = 0; t < a.size(); ++t) {
        const auto* left = reinterpret_cast<const float*>(a[t].bytes.data());
        const auto* right = reinterpret_cast<const float*>(b.at(t).bytes.data());
        for (std::size_t i = 0; i < a[t].bytes.size() / sizeof(float); ++i) {
            const double d = static_cast<double>(left[i]) - static_cast<double>(right[i]);
            difference += d * d;
            norm += static_cast<double>(right[i]) * static_cast<double>(right[i]);
        }
    }
    return norm > 0 ? std::sqrt(difference / norm) : difference;
}

inline bool sameBytes(const std::vector<receiptbench::HostTensor>& a,
                      const std::vector<receiptbench::HostTensor>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& left, const auto& right) {
                          return left.name == right.name && left.bytes == right.bytes;
                      });
}

}  // namespace small
