#include <torch/torch.h>

#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/model/model_torch.h"
#include "core/train/gradient_compare_torch.h"
#include "small_experiment.h"

using namespace receiptbench;

namespace {

GradientCheckResult check(const BatchSource& source, std::int64_t microbatch,
                          std::int64_t limit = 0,
                          Normalisation accumulatedAs = Normalisation::AcceptedCount,
                          MemoryFormat format = MemoryFormat::Contiguous) {
    const ExperimentContract contract = small::contractFor(source);
    return checkGradients(contract, small::weightsFor(contract), source,
                          {Precision::Fp32, microbatch, format, 1}, limit, accumulatedAs);
}

}  // namespace

class GradientCheckTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void passesAndCatchesTheWrongOne_data();
    void passesAndCatchesTheWrongOne();
    void failsForABrokenAccumulation();
    void failsForNaN();
    void holdsInDoubleForEveryCut();
    void weighsClasses();
    void cutsUnevenly();
    void reducesTheSizeToFit();
    void saysWhenNothingFits();
    void readsBackItsJson();
};

void GradientCheckTest::passesAndCatchesTheWrongOne_data() {
    QTest::addColumn<int>("format");
    QTest::newRow("contiguous") << static_cast<int>(MemoryFormat::Contiguous);
    QTest::newRow("channels-last") << static_cast<int>(MemoryFormat::ChannelsLast);
}

void GradientCheckTest::passesAndCatchesTheWrongOne() {
    QFETCH(const int, format);
    const small::DrawnSource source;
    for (std::int64_t microbatch = 1; microbatch <= 47; microbatch += microbatch < 8 ? 1 : 5) {
        const GradientCheckResult result = check(
            source, microbatch, 0, Normalisation::AcceptedCount, static_cast<MemoryFormat>(format));
        QCOMPARE(result.examples, std::int64_t{47});
        QVERIFY(result.microbatches.size() >= 2 &&
                result.microbatches.back() < result.microbatches.front());
        QVERIFY2(result.relativeL2 <= 5e-6, std::to_string(result.relativeL2).c_str());
        QVERIFY(result.wrongRelativeL2 > 1e-4 && result.wrongLargestAbsolute > 0);
        QVERIFY(result.passed() && !result.reducedSize && result.layers.size() > 10);
        for (const LayerComparison& layer : result.layers) {
            QVERIFY2(layer.fullNorm > 0, layer.parameter.c_str());
            QVERIFY2(layer.relativeL2 <= 5e-6, layer.parameter.c_str());
        }
        QVERIFY(std::abs(result.lossFull - result.lossAccumulated) < 1e-5);
        QVERIFY(result.lossWrong != result.lossFull);
    }
}

void GradientCheckTest::failsForABrokenAccumulation() {
    const small::DrawnSource source;
    const GradientCheckResult result = check(source, 16, 0, Normalisation::MeanOfMeans);
    QVERIFY(!result.passed() && !result.accumulatedPasses() && result.wrongIsCaught());
    QCOMPARE(result.relativeL2, result.wrongRelativeL2);
}

void GradientCheckTest::failsForNaN() {
    const small::DrawnSource source;
    const ExperimentContract contract = small::contractFor(source);
    std::vector<HostTensor> weights = small::weightsFor(contract);
    std::fill_n(weights[0].bytes.begin(), 4, std::byte{0xff});
    const GradientCheckResult result = checkGradients(
        contract, weights, source, {Precision::Fp32, 16, MemoryFormat::Contiguous, 1}, 0);
    QVERIFY(std::isnan(result.relativeL2));
    QVERIFY(!result.passed());
}

void GradientCheckTest::holdsInDoubleForEveryCut() {
    const std::shared_ptr<Classifier> model = makeClassifier({"receiptnet", 8, ""}, 3, 5);
    model->to(torch::kDouble);
    torch::manual_seed(3);
    torch::set_num_threads(1);
    const torch::Tensor images = torch::randn({47, 3, 16, 16}, torch::kDouble);
    const torch::Tensor labels = torch::randint(3, {47}, torch::kLong);
    const auto gradient = [&](const std::vector<std::int64_t>& cut, Normalisation normalisation) {
        return gradientOfUpdate([&](const torch::Tensor& x) { return model->forward(x); }, *model,
                                images, labels, LossSpec{}, cut, normalisation);
    };
    const UpdateGradient full = gradient({47}, Normalisation::AcceptedCount);
    for (std::int64_t microbatch = 1; microbatch <= 47; ++microbatch) {
        const std::vector<std::int64_t> cut = cutUpdate(47, microbatch);
        GradientCheckResult result;
        compareGradients(full, gradient(cut, Normalisation::AcceptedCount),
                         gradient(cut, Normalisation::MeanOfMeans), result);
        QVERIFY2(result.relativeL2 <= 1e-10, std::to_string(microbatch).c_str());
        // Equal parts are the one case in which the mean of means is right.
        const bool even = cut.front() == cut.back();
        QVERIFY2(even == (result.wrongRelativeL2 <= 1e-10), std::to_string(microbatch).c_str());
    }
}

void GradientCheckTest::weighsClasses() {
    const small::DrawnSource source;
    ExperimentContract contract = small::contractFor(source);
    contract.loss.classWeights = {1, 2, 0.5};
    contract.loss.labelSmoothing = 0.1;
    const GradientCheckResult result =
        checkGradients(contract, small::weightsFor(contract), source,
                       {Precision::Bf16, 16, MemoryFormat::ChannelsLast, 1}, 0);
    QVERIFY(result.passed());  // in fp32, whatever the plan's precision
}

void GradientCheckTest::cutsUnevenly() {
    using Cut = std::vector<std::int64_t>;
    QVERIFY((unevenCut(47, 47) == Cut{24, 23}));
    QVERIFY((unevenCut(47, 16) == Cut{16, 16, 15}));
    QVERIFY((unevenCut(48, 16) == Cut{15, 15, 15, 3}));
    QVERIFY((unevenCut(4, 4) == Cut{3, 1}));
    QVERIFY((unevenCut(3, 1) == Cut{2, 1}));
    for (std::int64_t examples = 3; examples <= 64; ++examples) {
        for (std::int64_t microbatch = 1; microbatch <= examples + 1; ++microbatch) {
            const Cut cut = unevenCut(examples, microbatch);
            QVERIFY(cut.size() >= 2 && cut.back() < cut.front());
            QCOMPARE(std::accumulate(cut.begin(), cut.end(), std::int64_t{0}), examples);
        }
    }
    QVERIFY_THROWS_EXCEPTION(Error, unevenCut(2, 1));
}

void GradientCheckTest::reducesTheSizeToFit() {
    const small::DrawnSource source(64, 64);
    const GradientCheckResult free = check(source, 8);
    QVERIFY(!free.reducedSize && free.reason.empty());
    const GradientCheckResult result = check(source, 8, 9 << 20);
    QVERIFY(result.reducedSize && result.passed());
    QVERIFY(result.height < 64 && result.height % 16 == 0 && result.width == result.height);
    QVERIFY2(result.reason.find("9.0 MiB") != std::string::npos, result.reason.c_str());
}

void GradientCheckTest::saysWhenNothingFits() {
    const small::DrawnSource source;
    try {
        check(source, 8, 64 << 10);
        QFAIL("64 KiB are enough?");
    } catch (const Error& error) {
        QVERIFY(error.code() == ErrorCode::OverBudget);
        QVERIFY2(std::string(error.what()).find("16x16") != std::string::npos, error.what());
    }
}

void GradientCheckTest::readsBackItsJson() {
    const small::DrawnSource source;
    const GradientCheckResult result = check(source, 16);
    const nlohmann::json json = result;
    const auto back = json.get<GradientCheckResult>();
    QCOMPARE(nlohmann::json(back).dump(), json.dump());
    QVERIFY(back.microbatches == result.microbatches && back.layers.size() == result.layers.size());
    QCOMPARE(back.relativeL2, result.relativeL2);
}

QTEST_APPLESS_MAIN(GradientCheckTest)
#include "gradient_check_test.moc"
