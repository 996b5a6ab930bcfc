#include <QtTest>

#include <functional>

#include "core/base/error.h"
#include "core/train/trainer.h"
#include "small_experiment.h"

using namespace receiptbench;

namespace {

// Runs `updates` attempted ones from a state (or the beginning).
struct Part {
    small::Recorder seen;
    TrainSummary summary;
    TrainingState state;
};

Part runPart(const BatchSource& source, const ExperimentContract& contract, TrainerOptions options,
             std::int64_t updates, const TrainingState* from = nullptr) {
    Part part;
    options.stopAfter = updates;
    Trainer trainer(contract, small::weightsFor(contract), source, options);
    if (from != nullptr) {
        trainer.restore(*from);
    }
    const CancelToken cancel;
    part.summary = trainer.run(part.seen, cancel);
    part.state = trainer.capture();
    return part;
}

HostTensor& tensorOf(TrainingState& state, const std::string& prefix) {
    for (HostTensor& tensor : state.tensors) {
        if (tensor.name.starts_with(prefix)) {
            return tensor;
        }
    }
    throw Error(ErrorCode::Failed, "no tensor " + prefix);
}

ExperimentContract contractOf(const BatchSource& source) {
    ExperimentContract contract = small::contractFor(source);
    contract.scaler.initScale = 1024;
    contract.scaler.growthInterval = 2;  // the growth counter matters
    return contract;
}

// What restoring this state says; empty when it is accepted.
std::string refusal(const BatchSource& source, const TrainingState& state,
                    const TrainerOptions& options) {
    const ExperimentContract contract = contractOf(source);
    Trainer trainer(contract, small::weightsFor(contract), source, options);
    try {
        trainer.restore(state);
    } catch (const Error& error) {
        return error.code() == ErrorCode::Data ? error.what() : "another code";
    }
    return {};
}

}  // namespace

class TrainerStateTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void continuesBitForBit_data();
    void continuesBitForBit();
    void continuesAcrossASkip();
    void recomputesTheReceipt_data();
    void recomputesTheReceipt();
    void noticesAForgottenField_data();
    void noticesAForgottenField();
    void continuesWithAnotherPlan();
    void restoresOverWhateverWasThere();
    void refusesABrokenState_data();
    void refusesABrokenState();
    void refusesAnotherPrecision();
    void namesTheEnvironment();
};

void TrainerStateTest::continuesBitForBit_data() {
    QTest::addColumn<int>("precision");
    QTest::addColumn<int>("format");
    QTest::addColumn<int>("threads");
    QTest::addRow("fp32 contiguous, two threads") << 0 << 0 << 2;
    for (const Precision precision : {Precision::Fp32, Precision::Bf16, Precision::Fp16}) {
        for (const MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
            QTest::addRow("%s %s", toString(precision).c_str(), toString(format).c_str())
                << static_cast<int>(precision) << static_cast<int>(format) << 1;
        }
    }
}

void TrainerStateTest::continuesBitForBit() {
    QFETCH(const int, precision);
    QFETCH(const int, format);
    QFETCH(const int, threads);
    const small::DrawnSource source;
    const ExperimentContract contract = contractOf(source);
    TrainerOptions options =
        small::optionsFor(static_cast<Precision>(precision), 16, static_cast<MemoryFormat>(format));
    options.plan.threads = threads;
    const Part whole = runPart(source, contract, options, 6);
    for (const std::int64_t stop : {1, 3}) {
        const Part first = runPart(source, contract, options, stop);
        const Part second = runPart(source, contract, options, 6, &first.state);
        QCOMPARE(second.seen.records.size(), static_cast<std::size_t>(6 - stop));
        for (const UpdateRecord& record : second.seen.records) {
            const UpdateRecord& reference =
                whole.seen.records[static_cast<std::size_t>(record.update - 1)];
            QCOMPARE(record.receipt, reference.receipt);
            QCOMPARE(record.idsDigest, reference.idsDigest);
            QCOMPARE(record.learningRate, reference.learningRate);
            QCOMPARE(record.scaleAfter, reference.scaleAfter);
            QCOMPARE(record.loss, reference.loss);
        }
        QVERIFY(small::sameBytes(second.state.tensors, whole.state.tensors));
        QCOMPARE(second.state.values.acceptedExamples, whole.state.values.acceptedExamples);
    }
}

void TrainerStateTest::continuesAcrossASkip() {
    const small::DrawnSource source;
    const ExperimentContract contract = contractOf(source);
    TrainerOptions options = small::optionsFor(Precision::Fp16);
    options.injectOverflowAt = {2};
    const Part whole = runPart(source, contract, options, 6);
    const Part first = runPart(source, contract, options, 2);  // stops right after the skip
    QCOMPARE(first.state.values.consecutiveSkips, std::int64_t{1});
    const Part second = runPart(source, contract, options, 6, &first.state);
    QCOMPARE(second.summary.receipt, whole.summary.receipt);
    QCOMPARE(second.summary.applied, std::int64_t{5});
    QCOMPARE(second.summary.skipped, std::int64_t{1});
}

void TrainerStateTest::recomputesTheReceipt_data() {
    QTest::addColumn<int>("format");
    QTest::newRow("contiguous") << static_cast<int>(MemoryFormat::Contiguous);
    QTest::newRow("channels-last") << static_cast<int>(MemoryFormat::ChannelsLast);
}

void TrainerStateTest::recomputesTheReceipt() {
    QFETCH(const int, format);
    const small::DrawnSource source;
    ExperimentContract contract = contractOf(source);
    contract.checkpointInterval = 1;
    const Part run =
        runPart(source, contract,
                small::optionsFor(Precision::Fp32, 16, static_cast<MemoryFormat>(format)), 3);
    std::string previous = contractHash(contract);
    for (std::size_t i = 0; i < 3; ++i) {
        const UpdateRecord& record = run.seen.records[i];
        QCOMPARE(chainReceipt(previous, run.seen.states[i], record.loss), record.receipt);
        QVERIFY(chainReceipt(previous, run.seen.states[i], record.loss + 1e-12) != record.receipt);
        previous = record.receipt;
    }
}

void TrainerStateTest::noticesAForgottenField_data() {
    QTest::addColumn<int>("field");
    QTest::newRow("weight") << 0;
    QTest::newRow("moment") << 1;
    QTest::newRow("optimizer step") << 2;
    QTest::newRow("sampler position") << 3;
    QTest::newRow("schedule") << 4;
    QTest::newRow("growth counter") << 5;
    QTest::newRow("scale") << 6;
    QTest::newRow("receipt") << 7;
}

// The negative control of continuesBitForBit: each field, perturbed, changes the chain.
void TrainerStateTest::noticesAForgottenField() {
    QFETCH(const int, field);
    const small::DrawnSource source;
    const ExperimentContract contract = contractOf(source);
    const TrainerOptions options = small::optionsFor(Precision::Fp16);
    const Part whole = runPart(source, contract, options, 6);
    TrainingState state = runPart(source, contract, options, 3).state;
    const std::vector<std::function<void()>> perturb = {
        [&] { tensorOf(state, "model/").bytes[1] ^= std::byte{1}; },
        [&] { tensorOf(state, "optimizer/exp_avg").bytes[2] ^= std::byte{1}; },
        [&] { tensorOf(state, "optimizer/step/").bytes[0] ^= std::byte{1}; },
        [&] { state.values.position += 1; },
        [&] {
            state.values.applied -= 1;
            state.values.skipped += 1;
            state.values.scheduleSteps -= 1;
        },
        [&] { state.values.scaler.growthCounter ^= 1; },
        [&] { state.values.scaler.scale *= 2; },
        [&] { state.values.receipt[0] = state.values.receipt[0] == 'a' ? 'b' : 'a'; },
    };
    perturb.at(static_cast<std::size_t>(field))();
    QVERIFY(runPart(source, contract, options, 6, &state).summary.receipt != whole.summary.receipt);
}

void TrainerStateTest::continuesWithAnotherPlan() {
    const small::DrawnSource source;
    ExperimentContract contract = contractOf(source);
    contract.optimizer.name = "sgd";
    const Part whole = runPart(source, contract, small::optionsFor(), 6);
    const Part first = runPart(source, contract, small::optionsFor(), 3);
    TrainerOptions other = small::optionsFor(Precision::Fp32, 7, MemoryFormat::ChannelsLast);
    other.plan.threads = 2;
    const Part second = runPart(source, contract, other, 6, &first.state);
    QCOMPARE(second.seen.records.back().idsDigest, whole.seen.records.back().idsDigest);
    QCOMPARE(second.seen.records.back().microbatches.front(), std::int64_t{7});
    std::vector<HostTensor> weights, reference;
    for (std::size_t i = 0; i < whole.state.tensors.size(); ++i) {
        if (whole.state.tensors[i].name.starts_with("model/")) {
            weights.push_back(second.state.tensors[i]);
            reference.push_back(whole.state.tensors[i]);
        }
    }
    QVERIFY(small::relativeDistance(weights, reference) <= 1e-6);
    QVERIFY(second.state.values.plan == other.plan);
}

void TrainerStateTest::restoresOverWhateverWasThere() {
    const small::DrawnSource source;
    const ExperimentContract contract = contractOf(source);
    const TrainerOptions options = small::optionsFor();
    const TrainingState early = runPart(source, contract, options, 1).state;
    const Part direct = runPart(source, contract, options, 3, &early);
    const CancelToken cancel;
    small::Recorder seen;
    TrainerOptions three = options;
    three.stopAfter = 3;
    Trainer warm(contract, small::weightsFor(contract), source, three);
    warm.run(seen, cancel);
    for (int times = 0; times < 2; ++times) {
        warm.restore(early);
    }
    QCOMPARE(warm.run(seen, cancel).receipt, direct.summary.receipt);
}

void TrainerStateTest::refusesABrokenState_data() {
    QTest::addColumn<int>("fault");
    QTest::addColumn<QString>("names");
    QTest::newRow("parameter missing") << 0 << "head.bias";
    QTest::newRow("parameter misshaped") << 1 << "stem.weight";
    QTest::newRow("unknown tensor") << 2 << "surprise";
    QTest::newRow("moment missing") << 3 << "exp_avg";
    QTest::newRow("generator missing") << 4 << "rng/cpu";
    QTest::newRow("generator cut") << 5 << "rng/cpu";
    QTest::newRow("counts") << 6 << "do not add up";
    QTest::newRow("position") << 7 << "position";
    QTest::newRow("parameter as buffer") << 8 << "head.bias";
}

void TrainerStateTest::refusesABrokenState() {
    QFETCH(const int, fault);
    QFETCH(const QString, names);
    const small::DrawnSource source;
    const TrainerOptions options = small::optionsFor();
    TrainingState state = runPart(source, contractOf(source), options, 2).state;
    QCOMPARE(refusal(source, state, options), std::string());
    const auto drop = [&](const std::string& prefix) {
        std::erase_if(state.tensors,
                      [&](const HostTensor& tensor) { return tensor.name.starts_with(prefix); });
    };
    const std::vector<std::function<void()>> damage = {
        [&] { drop("model/head.bias"); },
        [&] {
            tensorOf(state, "model/stem.weight").shape = {1, 1, 1, 1};
        },
        [&] {
            state.tensors.push_back({"surprise", "U8", {1}, {std::byte{1}}});
        },
        [&] { drop("optimizer/exp_avg/head.bias"); },
        [&] { drop("rng/cpu"); },
        [&] {
            HostTensor& generator = tensorOf(state, "rng/cpu");
            generator.bytes.resize(100);
            generator.shape = {100};
        },
        [&] { state.values.applied += 1; },
        [&] { state.values.position = -1; },
        [&] { tensorOf(state, "model/head.bias").name = "buffer/head.bias"; },
    };
    damage.at(static_cast<std::size_t>(fault))();
    const std::string message = refusal(source, state, options);
    QVERIFY2(message.find(names.toStdString()) != std::string::npos, message.c_str());
}

void TrainerStateTest::refusesAnotherPrecision() {
    const small::DrawnSource source;
    const TrainingState state = runPart(source, contractOf(source), small::optionsFor(), 1).state;
    const std::string message = refusal(source, state, small::optionsFor(Precision::Bf16));
    QVERIFY2(message.find("fp32") != std::string::npos && message.find("bf16") != std::string::npos,
             message.c_str());
    TrainerOptions wrong = small::optionsFor();
    wrong.normalisation = Normalisation::MeanOfMeans;
    QVERIFY(!refusal(source, state, wrong).empty());
}

void TrainerStateTest::namesTheEnvironment() {
    const small::DrawnSource source;
    const TrainingState state = runPart(source, contractOf(source), small::optionsFor(), 1).state;
    const EnvironmentFingerprint& environment = state.values.environment;
    QCOMPARE(environment.threads, 1);
    QVERIFY(environment.deterministic && !environment.torchVersion.empty() &&
            !environment.cpuCapability.empty());
    QVERIFY(environment == currentEnvironment(1));
    QVERIFY(!(environment == currentEnvironment(2)));
}

QTEST_APPLESS_MAIN(TrainerStateTest)
#include "trainer_state_test.moc"
