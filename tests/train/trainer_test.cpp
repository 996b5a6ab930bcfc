#include "core/train/trainer.h"

#include <QtTest>

#include <cmath>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/contract/contract.h"
#include "small_experiment.h"

using namespace receiptbench;

namespace {

struct Run {
    small::Recorder seen;
    TrainSummary summary;
    std::vector<HostTensor> weights;
};

Run train(const BatchSource& source, const ExperimentContract& contract,
          const TrainerOptions& options) {
    Run run;
    Trainer trainer(contract, small::weightsFor(contract), source, options);
    const CancelToken cancel;
    run.summary = trainer.run(run.seen, cancel);
    run.weights = trainer.weights();
    return run;
}

// The message of the Error that the call ends with; empty when it ends well.
template <typename Call>
std::string errorOf(Call&& call, ErrorCode expected) {
    try {
        call();
    } catch (const Error& error) {
        return error.code() == expected ? error.what()
                                        : std::string("another code: ") + error.what();
    }
    return {};
}

// Asks for a stop at the given phase of the given update.
struct StopAt : small::Recorder {
    StopAt(CancelToken& token, std::int64_t atUpdate, std::string atPhase)
        : cancel(token), update(atUpdate), phase(std::move(atPhase)) {}
    void onMemory(const MemorySample& sample) override {
        if (sample.update == update && sample.phase == phase) {
            cancel.stopNow();
        }
    }
    CancelToken& cancel;
    std::int64_t update;
    std::string phase;
};

struct ThrowingObserver : TrainObserver {
    void onUpdate(const UpdateRecord&) override {
        throw Error(ErrorCode::Failed, "the observer refuses");
    }
};

}  // namespace

class TrainerTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void keepsTheLedger();
    void accountsForTimeAndMemory();
    void learns();
    void givesTheSameWeightsForEveryMicrobatch();
    void followsTheLastUpdateRule();
    void skipsAnInjectedOverflow_data();
    void skipsAnInjectedOverflow();
    void endsAfterSkipsInARow();
    void endsBelowTheScalesFloor();
    void handsOutCheckpoints();
    void finishesTheUpdateOnRequest();
    void dropsTheUnfinishedUpdateOnStop_data();
    void dropsTheUnfinishedUpdateOnStop();
    void stopsOverBudget();
    void replansOverBudget();
    void saysWhenTheModelAloneIsOverBudget();
    void predictsWithoutDisturbing();
    void predictsTheSameForEveryMicrobatch();
    void tellsTheWrongNormalisationApart();
    void endsWithAThrowingObserver();
    void refusesWhatDoesNotBelongTogether();
};

void TrainerTest::keepsTheLedger() {
    const small::DrawnSource source;
    const ExperimentContract contract = small::contractFor(source);
    const Run run = train(source, contract, small::optionsFor());
    QCOMPARE(run.seen.records.size(), std::size_t{6});
    std::set<std::string> receipts, digests;
    std::vector<std::int64_t> mix(3, 0);
    std::int64_t number = 0;
    for (const UpdateRecord& record : run.seen.records) {
        ++number;
        QCOMPARE(record.update, number);
        QCOMPARE(record.applied, number);
        QCOMPARE(record.scheduleSteps, number);
        QCOMPARE(record.skipped, std::int64_t{0});
        QCOMPARE(record.accepted, std::int64_t{47});
        QCOMPARE(record.position, 47 * number);
        QCOMPARE(record.epoch, 47 * (number - 1) / 64);
        QVERIFY((record.microbatches == std::vector<std::int64_t>{16, 16, 15}));
        QCOMPARE(std::accumulate(record.classMix.begin(), record.classMix.end(), std::int64_t{0}),
                 std::int64_t{47});
        QCOMPARE(record.denominator, 47.0);
        QVERIFY(record.wasApplied && record.gradientNorm && *record.gradientNorm > 0 &&
                record.clipFactor <= 1);
        QVERIFY(std::isfinite(record.loss));
        receipts.insert(record.receipt);
        digests.insert(record.idsDigest);
        for (std::size_t i = 0; i < mix.size(); ++i) {
            mix[i] += record.classMix[i];
        }
    }
    QCOMPARE(receipts.size(), std::size_t{6});
    QCOMPARE(digests.size(), std::size_t{6});
    QVERIFY(std::abs(run.seen.records[0].learningRate - contract.optimizer.learningRate / 2) <
            1e-12);
    QVERIFY(run.summary.finished && !run.summary.cancelled);
    QCOMPARE(run.summary.acceptedExamples, std::int64_t{282});
    QVERIFY(run.summary.classMix == mix);
    QCOMPARE(run.summary.receipt, run.seen.records.back().receipt);
}

void TrainerTest::accountsForTimeAndMemory() {
    const small::DrawnSource source;
    TrainerOptions options = small::optionsFor();
    options.memoryLimit = 64 << 20;
    const Run run = train(source, small::contractFor(source), options);
    for (const UpdateRecord& record : run.seen.records) {
        const PhaseSeconds& seconds = record.seconds;
        for (const double phase :
             {seconds.data, seconds.forward, seconds.backward, seconds.optimizer, seconds.other}) {
            QVERIFY(phase > 0);
        }
        const MemoryPeaks& memory = record.memory;
        QCOMPARE(std::accumulate(memory.atPeak.begin(), memory.atPeak.end(), std::int64_t{0}),
                 memory.total);
        QVERIFY(memory.total <= memory.reserved && memory.reserved <= options.memoryLimit);
        for (const MemoryCategory category :
             {MemoryCategory::Parameters, MemoryCategory::Gradients, MemoryCategory::Optimizer,
              MemoryCategory::Inputs, MemoryCategory::Activations}) {
            QVERIFY2(memory.atPeak[static_cast<std::size_t>(category)] > 0,
                     toString(category).c_str());
        }
    }
    // Adam's two moments beside one gradient per parameter.
    const MemoryPeaks& memory = run.seen.records[0].memory;
    QVERIFY(memory.atPeak[2] >= 2 * memory.atPeak[1]);
    QVERIFY(run.seen.records[4].seconds.checkpoint > 0);  // the one after update 4
    QCOMPARE(run.seen.records[1].seconds.checkpoint, 0.0);
    std::set<std::string> phases;
    for (const MemorySample& sample : run.seen.samples) {
        phases.insert(sample.phase);
        QVERIFY(sample.total <= options.memoryLimit && sample.seconds >= 0);
    }
    for (const char* phase : {"data", "forward", "backward", "optimizer", "peak"}) {
        QVERIFY2(phases.contains(phase), phase);
    }
}

void TrainerTest::learns() {
    const small::DrawnSource source;
    ExperimentContract contract = small::contractFor(source);
    contract.updates = 25;
    for (const Precision precision : {Precision::Fp32, Precision::Bf16, Precision::Fp16}) {
        const Run run = train(source, contract, small::optionsFor(precision));
        QVERIFY2(run.seen.records.back().loss < 0.5 * run.seen.records.front().loss,
                 toString(precision).c_str());
    }
}

void TrainerTest::givesTheSameWeightsForEveryMicrobatch() {
    const small::DrawnSource source;
    ExperimentContract contract = small::contractFor(source);
    contract.optimizer.name = "sgd";  // AdamW turns rounding noise into weight noise
    contract.optimizer.learningRate = 0.05;
    const Run whole = train(source, contract, small::optionsFor(Precision::Fp32, 47));
    for (const std::int64_t microbatch : {1, 8, 13, 32}) {
        const Run cut = train(source, contract, small::optionsFor(Precision::Fp32, microbatch));
        QVERIFY(cut.seen.records[0].microbatches.front() == microbatch);
        QVERIFY(small::relativeDistance(cut.weights, whole.weights) <= 1e-6);
        QCOMPARE(cut.seen.records.back().idsDigest, whole.seen.records.back().idsDigest);
    }
}

void TrainerTest::followsTheLastUpdateRule() {
    const small::DrawnSource source(100);
    ExperimentContract contract = small::contractFor(source);
    contract.updates = 9;
    contract.lastUpdate = LastUpdateRule::Apply;
    std::vector<std::int64_t> sizes;
    for (const UpdateRecord& record : train(source, contract, small::optionsFor()).seen.records) {
        sizes.push_back(record.accepted);
        QCOMPARE(record.denominator, static_cast<double>(record.accepted));
    }
    QVERIFY((sizes == std::vector<std::int64_t>{47, 47, 6, 47, 47, 6, 47, 47, 6}));
    contract.lastUpdate = LastUpdateRule::Drop;
    contract.updates = 3;
    const Run dropped = train(source, contract, small::optionsFor());
    QCOMPARE(dropped.seen.records[2].accepted, std::int64_t{47});
    QCOMPARE(dropped.seen.records[2].epoch, std::int64_t{1});
}

void TrainerTest::skipsAnInjectedOverflow_data() {
    QTest::addColumn<int>("precision");
    QTest::newRow("fp32") << static_cast<int>(Precision::Fp32);
    QTest::newRow("bf16") << static_cast<int>(Precision::Bf16);
    QTest::newRow("fp16") << static_cast<int>(Precision::Fp16);
}

void TrainerTest::skipsAnInjectedOverflow() {
    QFETCH(const int, precision);
    const small::DrawnSource source;
    ExperimentContract contract = small::contractFor(source);
    contract.checkpointInterval = 1;
    contract.scaler.initScale = 1024;
    TrainerOptions options = small::optionsFor(static_cast<Precision>(precision), 8);
    options.injectOverflowAt = {3};
    const Run run = train(source, contract, options);
    const UpdateRecord& bad = run.seen.records[2];
    QVERIFY(!bad.wasApplied && !bad.gradientNorm && !bad.skipReason.empty() &&
            !bad.overflowInjected.empty());
    QVERIFY(bad.nonFiniteElements > 0 && !bad.nonFiniteParameters.empty());
    QVERIFY(std::isfinite(bad.loss));
    QCOMPARE(bad.accepted, std::int64_t{47});
    QCOMPARE(bad.position, std::int64_t{141});
    QCOMPARE(bad.applied, std::int64_t{2});
    QCOMPARE(bad.skipped, std::int64_t{1});
    const bool scaled = static_cast<Precision>(precision) == Precision::Fp16;
    QCOMPARE(bad.scaleBefore, scaled ? 1024.0 : 1.0);
    QCOMPARE(bad.scaleAfter, scaled ? 512.0 : 1.0);  // halved once, not once per microbatch
    // Neither weights nor optimizer nor schedule moved.
    const TrainingState &before = run.seen.states[1], &after = run.seen.states[2];
    for (std::size_t i = 0; i + 1 < before.tensors.size(); ++i) {
        QCOMPARE(after.tensors[i].name, before.tensors[i].name);
        QVERIFY2(after.tensors[i].bytes == before.tensors[i].bytes, before.tensors[i].name.c_str());
    }
    QCOMPARE(run.seen.records[3].learningRate, bad.learningRate);
    QCOMPARE(run.seen.records[3].wasApplied, true);
    QCOMPARE(after.values.consecutiveSkips, std::int64_t{1});
    QCOMPARE(run.seen.states[3].values.consecutiveSkips, std::int64_t{0});
    QCOMPARE(run.summary.applied, std::int64_t{5});
    QCOMPARE(run.summary.nonFiniteUpdates, std::int64_t{1});
}

void TrainerTest::endsAfterSkipsInARow() {
    const small::DrawnSource source;
    TrainerOptions options = small::optionsFor();
    options.injectOverflowAt = {2, 3, 4};
    options.maxConsecutiveSkips = 3;
    const ExperimentContract contract = small::contractFor(source);
    Trainer trainer(contract, small::weightsFor(contract), source, options);
    small::Recorder seen;
    const CancelToken cancel;
    const std::string message = errorOf([&] { trainer.run(seen, cancel); }, ErrorCode::Failed);
    QVERIFY2(message.find("3 updates in a row") != std::string::npos, message.c_str());
    QVERIFY2(message.find("first bad update was 2") != std::string::npos, message.c_str());
    QVERIFY2(message.find("examples ") != std::string::npos, message.c_str());
    QCOMPARE(seen.records.size(), std::size_t{4});  // the last one is in the ledger
}

void TrainerTest::endsBelowTheScalesFloor() {
    const small::DrawnSource source;
    ExperimentContract contract = small::contractFor(source);
    contract.scaler.initScale = 2;
    TrainerOptions options = small::optionsFor(Precision::Fp16);
    options.injectOverflowAt = {1, 2};
    Trainer trainer(contract, small::weightsFor(contract), source, options);
    small::Recorder seen;
    const CancelToken cancel;
    const std::string message = errorOf([&] { trainer.run(seen, cancel); }, ErrorCode::Failed);
    QVERIFY2(message.find("floor") != std::string::npos, message.c_str());
    QVERIFY2(message.find("first bad update was 1") != std::string::npos, message.c_str());
    QCOMPARE(seen.records.size(), std::size_t{2});
    QCOMPARE(seen.records[0].scaleAfter, 1.0);
}

void TrainerTest::handsOutCheckpoints() {
    const small::DrawnSource source;
    ExperimentContract contract = small::contractFor(source);
    contract.updates = 10;
    const Run run = train(source, contract, small::optionsFor());
    std::vector<std::int64_t> at;
    for (const TrainingState& state : run.seen.states) {
        at.push_back(state.values.attempted);
        QCOMPARE(state.values.receipt,
                 run.seen.records[static_cast<std::size_t>(state.values.attempted - 1)].receipt);
        QCOMPARE(state.values.position, 47 * state.values.attempted);
    }
    QVERIFY((at == std::vector<std::int64_t>{4, 8, 10}));
    TrainerOptions options = small::optionsFor();
    options.stopAfter = 5;
    const Run shorter = train(source, contract, options);
    QVERIFY(shorter.summary.finished);
    QCOMPARE(shorter.seen.states.back().values.attempted, std::int64_t{5});
    // The schedule is the contract's, not the shortened run's.
    QCOMPARE(shorter.seen.records.back().receipt, run.seen.records[4].receipt);
}

void TrainerTest::finishesTheUpdateOnRequest() {
    const small::DrawnSource source;
    const ExperimentContract contract = small::contractFor(source);
    Trainer trainer(contract, small::weightsFor(contract), source, small::optionsFor());
    CancelToken cancel;
    struct Finish : small::Recorder {
        explicit Finish(CancelToken& token) : cancel(token) {}
        void onMemory(const MemorySample& sample) override {
            if (sample.update == 3 && sample.phase == "backward") {
                cancel.finishUpdate();
            }
        }
        CancelToken& cancel;
    } seen(cancel);
    const TrainSummary summary = trainer.run(seen, cancel);
    QVERIFY(summary.cancelled && !summary.finished);
    QCOMPARE(summary.attempted, std::int64_t{3});
    QCOMPARE(seen.states.size(), std::size_t{1});
    QCOMPARE(seen.states[0].values.attempted, std::int64_t{3});
}

void TrainerTest::dropsTheUnfinishedUpdateOnStop_data() {
    QTest::addColumn<QString>("phase");
    QTest::newRow("data") << "data";
    QTest::newRow("backward") << "backward";
}

void TrainerTest::dropsTheUnfinishedUpdateOnStop() {
    QFETCH(const QString, phase);
    const small::DrawnSource source;
    const ExperimentContract contract = small::contractFor(source);
    const Run whole = train(source, contract, small::optionsFor());
    Trainer trainer(contract, small::weightsFor(contract), source, small::optionsFor());
    CancelToken cancel;
    StopAt seen(cancel, 3, phase.toStdString());
    const TrainSummary summary = trainer.run(seen, cancel);
    QVERIFY(summary.cancelled);
    QCOMPARE(summary.attempted, std::int64_t{2});
    QCOMPARE(seen.records.size(), std::size_t{2});
    QCOMPARE(seen.states.size(), std::size_t{1});
    QCOMPARE(seen.states[0].values.attempted, std::int64_t{2});
    QCOMPARE(
        chainReceipt(whole.seen.records[0].receipt, seen.states[0], whole.seen.records[1].loss),
        whole.seen.records[1].receipt);
    // The same object goes on as if nothing had been.
    const CancelToken again;
    QCOMPARE(trainer.run(seen, again).receipt, whole.summary.receipt);
}

void TrainerTest::stopsOverBudget() {
    const small::DrawnSource source;
    const ExperimentContract contract = small::contractFor(source);
    const std::int64_t needed =
        train(source, contract, small::optionsFor(Precision::Fp32, 47)).summary.peak.total;
    TrainerOptions options = small::optionsFor(Precision::Fp32, 47);
    options.memoryLimit = needed * 2 / 3;
    options.largestMicrobatchThatFits = 24;
    Trainer trainer(contract, small::weightsFor(contract), source, options);
    small::Recorder seen;
    const CancelToken cancel;
    const std::string message = errorOf([&] { trainer.run(seen, cancel); }, ErrorCode::OverBudget);
    QVERIFY2(message.find("microbatch 24") != std::string::npos, message.c_str());
    QVERIFY2(message.find("activations") != std::string::npos, message.c_str());
    QVERIFY(seen.records.empty());
    QVERIFY(small::sameBytes(trainer.weights(), small::weightsFor(contract)));
    QCOMPARE(trainer.capture().values.position, std::int64_t{0});
}

void TrainerTest::replansOverBudget() {
    const small::DrawnSource source;
    ExperimentContract contract = small::contractFor(source);
    contract.optimizer.name = "sgd";
    const Run free = train(source, contract, small::optionsFor(Precision::Fp32, 47));
    TrainerOptions options = small::optionsFor(Precision::Fp32, 47);
    options.memoryLimit = free.summary.peak.total * 2 / 3;
    options.onOverBudget = OverBudgetPolicy::Replan;
    const Run run = train(source, contract, options);
    QVERIFY(run.summary.finished);
    QVERIFY(!run.seen.records[0].replans.empty());
    QVERIFY(!run.seen.messages.empty());
    QVERIFY(run.summary.planAtEnd.microbatch < 47);
    for (std::size_t i = 0; i < run.seen.records.size(); ++i) {
        QCOMPARE(run.seen.records[i].accepted, std::int64_t{47});
        QCOMPARE(run.seen.records[i].idsDigest, free.seen.records[i].idsDigest);
        QCOMPARE(run.seen.records[i].microbatches.front(), run.summary.planAtEnd.microbatch);
        QVERIFY(run.seen.records[i].memory.reserved <= options.memoryLimit);
    }
    QVERIFY(run.seen.records[1].replans.empty());
    QVERIFY(small::relativeDistance(run.weights, free.weights) <= 1e-6);
    // What the failed attempts held is gone: the same as a run that began with the small
    // microbatch.
    const Run direct = train(source, contract,
                             small::optionsFor(Precision::Fp32, run.summary.planAtEnd.microbatch));
    QCOMPARE(run.summary.receipt, direct.summary.receipt);
    QVERIFY(run.seen.records[1].memory.total <= direct.seen.records[1].memory.total + (64 << 10));
}

void TrainerTest::saysWhenTheModelAloneIsOverBudget() {
    const small::DrawnSource source;
    const ExperimentContract contract = small::contractFor(source);
    TrainerOptions options = small::optionsFor();
    options.memoryLimit = 100 << 10;
    const std::string message =
        errorOf([&] { train(source, contract, options); }, ErrorCode::OverBudget);
    QVERIFY2(message.find("before the first update") != std::string::npos, message.c_str());
    QVERIFY(train(source, contract, small::optionsFor())
                .summary.finished);  // the refused budget is gone
}

void TrainerTest::predictsWithoutDisturbing() {
    const small::DrawnSource source, validation(10);
    ExperimentContract contract = small::contractFor(source);
    const Run whole = train(source, contract, small::optionsFor(Precision::Bf16));
    TrainerOptions options = small::optionsFor(Precision::Bf16);
    options.stopAfter = 3;
    Trainer trainer(contract, small::weightsFor(contract), source, options);
    struct Predicting : small::Recorder {
        void onUpdate(const UpdateRecord& record) override {
            small::Recorder::onUpdate(record);
            logits = trainer->predict(*validation, Precision::Bf16);
            exact = trainer->predict(*validation, Precision::Fp32);
        }
        Trainer* trainer = nullptr;
        const BatchSource* validation = nullptr;
        std::vector<float> logits, exact;
    } seen;
    seen.trainer = &trainer;
    seen.validation = &validation;
    const CancelToken cancel;
    trainer.run(seen, cancel);
    QCOMPARE(seen.records[2].receipt, whole.seen.records[2].receipt);
    QCOMPARE(seen.logits.size(), std::size_t{30});
    QVERIFY(seen.logits != seen.exact);
    for (std::size_t i = 0; i < seen.logits.size(); ++i) {
        QVERIFY(std::abs(seen.logits[i] - seen.exact[i]) < 0.1f);
    }
    QVERIFY(seen.logits == trainer.predict(validation, Precision::Bf16));
}

void TrainerTest::predictsTheSameForEveryMicrobatch() {
    const small::DrawnSource source, validation(10);
    const ExperimentContract contract = small::contractFor(source);
    std::vector<float> first;
    for (const std::int64_t microbatch : {1, 4, 47}) {
        Trainer trainer(contract, small::weightsFor(contract), source,
                        small::optionsFor(Precision::Fp32, microbatch));
        const std::vector<float> logits = trainer.predict(validation, Precision::Fp32);
        first = first.empty() ? logits : first;
        for (std::size_t i = 0; i < logits.size(); ++i) {
            QVERIFY(std::abs(logits[i] - first[i]) < 1e-5f);
        }
    }
}

void TrainerTest::tellsTheWrongNormalisationApart() {
    const small::DrawnSource source;
    ExperimentContract contract = small::contractFor(source);
    contract.optimizer.name = "sgd";
    const Run right = train(source, contract, small::optionsFor());
    TrainerOptions options = small::optionsFor();
    options.normalisation = Normalisation::MeanOfMeans;
    const Run wrong = train(source, contract, options);
    QVERIFY(small::relativeDistance(wrong.weights, right.weights) > 1e-6);
    QCOMPARE(wrong.seen.records[0].loss,
             right.seen.records[0].loss);  // the first loss is before any step
    QCOMPARE(wrong.seen.records.back().idsDigest, right.seen.records.back().idsDigest);
    QVERIFY(wrong.seen.states.back().values.normalisation == Normalisation::MeanOfMeans);
}

void TrainerTest::endsWithAThrowingObserver() {
    const small::DrawnSource source;
    const ExperimentContract contract = small::contractFor(source);
    Trainer trainer(contract, small::weightsFor(contract), source, small::optionsFor());
    ThrowingObserver observer;
    const CancelToken cancel;
    QCOMPARE(errorOf([&] { trainer.run(observer, cancel); }, ErrorCode::Failed),
             std::string("the observer refuses"));
    QCOMPARE(trainer.capture().values.attempted, std::int64_t{1});
}

void TrainerTest::refusesWhatDoesNotBelongTogether() {
    const small::DrawnSource source, larger(64, 48), more(65);
    const ExperimentContract contract = small::contractFor(source);
    const TrainerOptions options = small::optionsFor();
    std::vector<HostTensor> weights = small::weightsFor(contract);
    weights[0].bytes[3] ^= std::byte{1};
    const std::string revision =
        errorOf([&] { Trainer(contract, weights, source, options); }, ErrorCode::Data);
    QVERIFY2(revision.find(contract.model.revision) != std::string::npos, revision.c_str());
    const std::string size = errorOf([&] { train(larger, contract, options); }, ErrorCode::Data);
    QVERIFY2(size.find("48x48") != std::string::npos, size.c_str());
    const std::string count = errorOf([&] { train(more, contract, options); }, ErrorCode::Data);
    QVERIFY2(count.find("65") != std::string::npos, count.c_str());
    ExperimentContract two = contract;
    two.labels = LabelMap({"readable", "blurred"});
    QVERIFY(errorOf([&] { train(source, two, options); }, ErrorCode::Data).find("class 2") !=
            std::string::npos);
    for (const std::int64_t microbatch : {std::int64_t{0}, std::int64_t{-3}}) {
        QVERIFY(
            !errorOf(
                 [&] { train(source, contract, small::optionsFor(Precision::Fp32, microbatch)); },
                 ErrorCode::Usage)
                 .empty());
    }
}

QTEST_APPLESS_MAIN(TrainerTest)
#include "trainer_test.moc"
