// The heart of the proof: sums of losses over the accepted count, whatever the cut; the wrong ways
// are recognised.
#include <torch/torch.h>

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>

#include <QtTest>

#include <cmath>
#include <functional>
#include <limits>

#include "core/base/error.h"
#include "core/contract/run_plan.h"
#include "core/train/accumulate_torch.h"
#include "core/train/scaler.h"

using namespace receiptbench;

namespace {

ForwardFunction through(torch::nn::Linear& layer) {
    return [layer](const torch::Tensor& x) mutable { return layer->forward(x); };
}

// Gradients of one update over these examples, cut as told.
void runUpdate(torch::nn::Linear& layer, const torch::Tensor& x, const torch::Tensor& y,
               const std::vector<std::int64_t>& cut, MicrobatchJob job, const LossSpec& loss = {}) {
    layer->zero_grad();
    job.denominator = lossDenominator(y, loss);
    job.microbatches = static_cast<std::int64_t>(cut.size());
    std::int64_t begin = 0;
    for (const std::int64_t size : cut) {
        accumulate(through(layer), x.narrow(0, begin, size), y.narrow(0, begin, size), loss, job);
        begin += size;
    }
}

torch::nn::Linear copyOf(const torch::nn::Linear& layer) {
    return torch::nn::Linear(std::dynamic_pointer_cast<torch::nn::LinearImpl>(layer->clone()));
}

// Toy: one weight w = 0, example i has loss 0.5*(w - i)^2, so its gradient is -i.
struct ToyImpl : torch::nn::Module {
    explicit ToyImpl(torch::ScalarType type) {
        w = register_parameter("w", torch::zeros({}, type));
    }
    torch::Tensor w;
};
TORCH_MODULE(Toy);

torch::Tensor toyLoss(const Toy& toy, std::int64_t first, std::int64_t count) {
    const torch::Tensor x = torch::arange(first, first + count).to(toy->w.scalar_type());
    return (0.5 * (toy->w - x).square()).sum();
}

double toyGradient(torch::ScalarType type, std::int64_t microbatch, MicrobatchJob job) {
    Toy toy(type);
    const auto cut = cutUpdate(47, microbatch);
    job.microbatches = static_cast<std::int64_t>(cut.size());
    std::int64_t first = 1;
    for (const std::int64_t size : cut) {
        contribute(toyLoss(toy, first, size), static_cast<double>(size), job);
        first += size;
    }
    const GradientStatus status = unscaleAndCheck(*toy, job.scale);
    const double gradient = toy->w.grad().item<double>();
    return status.norm == std::abs(gradient) ? gradient : std::numeric_limits<double>::quiet_NaN();
}

std::string refusal(ErrorCode code, const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.code() == code ? error.what() : "wrong code";
    }
    return {};
}

}  // namespace

class AccumulateTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void initTestCase() { at::set_num_threads(2); }
    void theProofBeforeTheRun();
    void toyIsTheSameForEveryCut();
    void toyWrongWaysAreRecognised();
    void shardsOfUnequalSize();
    void unscaledOncePerUpdate();
    void weightsAndSmoothingAsPyTorch();
    void halfPrecisionLossesDoNotOverflow();
    void gradientsStayFp32AndWeightsAreCastAnew();
    void autocastIsRestoredAfterAThrow();
    void normHasTheSameBitsOnAnyThreadCount();
    void nonFiniteIsNamed();
    void injectedOverflowIsSeen();
    void oddGradientLayouts();
    void missingGradientIsNamed();
    void clippingAsPyTorch();
    void badLabelsAreRefused();
    void phasesAreAnnounced();
};

// Literally as agreed: Linear(3,3) after manual_seed(83), three examples in microbatches [0,2) and
// [2,3).
void AccumulateTest::theProofBeforeTheRun() {
    torch::manual_seed(83);
    torch::nn::Linear full(3, 3);
    torch::nn::Linear accumulated = copyOf(full), wrong = copyOf(full);
    const torch::Tensor x =
        torch::tensor({{.8, .1, .1}, {.2, .5, .3}, {.1, .3, .6}}, torch::kFloat);
    const torch::Tensor y = torch::tensor({0, 1, 2}, torch::kLong);

    torch::nn::functional::cross_entropy(full->forward(x), y)
        .backward();  // full-batch mean, PyTorch's own
    runUpdate(accumulated, x, y, {2, 1}, {});
    MicrobatchJob meanOfMeans;
    meanOfMeans.normalisation = Normalisation::MeanOfMeans;  // short means / 2
    runUpdate(wrong, x, y, {2, 1}, meanOfMeans);

    for (const auto& item : full->named_parameters()) {
        const torch::Tensor expected = item.value().grad();
        QVERIFY(torch::allclose(accumulated->named_parameters()[item.key()].grad(), expected, 1e-6,
                                1e-7));
        QVERIFY(
            !torch::allclose(wrong->named_parameters()[item.key()].grad(), expected, 1e-3, 1e-4));
    }
}

// mlx-lm#1413. 1/47 is no binary fraction: -24 to the last digit of fp32 from float64, and
// bit-exact in fp32 where the factor is one (scale 47, divided out again by the unscaling's
// reciprocal).
void AccumulateTest::toyIsTheSameForEveryCut() {
    MicrobatchJob job;
    job.denominator = 47;
    for (std::int64_t microbatch = 1; microbatch <= 47; ++microbatch) {
        const double exact = toyGradient(torch::kDouble, microbatch, job);
        QVERIFY2(std::abs(exact + 24.0) <= 1e-13, qPrintable(QString::number(exact, 'g', 17)));
        QCOMPARE(static_cast<float>(exact), -24.0f);
        QVERIFY(std::abs(toyGradient(torch::kFloat, microbatch, job) + 24.0) <= 24.0 * 3e-7);
        MicrobatchJob whole = job;
        whole.denominator = 1;
        QCOMPARE(toyGradient(torch::kFloat, microbatch, whole), -24.0 * 47.0);
    }
}

void AccumulateTest::toyWrongWaysAreRecognised() {
    MicrobatchJob wrong;
    wrong.normalisation = Normalisation::MeanOfMeans;
    wrong.denominator = 47;
    QVERIFY(std::abs(toyGradient(torch::kDouble, 8, wrong) + 24.416667) < 1e-6);
    QVERIFY(std::abs(toyGradient(torch::kDouble, 47, wrong) + 24.0) <
            1e-12);  // one microbatch: no harm
    MicrobatchJob padded;
    padded.denominator = 48;  // 6 microbatches of 8
    QVERIFY(std::abs(toyGradient(torch::kDouble, 8, padded) + 23.5) < 1e-12);
}

// pytorch#37359: shards of 30 and 17; averaging their means would give -27.25.
void AccumulateTest::shardsOfUnequalSize() {
    Toy toy(torch::kDouble);
    MicrobatchJob job;
    job.denominator = 47;
    contribute(toyLoss(toy, 1, 30), 30, job);
    contribute(toyLoss(toy, 31, 17), 17, job);
    QVERIFY(std::abs(toy->w.grad().item<double>() + 24.0) < 1e-13);
}

// Swin#311: scale 1024, two microbatches with true gradient 1 each; unscaling per microbatch
// gave 1.0009765625.
void AccumulateTest::unscaledOncePerUpdate() {
    Toy toy(torch::kFloat);
    MicrobatchJob job;
    job.scale = 1024;
    contribute(toy->w * 1.0, 1, job);
    contribute(toy->w * 1.0, 1, job);
    QCOMPARE(toy->w.grad().item<float>(), 2048.0f);
    QCOMPARE(unscaleAndCheck(*toy, 1024).norm, 2.0);
    QCOMPARE(toy->w.grad().item<float>(), 2.0f);
}

void AccumulateTest::weightsAndSmoothingAsPyTorch() {
    torch::manual_seed(1);
    torch::nn::Linear layer(4, 3);
    const torch::Tensor x = torch::randn({11, 4}), y = torch::arange(11) % 3;
    LossSpec loss;
    loss.labelSmoothing = 0.1;
    loss.classWeights = {1.0, 2.5, 0.5};
    QCOMPARE(lossDenominator(y, loss), 4 * 1.0 + 4 * 2.5 + 3 * 0.5);
    const torch::Tensor unreduced = torch::nn::functional::cross_entropy(
        layer->forward(x), y,
        torch::nn::functional::CrossEntropyFuncOptions()
            .reduction(torch::kNone)
            .label_smoothing(0.1)
            .weight(torch::tensor({1.0, 2.5, 0.5}, torch::kFloat)));
    QVERIFY(torch::allclose(lossSum(layer->forward(x), y, loss), unreduced.sum(), 1e-6));
    const auto expected = torch::autograd::grad({unreduced.sum() / 15.5}, {layer->weight});
    runUpdate(layer, x, y, cutUpdate(11, 4), {}, loss);
    QVERIFY(torch::allclose(layer->weight.grad(), expected[0], 1e-5, 1e-7));

    loss.classWeights = {1.0, 2.0};
    QVERIFY(!refusal(ErrorCode::Data, [&] { lossSum(layer->forward(x), y, loss); }).empty());
}

// 47 losses of 1,500 are 70,500: above fp16's largest number.
void AccumulateTest::halfPrecisionLossesDoNotOverflow() {
    torch::Tensor logits = torch::zeros({47, 3}, torch::kHalf);
    logits.select(1, 0).fill_(1500);
    const torch::Tensor sum = lossSum(logits, torch::ones({47}, torch::kLong), {});
    QCOMPARE(sum.scalar_type(), torch::kFloat);
    QCOMPARE(sum.item<float>(), 70500.0f);
    QCOMPARE(lossSum(logits.to(torch::kDouble), torch::ones({47}, torch::kLong), {}).scalar_type(),
             torch::kDouble);
}

// The C++ autocast caches cast weights: without clearing it, the second forward would still see the
// old ones.
void AccumulateTest::gradientsStayFp32AndWeightsAreCastAnew() {
    torch::manual_seed(2);
    torch::nn::Linear layer(8, 3);
    const torch::Tensor x = torch::randn({5, 8}), y = torch::arange(5) % 3;
    for (const Precision precision : {Precision::Bf16, Precision::Fp16}) {
        MicrobatchJob job;
        job.precision = precision;
        job.denominator = 5;
        torch::ScalarType seen = torch::kFloat;
        const ForwardFunction forward = [&](const torch::Tensor& images) {
            const torch::Tensor logits = layer->forward(images);
            seen = logits.scalar_type();
            return logits;
        };
        layer->zero_grad();
        const double before = accumulate(forward, x, y, {}, job).lossSum;
        QCOMPARE(seen, precision == Precision::Bf16 ? torch::kBFloat16 : torch::kHalf);
        QCOMPARE(layer->weight.grad().scalar_type(), torch::kFloat);
        {
            const torch::NoGradGuard noGrad;
            layer->weight.mul_(-3.0);
        }
        const double after = accumulate(forward, x, y, {}, job).lossSum;
        const double fresh = lossSum(layer->forward(x), y, {}).item<double>();
        QVERIFY(std::abs(after - fresh) < 0.02 * fresh);
        QVERIFY(std::abs(after - before) > 0.1 * fresh);
        QVERIFY(!at::autocast::is_autocast_enabled(at::kCPU));
    }
}

void AccumulateTest::autocastIsRestoredAfterAThrow() {
    const auto type = at::autocast::get_autocast_dtype(at::kCPU);
    MicrobatchJob job;
    job.precision = Precision::Fp16;
    const ForwardFunction throwing = [](const torch::Tensor&) -> torch::Tensor {
        throw std::runtime_error("no");
    };
    QVERIFY_THROWS_EXCEPTION(
        std::runtime_error,
        accumulate(throwing, torch::zeros({1, 3}), torch::zeros({1}, torch::kLong), {}, job));
    QVERIFY(!at::autocast::is_autocast_enabled(at::kCPU));
    QCOMPARE(at::autocast::get_autocast_dtype(at::kCPU), type);
}

void AccumulateTest::normHasTheSameBitsOnAnyThreadCount() {
    torch::manual_seed(3);
    torch::nn::Linear layer(301, 407);
    const torch::Tensor gradient = torch::randn({407, 301});
    std::vector<double> norms;
    for (const int threads : {1, 2}) {
        at::set_num_threads(threads);
        layer->weight.mutable_grad() = gradient * 1024.0;
        layer->bias.mutable_grad() = torch::zeros({407});
        norms.push_back(unscaleAndCheck(*layer, 1024).norm);
        QVERIFY(torch::equal(layer->weight.grad(), gradient));
    }
    QCOMPARE(norms[0], norms[1]);
    QVERIFY(std::abs(norms[0] - gradient.to(torch::kDouble).norm().item<double>()) < 1e-9);
}

void AccumulateTest::nonFiniteIsNamed() {
    torch::nn::Linear layer(20, 30);
    layer->weight.mutable_grad() = torch::ones({30, 20});
    layer->bias.mutable_grad() = torch::ones({30});
    QVERIFY(unscaleAndCheck(*layer, 1).finite());
    layer->weight.mutable_grad()[29][19] = std::numeric_limits<float>::quiet_NaN();
    layer->weight.mutable_grad()[3][4] = std::numeric_limits<float>::infinity();
    const GradientStatus status = unscaleAndCheck(*layer, 1);
    QVERIFY(!status.finite());
    QCOMPARE(status.nonFiniteElements, std::int64_t{2});
    QCOMPARE(status.nonFiniteParameters, std::vector<std::string>{"weight"});
    // Overflow in the unscaling itself, with a scale below one, counts too.
    layer->weight.mutable_grad().fill_(3e38f);
    QCOMPARE(unscaleAndCheck(*layer, 0.5).nonFiniteElements, std::int64_t{600});
}

void AccumulateTest::injectedOverflowIsSeen() {
    torch::nn::Linear layer(3, 3);
    MicrobatchJob job;
    job.lossFactor = std::numeric_limits<double>::infinity();
    const double loss =
        accumulate(through(layer), torch::ones({2, 3}), torch::zeros({2}, torch::kLong), {}, job)
            .lossSum;
    QVERIFY(std::isfinite(loss));  // logged before anything is injected
    QVERIFY(!unscaleAndCheck(*layer, 1).finite());
}

void AccumulateTest::oddGradientLayouts() {
    torch::nn::Linear layer(4, 6);
    const torch::Tensor values = torch::arange(24, torch::kFloat).reshape({4, 6});
    layer->bias.mutable_grad() = torch::zeros({12}).slice(0, 0, 12, 2);  // with holes
    layer->weight.mutable_grad() = values.t();                           // dense, other order
    const double expected = std::sqrt(4324.0);
    QVERIFY(std::abs(unscaleAndCheck(*layer, 1).norm - expected) < 1e-9);
    layer->bias.mutable_grad() = torch::full({12}, 2.0).slice(0, 0, 12, 2);
    QVERIFY(std::abs(unscaleAndCheck(*layer, 2).norm - std::sqrt(4324.0 / 4 + 6)) < 1e-9);
}

void AccumulateTest::missingGradientIsNamed() {
    torch::nn::Linear layer(3, 3);
    layer->weight.mutable_grad() = torch::full({3, 3}, 8.0);
    QVERIFY(refusal(ErrorCode::Failed, [&] { unscaleAndCheck(*layer, 2); }).find("bias") !=
            std::string::npos);
    QCOMPARE(layer->weight.grad()[0][0].item<float>(), 8.0f);  // untouched
    layer->bias.set_requires_grad(false);
    QCOMPARE(unscaleAndCheck(*layer, 2).norm, 12.0);

    // Buffers that exist from the start hide it, the job's own check does not.
    torch::nn::Linear prepared(3, 3);
    MicrobatchJob job;
    job.mustReach = prepared.get();
    const torch::Tensor x = torch::ones({2, 3}), y = torch::zeros({2}, torch::kLong);
    accumulate(through(prepared), x, y, {}, job);  // gradients appear
    prepared->zero_grad(/*set_to_none=*/false);
    accumulate(through(prepared), x, y, {}, job);  // gradients are added to
    const ForwardFunction withoutBias = [&](const torch::Tensor& images) {
        return images.mm(prepared->weight.t());
    };
    const std::string message =
        refusal(ErrorCode::Failed, [&] { accumulate(withoutBias, x, y, {}, job); });
    QVERIFY2(message.find("bias") != std::string::npos, message.c_str());
}

void AccumulateTest::clippingAsPyTorch() {
    for (const double maxNorm : {1.0, 1e3}) {
        torch::manual_seed(4);
        torch::nn::Linear layer(5, 6), reference(5, 6);
        for (std::size_t i = 0; i < 2; ++i) {
            layer->parameters()[i].mutable_grad() = torch::randn_like(layer->parameters()[i]);
            reference->parameters()[i].mutable_grad() = layer->parameters()[i].grad().clone();
        }
        const double norm = unscaleAndCheck(*layer, 1).norm;
        QVERIFY(std::abs(norm - torch::nn::utils::clip_grad_norm_(reference->parameters(),
                                                                  maxNorm)) < 1e-5);
        QCOMPARE(clipGradients(*layer, norm, maxNorm), std::min(1.0, maxNorm / (norm + 1e-6)));
        QVERIFY(torch::allclose(layer->weight.grad(), reference->weight.grad(), 1e-6, 1e-9));
    }
    torch::nn::Linear layer(1, 1);
    QVERIFY(!refusal(ErrorCode::Failed, [&] { clipGradients(*layer, std::nan(""), 1); }).empty());
    QVERIFY(!refusal(ErrorCode::Failed, [&] { clipGradients(*layer, 1, 0); }).empty());
}

// PyTorch leaves out label -100 without a word: an accepted example must not vanish.
void AccumulateTest::badLabelsAreRefused() {
    for (const std::int64_t label : {-100, -1, 3}) {
        const std::string message = refusal(ErrorCode::Data, [&] {
            lossSum(torch::zeros({1, 3}), torch::full({1}, label, torch::kLong), {});
        });
        QVERIFY(message.find(std::to_string(label)) != std::string::npos);
    }
    QVERIFY(!refusal(ErrorCode::Data, [] {
                 lossSum(torch::zeros({2, 3}), torch::zeros({3}, torch::kLong), {});
             }).empty());
    MicrobatchJob job;
    job.denominator = 0;
    Toy toy(torch::kFloat);
    QVERIFY(!refusal(ErrorCode::Data, [&] { contribute(toy->w * 1.0, 1, job); }).empty());
}

void AccumulateTest::phasesAreAnnounced() {
    torch::nn::Linear layer(3, 3);
    std::vector<std::string> phases;
    accumulate(through(layer), torch::ones({2, 3}), torch::zeros({2}, torch::kLong), {}, {},
               [&](const char* phase) { phases.emplace_back(phase); });
    QCOMPARE(phases, (std::vector<std::string>{"forward", "backward"}));
}

QTEST_APPLESS_MAIN(AccumulateTest)
#include "accumulate_test.moc"
