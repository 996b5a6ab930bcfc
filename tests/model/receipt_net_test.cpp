// ReceiptNet against PyTorch's own figures, and what its initial weights promise.
#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <QtTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/host_tensor.h"
#include "core/model/group_norm_torch.h"
#include "core/model/model.h"
#include "core/model/model_torch.h"
#include "tests/support/shared_dir.h"

using namespace receiptbench;

namespace {

ModelSpec narrow(std::int64_t width = 8) {
    ModelSpec spec;
    spec.width = width;
    return spec;
}

struct ParityCase {
    nlohmann::json settings;
    std::vector<HostTensor> weights;
    std::map<std::string, torch::Tensor> tensors;  // x, y, logits, grad.*
};

ParityCase loadCase(const std::string& name) {
    const std::string stem = sharedDir() + "/parity/" + name;
    ParityCase result;
    std::ifstream(stem + ".json") >> result.settings;
    for (HostTensor& tensor : readSafetensors(posixFileSystem(), stem + ".safetensors").tensors) {
        if (tensor.name.starts_with("param.")) {
            tensor.name = tensor.name.substr(6);
            result.weights.push_back(tensor);
        } else {
            result.tensors[tensor.name] = toTorch(tensor);
        }
    }
    return result;
}

std::shared_ptr<Classifier> parityModel(const ParityCase& parity) {
    auto model =
        makeClassifier(narrow(parity.settings.at("width")), parity.settings.at("classes"), 1);
    importParameters(*model, parity.weights);
    return model;
}

}  // namespace

class ReceiptNetTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void namesAndShapesArePyTorchs();
    void lossAndGradientsArePyTorchs_data();
    void lossAndGradientsArePyTorchs();
    void runsInDoubleAndUnderAutocast();
    void initialWeightsDependOnSeedOnly();
    void initialWeightsFollowPyTorchsDefaults();
    void copiesAreIndependent();
    void memoryFormatsGiveTheSameExport();
    void anImageDoesNotDependOnTheOthers_data();
    void anImageDoesNotDependOnTheOthers();
    void badSpecsAreRefusedByValue();
};

void ReceiptNetTest::namesAndShapesArePyTorchs() {
    REQUIRE_SHARED("parity");
    const ParityCase parity = loadCase("gradient_7_by_3");
    std::set<std::pair<std::string, std::vector<std::int64_t>>> theirs, ours;
    for (const HostTensor& tensor : parity.weights) {
        theirs.emplace(tensor.name, tensor.shape);
    }
    for (const HostTensor& tensor : initialWeights(narrow(), 3, 83)) {
        ours.emplace(tensor.name, tensor.shape);
        QCOMPARE(tensor.dtype, std::string("F32"));
    }
    QVERIFY(theirs == ours);
    QCOMPARE(ours.size(), std::size_t(26));
}

void ReceiptNetTest::lossAndGradientsArePyTorchs_data() {
    QTest::addColumn<bool>("channelsLast");
    QTest::newRow("contiguous") << false;
    QTest::newRow("channels-last") << true;
}

void ReceiptNetTest::lossAndGradientsArePyTorchs() {
    REQUIRE_SHARED("parity");
    QFETCH(bool, channelsLast);
    ParityCase parity = loadCase("gradient_7_by_3");
    auto model = parityModel(parity);
    torch::Tensor images = parity.tensors.at("x");
    if (channelsLast) {
        setMemoryFormat(*model, MemoryFormat::ChannelsLast);
        images = images.contiguous(torch::MemoryFormat::ChannelsLast);
    }
    const torch::Tensor logits = model->forward(images);
    QVERIFY(torch::allclose(logits, parity.tensors.at("logits"), 1e-5, 1e-6));
    const torch::Tensor loss = torch::nn::functional::cross_entropy(logits, parity.tensors.at("y"));
    const double expected = parity.settings.at("loss");
    QVERIFY(std::abs(loss.item<double>() - expected) <= 1e-5 * expected);
    loss.backward();
    for (const auto& item : model->named_parameters()) {
        const torch::Tensor wanted = parity.tensors.at("grad." + item.key());
        const double largest = wanted.abs().max().item<double>();
        const double off = (item.value().grad() - wanted).abs().max().item<double>();
        QVERIFY2(off <= 1e-4 * largest, item.key().c_str());
    }
}

void ReceiptNetTest::runsInDoubleAndUnderAutocast() {
    torch::manual_seed(7);
    auto model = makeClassifier(narrow(), 3, 83);
    const torch::Tensor images = torch::randn({2, 3, 33, 25});  // odd sizes too
    const torch::Tensor single = model->forward(images);
    for (const auto type : {torch::kBFloat16, torch::kHalf}) {
        at::autocast::set_autocast_dtype(at::kCPU, type);
        at::autocast::set_autocast_enabled(at::kCPU, true);
        const torch::Tensor reduced = model->forward(images);
        at::autocast::clear_cache();
        at::autocast::set_autocast_enabled(at::kCPU, false);
        QVERIFY(torch::allclose(reduced.to(torch::kFloat), single, 0.05, 0.05));
        model->zero_grad();
        reduced.to(torch::kFloat).sum().backward();
        for (const auto& item : model->named_parameters()) {
            QVERIFY2(
                item.value().grad().defined() && item.value().grad().isfinite().all().item<bool>(),
                item.key().c_str());
        }
    }
    model->to(torch::kDouble);
    const torch::Tensor doubled = model->forward(images.to(torch::kDouble));
    QCOMPARE(doubled.scalar_type(), torch::kDouble);
    QVERIFY(torch::allclose(doubled.to(torch::kFloat), single, 1e-4, 1e-5));
}

void ReceiptNetTest::initialWeightsDependOnSeedOnly() {
    torch::manual_seed(1);
    const std::string first = digestOfTensors(initialWeights(narrow(), 3, 83));
    const torch::Tensor drawn = torch::rand({4});
    torch::manual_seed(1);
    QVERIFY(
        torch::equal(drawn, torch::rand({4})));  // building a model left Torch's generator alone
    torch::set_num_threads(1);
    QCOMPARE(digestOfTensors(initialWeights(narrow(), 3, 83)), first);
    QVERIFY(digestOfTensors(initialWeights(narrow(), 3, 84)) != first);
    QVERIFY(digestOfTensors(initialWeights(narrow(16), 3, 83)) != first);
}

void ReceiptNetTest::initialWeightsFollowPyTorchsDefaults() {
    QCOMPARE(parameterCount(narrow(32), 3), std::int64_t(314147));
    auto model = makeClassifier(narrow(32), 3, 83);
    const auto parameters = model->named_parameters();
    const std::pair<const char*, double> bounds[] = {
        {"stem.weight", 1 / std::sqrt(75.0)},
        {"blocks.0.conv1.weight", 1 / std::sqrt(288.0)},
        {"blocks.2.shortcut.weight", 1 / std::sqrt(64.0)},
        {"head.weight", 1 / std::sqrt(1536.0)},
        {"head.bias", 1 / std::sqrt(1536.0)}};
    for (const auto& [name, bound] : bounds) {
        const torch::Tensor& values = parameters[name];
        QVERIFY2(values.abs().max().item<double>() <= bound * (1 + 1e-6), name);
        if (values.numel() > 1000) {
            QVERIFY2(std::abs(values.std().item<double>() - bound / std::sqrt(3.0)) < 0.05 * bound,
                     name);
            QVERIFY2(std::abs(values.mean().item<double>()) < 0.05 * bound, name);
        }
    }
    QVERIFY(torch::equal(parameters["blocks.1.norm2.weight"], torch::ones({64})));
    QVERIFY(torch::equal(parameters["stem_norm.bias"], torch::zeros({32})));
}

void ReceiptNetTest::copiesAreIndependent() {
    auto model = makeClassifier(narrow(), 3, 83);
    setMemoryFormat(*model, MemoryFormat::ChannelsLast);
    model->eval();
    auto twin = model->copy();
    QVERIFY(!twin->is_training());
    const std::string before = digestOfTensors(exportParameters(*model));
    QCOMPARE(digestOfTensors(exportParameters(*twin)), before);
    const auto twins = twin->named_parameters();
    for (const auto& item : model->named_parameters()) {
        QVERIFY(twins[item.key()].data_ptr() != item.value().data_ptr());
        QVERIFY(twins[item.key()].strides() == item.value().strides());
        QVERIFY(twins[item.key()].requires_grad());
    }
    {
        torch::NoGradGuard noGrad;
        for (torch::Tensor& parameter : twin->parameters()) {
            parameter.add_(1);
        }
    }
    QCOMPARE(digestOfTensors(exportParameters(*model)), before);
    QVERIFY(digestOfTensors(exportParameters(*twin)) != before);
    model->to(torch::kDouble);
    QCOMPARE(model->copy()->parameters()[0].scalar_type(), torch::kDouble);
}

void ReceiptNetTest::memoryFormatsGiveTheSameExport() {
    auto model = makeClassifier(narrow(), 3, 83);
    const std::string before = digestOfTensors(exportParameters(*model));
    setMemoryFormat(*model, MemoryFormat::ChannelsLast);
    QVERIFY(
        model->named_parameters()["stem.weight"].is_contiguous(torch::MemoryFormat::ChannelsLast));
    QCOMPARE(digestOfTensors(exportParameters(*model)), before);
    setMemoryFormat(*model, MemoryFormat::Contiguous);
    QVERIFY(model->named_parameters()["stem.weight"].is_contiguous());
    QCOMPARE(digestOfTensors(exportParameters(*model)), before);
}

void ReceiptNetTest::anImageDoesNotDependOnTheOthers_data() {
    QTest::addColumn<bool>("channelsLast");
    QTest::newRow("contiguous") << false;
    QTest::newRow("channels-last") << true;
}

// Five images between two threads: a border inside the third one must not change its rounding.
void ReceiptNetTest::anImageDoesNotDependOnTheOthers() {
    QFETCH(bool, channelsLast);
    const int threads = torch::get_num_threads();
    torch::set_num_threads(2);
    torch::manual_seed(7);
    torch::nn::GroupNorm norm(torch::nn::GroupNormOptions(8, 16));
    torch::nn::init::normal_(norm->weight);
    const auto layout =
        channelsLast ? torch::MemoryFormat::ChannelsLast : torch::MemoryFormat::Contiguous;
    const torch::Tensor all = (torch::randn({5, 16, 64, 48}) + 3).contiguous(layout);
    const torch::Tensor gradient = torch::randn({5, 16, 64, 48}).contiguous(layout);
    const auto through = [&](std::int64_t first, std::int64_t count) {
        torch::Tensor images = all.narrow(0, first, count).detach().requires_grad_();
        torch::Tensor result = normalise(images, norm);
        norm->zero_grad();
        result.backward(gradient.narrow(0, first, count));
        return std::pair(result.detach(), images.grad());
    };
    const auto [five, gradientOfFive] = through(0, 5);
    const torch::Tensor weights = norm->weight.grad().clone();
    const auto [two, gradientOfTwo] = through(2, 2);
    torch::set_num_threads(threads);
    QVERIFY(torch::equal(five.narrow(0, 2, 2), two));
    QVERIFY(torch::equal(gradientOfFive.narrow(0, 2, 2), gradientOfTwo));
    // And it is PyTorch's group norm in double precision.
    norm->to(torch::kDouble);
    torch::Tensor images = all.to(torch::kDouble).contiguous().requires_grad_();
    torch::Tensor expected = norm->forward(images);
    norm->zero_grad();
    expected.backward(gradient.to(torch::kDouble));
    const auto error = [](const torch::Tensor& found, const torch::Tensor& wanted) {
        return ((found.to(torch::kDouble) - wanted).norm() / wanted.norm()).item<double>();
    };
    QVERIFY(error(five, expected) <= 1e-6);
    QVERIFY(error(gradientOfFive, images.grad()) <= 1e-6);
    QVERIFY(error(weights, norm->weight.grad()) <= 2e-6);
}

void ReceiptNetTest::badSpecsAreRefusedByValue() {
    const auto refusal = [](const ModelSpec& spec, std::int64_t classes) {
        try {
            makeClassifier(spec, classes, 1);
        } catch (const Error& error) {
            return error.code() == ErrorCode::Usage ? std::string(error.what())
                                                    : std::string("wrong code");
        }
        return std::string();
    };
    for (const std::int64_t width :
         {std::int64_t(0), std::int64_t(-8), std::int64_t(12), std::int64_t(1) << 62}) {
        QVERIFY(refusal(narrow(width), 3).find(std::to_string(width)) != std::string::npos);
    }
    ModelSpec unknown;
    unknown.name = "receiptnext";
    QVERIFY(refusal(unknown, 3).find("receiptnext") != std::string::npos);
    QVERIFY(refusal(narrow(), 1).find("1 classes") != std::string::npos);
}

QTEST_APPLESS_MAIN(ReceiptNetTest)
#include "receipt_net_test.moc"
