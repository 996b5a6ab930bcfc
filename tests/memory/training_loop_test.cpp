// Real training under the budget: the same result, no more process memory, and every size of budget
// either works or says so.
#include <torch/torch.h>

#include <unistd.h>

#include <QtTest>
#include <fstream>
#include <optional>

#include "core/memory/budget.h"
#include "core/model/model_torch.h"

using namespace receiptbench;

namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kMicrobatch = 4;

std::shared_ptr<Classifier> smallModel() {
    CategoryScope scope(MemoryCategory::Parameters);
    ModelSpec spec;
    spec.width = 16;
    return makeClassifier(spec, 3, 83);
}

// Resident memory that is this process's own: without the pages of files such as LibTorch's code.
std::int64_t privateBytes() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t total = 0, resident = 0, shared = 0;
    statm >> total >> resident >> shared;
    return (resident - shared) * sysconf(_SC_PAGESIZE);
}

struct Batch {
    torch::Tensor images, labels;
};

Batch someBatch(std::int64_t height, std::int64_t width) {
    CategoryScope scope(MemoryCategory::Inputs);
    const std::int64_t count = kMicrobatch * 3 * height * width;
    return {torch::arange(count, torch::kFloat)
                .mul(0.37)
                .sin()
                .reshape({kMicrobatch, 3, height, width}),
            torch::tensor({0, 1, 2, 0}, torch::kLong)};
}

double microbatch(Classifier& model, const Batch& batch) {
    CategoryScope scope(MemoryCategory::Activations);
    const torch::Tensor loss =
        torch::nn::functional::cross_entropy(model.forward(batch.images), batch.labels);
    loss.backward();
    return loss.item<double>();
}

struct Outcome {
    double loss = 0;
    torch::Tensor gradients;  // all, in one
};

// One microbatch under a budget (none: no limit). Nothing when the budget refused.
std::optional<Outcome> tryOne(std::int64_t bytes, MemoryPeaks* peaks = nullptr) {
    std::optional<BudgetScope> budget;
    Outcome outcome;
    std::vector<std::byte> kept;
    budget.emplace(bytes);
    try {
        auto model = smallModel();
        outcome.loss = microbatch(*model, someBatch(64, 48));
        if (peaks != nullptr) {
            *peaks = memoryPeaks();
        }
        for (const auto& item : model->named_parameters()) {
            const HostTensor host = toHost(item.key(), item.value().grad());
            kept.insert(kept.end(), host.bytes.begin(), host.bytes.end());
        }
    } catch (const OverBudget&) {
        releaseFailedBackward();
        if (memoryState().allocated != 0) {
            qFatal("a refused microbatch left %lld bytes",
                   static_cast<long long>(memoryState().allocated));
        }
        return std::nullopt;
    }
    if (memoryPeaks().total > memoryState().budget) {
        qFatal("counted memory passed the budget");
    }
    budget.reset();
    outcome.gradients =
        toTorch({"all", "F32", {static_cast<std::int64_t>(kept.size() / 4)}, std::move(kept)});
    return outcome;
}

}  // namespace

class TrainingLoopTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void processMemoryStaysWithinTheBudget();  // first: the process is fresh
    void everyBudgetWorksOrIsRefused();
};

void TrainingLoopTest::processMemoryStaysWithinTheBudget() {
    constexpr std::int64_t kBudget = 32 * kMiB;
    torch::set_num_threads(2);
    const std::int64_t before = processResidentBytes(), privateBefore = privateBytes();
    QVERIFY(before > 0);
    BudgetScope budget(kBudget);
    auto model = smallModel();
    const Batch batch = someBatch(256, 192);
    torch::optim::SGD optimizer(model->parameters(), 0.01);
    std::int64_t largest = 0;
    for (int update = 0; update < 6; ++update) {
        microbatch(*model, batch);
        optimizer.step();
        optimizer.zero_grad();
        largest = std::max(largest, processResidentBytes() - before);
    }
    qInfo("process memory grew by %.1f MiB; peak %.1f MiB, reserved %.1f MiB",
          double(largest) / kMiB, double(memoryPeaks().total) / kMiB,
          double(memoryPeaks().reserved) / kMiB);
    QVERIFY(memoryPeaks().total > kBudget / 4);  // the loop is worth measuring
    QVERIFY(memoryPeaks().total <= kBudget);
    QVERIFY(largest <= kBudget + 32 * kMiB);
    QVERIFY(privateBytes() - privateBefore <= kBudget + 12 * kMiB);
}

void TrainingLoopTest::everyBudgetWorksOrIsRefused() {
    torch::set_num_threads(1);
    MemoryPeaks peaks;
    const std::optional<Outcome> wanted = tryOne(0, &peaks);
    QVERIFY(wanted.has_value());
    const double norm = wanted->gradients.norm().item<double>();
    QVERIFY(norm > 0);
    int worked = 0, refused = 0;
    constexpr int kSteps = 60;
    for (int step = 1; step <= kSteps; ++step) {
        const std::int64_t bytes = peaks.total * 3 / 2 * step / kSteps;
        const std::optional<Outcome> outcome = tryOne(bytes);
        if (!outcome) {
            ++refused;
            continue;
        }
        ++worked;
        QVERIFY(std::abs(outcome->loss - wanted->loss) <= 1e-5 * std::abs(wanted->loss));
        QVERIFY((outcome->gradients - wanted->gradients).norm().item<double>() <= 1e-5 * norm);
    }
    QVERIFY2(worked >= kSteps / 10, std::to_string(worked).c_str());
    QVERIFY2(refused >= kSteps / 2, std::to_string(refused).c_str());
}

QTEST_APPLESS_MAIN(TrainingLoopTest)
#include "training_loop_test.moc"
