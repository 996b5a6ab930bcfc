// Update rules against figures of PyTorch 2.13 (one parameter at a time), and state that is
// replaced as a whole.
#include <torch/torch.h>

#include <QtTest>

#include <cmath>
#include <functional>

#include "core/base/error.h"
#include "core/model/model_torch.h"
#include "core/train/optimizer_torch.h"

using namespace receiptbench;

namespace {

struct VectorImpl : torch::nn::Module {
    explicit VectorImpl(const torch::Tensor& start) { w = register_parameter("w", start.clone()); }
    torch::Tensor w;
};
TORCH_MODULE(Vector);

OptimizerSpec specOf(const char* name, double weightDecay = 0.0) {
    OptimizerSpec spec;
    spec.name = name;
    spec.weightDecay = weightDecay;
    return spec;
}

void stepWith(Optimizer& optimizer, Vector& module, const torch::Tensor& gradient, double rate,
              std::optional<double> momentum = {}) {
    module->w.mutable_grad() = gradient.clone();
    optimizer.step(rate, momentum);
}

ScheduleSpec oneCycle() {
    ScheduleSpec schedule;
    schedule.name = "onecycle";
    schedule.maxLearningRate = 0.1;
    return schedule;
}

std::string refusal(ErrorCode code, const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.code() == code ? error.what() : "wrong code";
    }
    return {};
}

bool sameBytes(const std::vector<HostTensor>& left, const std::vector<HostTensor>& right) {
    return digestOfTensors(left) == digestOfTensors(right);
}

}  // namespace

class OptimizerTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void initTestCase() { at::set_num_threads(2); }
    void rulesMatchPyTorch_data();
    void rulesMatchPyTorch();
    void normsAndBiasesMayKeepTheirSize();
    void stateSurvivesAndContinuesBitForBit_data();
    void stateSurvivesAndContinuesBitForBit();
    void importReplacesWhateverWasThere();
    void foreignStateIsRefused();
    void memoryFormatDoesNotMatter();
    void learningRateIsTheCallers();
    void slotsExistFromTheStart();
    void missingGradientMovesNothing();
    void impossibleIsRefused();
};

void OptimizerTest::rulesMatchPyTorch_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QList<double>>(
        "options");  // weight decay, momentum, nesterov, beta1, beta2, epsilon, alpha, cycled
    QTest::addColumn<QList<double>>("expected");
    using Row = QList<double>;
    QTest::newRow("sgd") << "sgd" << Row{.01, 0, 0, .9, .999, 1e-8, .99, 0}
                         << Row{0.963316798210144, -1.911169171333313, 0.263300359249115};
    QTest::newRow("sgd momentum") << "sgd" << Row{.01, .9, 0, .9, .999, 1e-8, .99, 0}
                                  << Row{0.9531731605529785, -1.8529126644134521,
                                         0.12255848944187164};
    QTest::newRow("sgd nesterov") << "sgd" << Row{.01, .9, 1, .9, .999, 1e-8, .99, 0}
                                  << Row{0.9212081432342529, -1.778930902481079,
                                         -0.0760960653424263};
    QTest::newRow("sgd cycled") << "sgd" << Row{0, .5, 0, .9, .999, 1e-8, .99, 1}
                                << Row{0.9554099440574646, -1.858449935913086, 0.12640000879764557};
    QTest::newRow("adam") << "adam" << Row{.01, 0, 0, .9, .999, 1e-8, .99, 0}
                          << Row{0.9031685590744019, -1.8689998388290405, 0.3434078097343445};
    QTest::newRow("adam cycled") << "adam" << Row{0, 0, 0, .9, .999, 1e-8, .99, 1}
                                 << Row{0.9124776721000671, -1.8926039934158325,
                                        0.3662070631980896};
    QTest::newRow("adamw") << "adamw" << Row{.05, 0, 0, .8, .99, 1e-6, .99, 0}
                           << Row{0.8979983329772949, -1.8577206134796143, 0.34202054142951965};
    QTest::newRow("rmsprop") << "rmsprop" << Row{.01, 0, 0, .9, .999, 1e-8, .95, 0}
                             << Row{0.6598340272903442, -1.6116312742233276, -0.021290423348546028};
    QTest::newRow("rmsprop momentum")
        << "rmsprop" << Row{0, .9, 0, .9, .999, 1e-8, .99, 0}
        << Row{-0.21469667553901672, -0.5732057094573975, -1.3570847511291504};
    QTest::newRow("rmsprop cycled")
        << "rmsprop" << Row{0, 0, 0, .9, .999, 1e-3, .9, 1}
        << Row{0.6221847534179688, -1.5552351474761963, -0.0842088833451271};
}

void OptimizerTest::rulesMatchPyTorch() {
    QFETCH(QString, rule);
    QFETCH(QList<double>, options);
    QFETCH(QList<double>, expected);
    const std::string name = rule.toStdString();
    OptimizerSpec spec = specOf(name.c_str(), options[0]);
    spec.momentum = options[1];
    spec.nesterov = options[2] != 0;
    spec.beta1 = options[3];
    spec.beta2 = options[4];
    spec.epsilon = options[5];
    spec.alpha = options[6];
    const bool cycled = options[7] != 0;
    Vector module(torch::tensor({1.0, -2.0, 0.5}, torch::kFloat));
    const auto optimizer = makeOptimizer(spec, *module, cycled ? oneCycle() : ScheduleSpec{});
    const double rates[] = {.1, .05, .02}, momenta[] = {.95, .9, .85};
    const torch::Tensor gradients =
        torch::tensor({{0.3, -1.0, 2.0}, {-0.5, 0.25, 1.0}, {1.5, 0.1, -0.7}}, torch::kFloat);
    for (int i = 0; i < 3; ++i) {
        stepWith(*optimizer, module, gradients[i], rates[i],
                 cycled ? std::optional(momenta[i]) : std::nullopt);
    }
    for (int i = 0; i < 3; ++i) {
        const double actual = module->w[i].item<double>();
        QVERIFY2(
            std::abs(actual - expected[i]) <= 1e-6 * std::max(1.0, std::abs(expected[i])),
            qPrintable(
                QString("%1 instead of %2").arg(actual, 0, 'g', 12).arg(expected[i], 0, 'g', 12)));
    }
}

void OptimizerTest::normsAndBiasesMayKeepTheirSize() {
    for (const bool decayAll : {true, false}) {
        torch::nn::Linear layer(3, 2);
        const torch::Tensor weight = layer->weight.detach().clone(),
                            bias = layer->bias.detach().clone();
        OptimizerSpec spec = specOf("adamw", 0.5);
        spec.decayNormsAndBiases = decayAll;
        const auto optimizer = makeOptimizer(spec, *layer);
        for (torch::Tensor& parameter : layer->parameters()) {
            parameter.mutable_grad() = torch::zeros_like(parameter);
        }
        optimizer->step(0.1);
        QVERIFY(torch::allclose(layer->weight, weight * 0.95));
        QVERIFY(torch::allclose(layer->bias, decayAll ? bias * 0.95 : bias));
    }
}

void OptimizerTest::stateSurvivesAndContinuesBitForBit_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<int>("tensors");  // of state for one parameter, its step count included
    QTest::newRow("sgd") << "sgd" << 2;
    QTest::newRow("adam") << "adam" << 3;
    QTest::newRow("adamw") << "adamw" << 3;
    QTest::newRow("rmsprop") << "rmsprop" << 3;
}

void OptimizerTest::stateSurvivesAndContinuesBitForBit() {
    QFETCH(QString, rule);
    QFETCH(int, tensors);
    const std::string name = rule.toStdString();
    OptimizerSpec spec = specOf(name.c_str(), 0.01);
    spec.momentum = 0.9;
    torch::manual_seed(5);
    const torch::Tensor start = torch::randn({20001}), gradients = torch::randn({6, 20001});
    Vector straight(start);
    const auto first = makeOptimizer(spec, *straight);
    for (int i = 0; i < 3; ++i) {
        stepWith(*first, straight, gradients[i], 0.01);
    }
    const auto state = first->exportState();
    QCOMPARE(state.size(), static_cast<std::size_t>(tensors));
    QCOMPARE(state.back().name, std::string("optimizer/step/w"));
    QCOMPARE(state.back().dtype, std::string("I64"));
    Vector resumed(straight->w.detach());
    const auto second = makeOptimizer(spec, *resumed);
    second->importState(state);
    QVERIFY(sameBytes(second->exportState(), state));
    for (int i = 3; i < 6; ++i) {
        stepWith(*first, straight, gradients[i], 0.01);
        stepWith(*second, resumed, gradients[i], 0.01);
    }
    QVERIFY(torch::equal(straight->w, resumed->w));
    QVERIFY(sameBytes(first->exportState(), second->exportState()));
    QVERIFY(!sameBytes(first->exportState(), state));
}

// pytorch#125215, #15792: the state of step 0 goes into an optimizer that has made a step with
// gradient 10; a step with gradient 1 then moves by 0.1, with stale moments by 0.0741. Importing
// twice is importing once.
void OptimizerTest::importReplacesWhateverWasThere() {
    const OptimizerSpec spec = specOf("adamw");
    Vector module(torch::zeros({1}));
    const auto fresh = makeOptimizer(spec, *module)->exportState();
    for (const int times : {1, 2}) {
        Vector used(torch::zeros({1}));
        const auto optimizer = makeOptimizer(spec, *used);
        stepWith(*optimizer, used, torch::full({1}, 10.0), 0.1);
        for (int i = 0; i < times; ++i) {
            optimizer->importState(fresh);
        }
        QVERIFY(sameBytes(optimizer->exportState(), fresh));
        const double before = used->w.item<double>();
        stepWith(*optimizer, used, torch::ones({1}), 0.1);
        QVERIFY(std::abs(before - used->w.item<double>() - 0.1) < 1e-6);
    }
}

void OptimizerTest::foreignStateIsRefused() {
    torch::nn::Linear layer(3, 2);
    const auto optimizer = makeOptimizer(specOf("adamw"), *layer);
    const auto good = optimizer->exportState();
    const auto refused = [&](const std::function<void(std::vector<HostTensor>&)>& damage,
                             const std::string& named) {
        auto state = good;
        state[0].bytes[0] = std::byte{7};  // would show if anything had been taken
        damage(state);
        const std::string message =
            refusal(ErrorCode::Data, [&] { optimizer->importState(state); });
        return message.find(named) != std::string::npos &&
               sameBytes(optimizer->exportState(), good);
    };
    QVERIFY(refused([](auto& state) { state.pop_back(); }, "optimizer/step/bias is missing"));
    QVERIFY(refused([](auto& state) { state.erase(state.begin() + 1); },
                    "optimizer/exp_avg/bias is missing"));
    QVERIFY(refused(
        [](auto& state) {
            state.push_back(state[1]);
            state.back().name = "optimizer/exp_avg/extra";
        },
        "extra"));
    QVERIFY(refused([](auto& state) { state.push_back(state[1]); }, "twice"));
    QVERIFY(refused([](auto& state) { state[1].shape = {1, 2}; }, "optimizer/exp_avg/bias"));
    QVERIFY(refused([](auto& state) { state[1].dtype = "F64"; }, "optimizer/exp_avg/bias"));
    QVERIFY(refused([](auto& state) { state[1].bytes.pop_back(); }, "optimizer/exp_avg/bias"));
    torch::nn::Linear other(4, 2);
    QVERIFY(!refusal(ErrorCode::Data, [&] {
                 makeOptimizer(specOf("adamw"), *other)->importState(good);
             }).empty());
    QVERIFY(!refusal(ErrorCode::Data, [&] {
                 makeOptimizer(specOf("sgd"), *layer)->importState(good);
             }).empty());
    auto whole = good;  // a checkpoint's other tensors are not the optimizer's business
    whole.push_back(good[0]);
    whole.back().name = "model/weight";
    optimizer->importState(whole);
    QVERIFY(sameBytes(optimizer->exportState(), good));
}

// The fused rules walk through memory: parameter, gradient and slots may be strided differently.
void OptimizerTest::memoryFormatDoesNotMatter() {
    torch::manual_seed(6);
    const torch::Tensor start = torch::randn({8, 5, 3, 3}),
                        gradients = torch::randn({3, 8, 5, 3, 3});
    for (const char* rule : {"sgd", "adam", "adamw", "rmsprop"}) {
        OptimizerSpec spec = specOf(rule, 0.01);
        spec.momentum = 0.9;
        Vector plain(start), last(start);
        last->w.set_data(last->w.detach().contiguous(torch::MemoryFormat::ChannelsLast));
        const auto a = makeOptimizer(spec, *plain), b = makeOptimizer(spec, *last);
        for (int i = 0; i < 3; ++i) {
            stepWith(*a, plain, gradients[i], 0.01);
            stepWith(*b, last, gradients[i], 0.01);  // gradient in plain order
        }
        QVERIFY(last->w.is_contiguous(torch::MemoryFormat::ChannelsLast));
        QVERIFY(torch::allclose(plain->w, last->w, 1e-6, 1e-7));
        const auto left = a->exportState(), right = b->exportState();
        for (std::size_t i = 0; i < left.size(); ++i) {
            QVERIFY(torch::allclose(toTorch(left[i]), toTorch(right[i]), 1e-6, 1e-7));
        }
        b->importState(left);  // row-major in, whatever the layout
        QVERIFY(sameBytes(b->exportState(), left));
    }
}

// The rate of the saved run counts, not the one this optimizer was made with: it comes with every
// step.
void OptimizerTest::learningRateIsTheCallers() {
    OptimizerSpec spec = specOf("adamw");
    spec.learningRate = 0.7;
    Vector module(torch::zeros({1}));
    const auto optimizer = makeOptimizer(spec, *module);
    stepWith(*optimizer, module, torch::ones({1}), 0.025);
    QVERIFY(std::abs(module->w.item<double>() + 0.025) < 1e-7);
}

void OptimizerTest::slotsExistFromTheStart() {
    Vector module(torch::ones({4}));
    QCOMPARE(makeOptimizer(specOf("adamw"), *module)->exportState().size(), std::size_t{3});
    QCOMPARE(makeOptimizer(specOf("sgd"), *module)->exportState().size(), std::size_t{1});
    QCOMPARE(makeOptimizer(specOf("sgd"), *module, oneCycle())->exportState().size(),
             std::size_t{2});
    QCOMPARE(makeOptimizer(specOf("rmsprop"), *module, oneCycle())->exportState().size(),
             std::size_t{3});
    module->w.set_requires_grad(false);
    QVERIFY(makeOptimizer(specOf("adamw"), *module)->exportState().empty());
}

void OptimizerTest::missingGradientMovesNothing() {
    torch::nn::Linear layer(3, 2);
    const torch::Tensor weight = layer->weight.detach().clone();
    const auto optimizer = makeOptimizer(specOf("sgd"), *layer);
    layer->weight.mutable_grad() = torch::ones({2, 3});
    const std::string message = refusal(ErrorCode::Failed, [&] { optimizer->step(0.1); });
    QVERIFY(message.find("bias") != std::string::npos);
    QVERIFY(torch::equal(layer->weight, weight));
}

void OptimizerTest::impossibleIsRefused() {
    Vector module(torch::ones({1}));
    const auto refused = [&](const OptimizerSpec& spec) {
        return !refusal(ErrorCode::Usage, [&] { makeOptimizer(spec, *module); }).empty();
    };
    QVERIFY(refused(specOf("adagrad")));
    QVERIFY(refused(specOf("adamw", -0.1)));
    QVERIFY(refused(specOf("adamw", std::nan(""))));
    OptimizerSpec spec = specOf("adam");
    spec.beta2 = 1.0;
    QVERIFY(refused(spec));
    spec = specOf("sgd");
    spec.nesterov = true;
    QVERIFY(refused(spec));
    const auto optimizer = makeOptimizer(specOf("sgd"), *module);
    module->w.mutable_grad() = torch::ones({1});
    QVERIFY(!refusal(ErrorCode::Failed, [&] { optimizer->step(std::nan("")); }).empty());
    QVERIFY(!refusal(ErrorCode::Failed, [&] { optimizer->step(-1.0); }).empty());
}

QTEST_APPLESS_MAIN(OptimizerTest)
#include "optimizer_test.moc"
