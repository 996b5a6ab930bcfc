// Examples per second of the product's own trainer, to be measured in turn with
// shared/peers/peers.py --cached:
//   train_bench PRECISION MICROBATCH contiguous|channels-last [UPDATES] [HEIGHT WIDTH] [BUDGET]
//   [THREADS]
// Prints one JSON line; the median update, without the first two.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/model/model.h"
#include "core/train/trainer.h"

using namespace receiptbench;

namespace {

// 192 images of noise in memory, as the pixel cache would map them.
class NoiseSource : public BatchSource {
 public:
    NoiseSource(std::int64_t height, std::int64_t width) : height_(height), width_(width) {
        RandomStream random(1, "noise");
        pixels_.resize(static_cast<std::size_t>(kSize * height * width * 3));
        std::generate(pixels_.begin(), pixels_.end(),
                      [&] { return static_cast<std::uint8_t>(random.next32()); });
    }
    std::int64_t size() const override { return kSize; }
    std::int64_t height() const override { return height_; }
    std::int64_t width() const override { return width_; }
    std::int64_t label(std::int64_t id) const override { return id % 3; }
    void read(std::span<const ExampleUse> uses, std::span<std::uint8_t> out) const override {
        const auto bytes = static_cast<std::size_t>(height_ * width_ * 3);
        for (std::size_t i = 0; i < uses.size(); ++i) {
            std::copy_n(pixels_.begin() + static_cast<std::ptrdiff_t>(uses[i].id) *
                                              static_cast<std::ptrdiff_t>(bytes),
                        bytes, out.begin() + static_cast<std::ptrdiff_t>(i * bytes));
        }
    }

 private:
    static constexpr std::int64_t kSize = 192;
    std::int64_t height_, width_;
    std::vector<std::uint8_t> pixels_;
};

struct Times : TrainObserver {
    void onUpdate(const UpdateRecord& record) override { records.push_back(record); }
    double median(double (*of)(const UpdateRecord&)) const {
        std::vector<double> values;
        for (std::size_t i = std::min<std::size_t>(2, records.size() - 1); i < records.size();
             ++i) {
            values.push_back(of(records[i]));
        }
        std::nth_element(values.begin(),
                         values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                         values.end());
        return values[values.size() / 2];
    }
    std::vector<UpdateRecord> records;
};

std::int64_t number(int argc, char** argv, int index, std::int64_t otherwise) {
    return index < argc ? parseInt(argv[index]).value_or(otherwise) : otherwise;
}

void bench(int argc, char** argv) {
    TrainerOptions options;
    options.plan.precision = parsePrecision(argc > 1 ? argv[1] : "fp32");
    options.plan.microbatch = number(argc, argv, 2, 16);
    options.plan.memoryFormat = parseMemoryFormat(argc > 3 ? argv[3] : "channels-last");
    options.memoryLimit = argc > 7 ? parseBytes(argv[7]).value_or(0) : 0;
    options.plan.threads = static_cast<int>(number(argc, argv, 8, 2));
    const NoiseSource source(number(argc, argv, 5, 256), number(argc, argv, 6, 192));
    ExperimentContract contract;
    contract.labels = LabelMap({"readable", "blurred", "cut-off"});
    contract.trainExamples = source.size();
    contract.height = source.height();
    contract.width = source.width();
    contract.updates = number(argc, argv, 4, 12);
    const std::vector<HostTensor> weights =
        initialWeights(contract.model, contract.labels.size(), contract.seed);
    contract.model.revision = digestOfTensors(weights);
    Trainer trainer(contract, weights, source, options);
    Times times;
    const CancelToken cancel;
    const TrainSummary summary = trainer.run(times, cancel);
    const auto milliseconds = [&](double (*of)(const UpdateRecord&)) {
        return 1000 * times.median(of);
    };
    fmt::print(
        R"({{"precision":"{}","micro":{},"format":"{}","examples_per_s":{:.1f},"data_ms":{:.1f},"forward_ms":{:.1f},)"
        R"("backward_ms":{:.1f},"optimizer_ms":{:.1f},"other_ms":{:.1f},"peak_mib":{:.1f},"reserved_mib":{:.1f}}})"
        "\n",
        toString(options.plan.precision), options.plan.microbatch,
        toString(options.plan.memoryFormat), times.median([](const UpdateRecord& r) {
            return static_cast<double>(r.accepted) / (r.seconds.total() - r.seconds.checkpoint);
        }),
        milliseconds([](const UpdateRecord& r) { return r.seconds.data; }),
        milliseconds([](const UpdateRecord& r) { return r.seconds.forward; }),
        milliseconds([](const UpdateRecord& r) { return r.seconds.backward; }),
        milliseconds([](const UpdateRecord& r) { return r.seconds.optimizer; }),
        milliseconds([](const UpdateRecord& r) { return r.seconds.other; }),
        static_cast<double>(summary.peak.total) / (1 << 20),
        static_cast<double>(summary.peak.reserved) / (1 << 20));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        bench(argc, argv);
        return 0;
    } catch (const Error& error) {
        fmt::print(stderr, "{} {}\n", error.what(), error.hint());
        return static_cast<int>(error.code());
    }
}
