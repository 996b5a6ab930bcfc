// Host tensors to Torch and back; which weights are refused.
#include <torch/torch.h>

#include <QtTest>

#include "core/base/error.h"
#include "core/base/host_tensor.h"
#include "core/model/model.h"
#include "core/model/model_torch.h"

using namespace receiptbench;

namespace {

std::vector<HostTensor> someWeights(std::uint64_t seed) {
    ModelSpec spec;
    spec.width = 8;
    return initialWeights(spec, 3, seed);
}

std::shared_ptr<Classifier> someModel() {
    ModelSpec spec;
    spec.width = 8;
    return makeClassifier(spec, 3, 83);
}

// The message of the refusal; the module must be as before.
std::string refusal(const std::vector<HostTensor>& tensors) {
    auto model = someModel();
    const std::string before = digestOfTensors(exportParameters(*model));
    try {
        importParameters(*model, tensors);
    } catch (const Error& error) {
        if (digestOfTensors(exportParameters(*model)) != before) {
            return "the module was changed";
        }
        return error.code() == ErrorCode::Data ? error.what() : "wrong code";
    }
    return {};
}

}  // namespace

class HostConversionTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void everyTypeComesBackTheSame();
    void layoutIsRowMajorWhateverTheStrides();
    void importedWeightsAreExactlyThose();
    void wrongWeightsAreRefusedByName();
};

void HostConversionTest::everyTypeComesBackTheSame() {
    const torch::Tensor base = torch::arange(-6, 6).reshape({3, 4});
    for (const auto type : {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16,
                            torch::kLong, torch::kInt, torch::kByte, torch::kBool}) {
        const torch::Tensor value = base.to(type);
        const torch::Tensor back = toTorch(toHost("t", value));
        QCOMPARE(back.scalar_type(), type);
        QVERIFY(torch::equal(back, value));
    }
    const HostTensor scalar = toHost("step", torch::tensor(std::int64_t(7)));
    QVERIFY(scalar.shape.empty());
    QCOMPARE(toTorch(scalar).item<std::int64_t>(), std::int64_t(7));
    const HostTensor empty = toHost("none", torch::empty({0, 3}));
    QCOMPARE(toTorch(empty).numel(), std::int64_t(0));
    QVERIFY_THROWS_EXCEPTION(Error, toHost("complex", torch::zeros({1}, torch::kComplexFloat)));
    HostTensor damaged = toHost("t", base);
    damaged.bytes.pop_back();
    QVERIFY_THROWS_EXCEPTION(Error, toTorch(damaged));
    damaged.dtype = "F7";
    QVERIFY_THROWS_EXCEPTION(Error, toTorch(damaged));
}

void HostConversionTest::layoutIsRowMajorWhateverTheStrides() {
    const torch::Tensor value = torch::arange(2 * 3 * 4 * 5, torch::kFloat).reshape({2, 3, 4, 5});
    const HostTensor plain = toHost("t", value);
    QVERIFY(toHost("t", value.contiguous(torch::MemoryFormat::ChannelsLast)).bytes == plain.bytes);
    QVERIFY(toHost("t", value.transpose(0, 3).contiguous().transpose(0, 3)).bytes == plain.bytes);
}

void HostConversionTest::importedWeightsAreExactlyThose() {
    auto model = someModel();
    setMemoryFormat(*model, MemoryFormat::ChannelsLast);
    const auto weights = someWeights(5);
    importParameters(*model, weights);
    QCOMPARE(digestOfTensors(exportParameters(*model)), digestOfTensors(weights));
}

void HostConversionTest::wrongWeightsAreRefusedByName() {
    auto weights = someWeights(5);
    weights[3].name = "blocks.0.other";
    QVERIFY(refusal(weights).find("blocks.0.conv1.weight is missing") != std::string::npos);
    weights = someWeights(5);
    weights.push_back(weights[0]);
    QVERIFY(refusal(weights).find("stem.weight is there twice") != std::string::npos);
    weights.back().name = "extra";
    QVERIFY(refusal(weights).find("extra is not part") != std::string::npos);
    weights = someWeights(5);
    weights.back() = toHost("head.bias", torch::zeros({4}));
    QVERIFY(refusal(weights).find("head.bias is F32 [4], the model needs F32 [3]") !=
            std::string::npos);
    weights.back() = toHost("head.bias", torch::zeros({3}, torch::kDouble));
    QVERIFY(refusal(weights).find("head.bias is F64 [3]") != std::string::npos);
    weights.back() = toHost("head.bias", torch::zeros({3}));
    weights.back().bytes.pop_back();
    QVERIFY(refusal(weights).find("head.bias") != std::string::npos);
}

QTEST_APPLESS_MAIN(HostConversionTest)
#include "host_conversion_test.moc"
