#include "core/train/planner.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "small_experiment.h"

using namespace receiptbench;

namespace {

PlanResult plan(const BatchSource& source, const PlanOptions& options) {
    const ExperimentContract contract = small::contractFor(source);
    return planRun(contract, small::weightsFor(contract), source, options);
}

PlanOptions quick(Precision precision = Precision::Fp32, std::int64_t limit = 0) {
    PlanOptions options;
    options.precision = precision;
    options.memoryLimit = limit;
    options.secondsPerProbe = 0.02;
    options.threads = 1;
    return options;
}

bool isChosenOneOfTheProbes(const PlanResult& result) {
    return std::any_of(result.probes.begin(), result.probes.end(), [&](const Probe& probe) {
        return probe.fits && probe.plan == *result.chosen;
    });
}

}  // namespace

class PlannerTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void findsTheLargestThatFits();
    void choosesWhatItTried();
    void staysWithinTheLimit();
    void findsMemorysLimitByBisection();
    void keepsWhatTheUserFixed();
    void saysWhatOneExampleNeeds();
    void takesTheCapFromTheContract();
    void trainsInTheBudgetItFound();
    void saysThatTheFixedMicrobatchDoesNotFit();
    void leavesTrainingUntouched();
    void canBeStopped();
    void refusesBadOptions();
    void readsBackItsJson();
};

void PlannerTest::findsTheLargestThatFits() {
    for (std::int64_t limit = 0; limit <= 60; ++limit) {
        std::vector<std::int64_t> tried;
        const std::int64_t found = largestThatFits(47, [&](std::int64_t microbatch) {
            tried.push_back(microbatch);
            return microbatch <= limit;
        });
        QCOMPARE(found, std::min<std::int64_t>(
                            limit, 47));  // 13 of 47: 13, never 16; 60 of 47: 47, never 64
        QVERIFY(found == 0 || std::find(tried.begin(), tried.end(), found) != tried.end());
        QVERIFY(tried.size() <= 8);
    }
    QCOMPARE(largestThatFits(0, [](std::int64_t) { return true; }), std::int64_t{0});
}

void PlannerTest::choosesWhatItTried() {
    const small::DrawnSource source;
    for (const Precision precision : {Precision::Fp32, Precision::Bf16, Precision::Fp16}) {
        const PlanResult result = plan(source, quick(precision));
        QVERIFY(result.chosen && result.notSupported.empty());
        QVERIFY(isChosenOneOfTheProbes(result));
        QVERIFY(result.chosen->precision == precision && result.chosen->threads == 1);
        QCOMPARE(result.bytesForOneExample, std::int64_t{0});
        for (const Probe& probe : result.probes) {
            QVERIFY(probe.fits && probe.reason.empty() && probe.examplesPerSecond > 0 &&
                    probe.peak.total > 0);
            QVERIFY(probe.plan.microbatch >= 1 && probe.plan.microbatch <= 47);
        }
    }
}

void PlannerTest::staysWithinTheLimit() {
    const small::DrawnSource source;
    PlanOptions options = quick();
    options.microbatch = 47;
    options.memoryFormat = MemoryFormat::Contiguous;
    const std::int64_t needed = plan(source, options).probes.at(0).peak.total;
    const PlanResult result = plan(source, quick(Precision::Fp32, needed / 2));
    QVERIFY(result.chosen && isChosenOneOfTheProbes(result));
    QVERIFY(result.chosen->microbatch < 47);
    QCOMPARE(result.memoryLimit, needed / 2);
    for (const Probe& probe : result.probes) {
        QVERIFY(probe.fits != !probe.reason.empty());
        QVERIFY(!probe.fits || probe.peak.reserved <= needed / 2);
    }
}

void PlannerTest::findsMemorysLimitByBisection() {
    const small::DrawnSource source;
    PlanOptions options = quick();
    options.microbatch = 14;
    options.memoryFormat = MemoryFormat::Contiguous;
    PlanOptions limited = quick(Precision::Fp32, plan(source, options).probes.at(0).peak.reserved);
    limited.memoryFormat = MemoryFormat::Contiguous;
    limited.secondsPerProbe =
        1e-6;  // the time is up at once: exploring must still try until something fits
    QVERIFY(plan(source, limited).chosen);
    limited.secondsPerProbe = 0.05;
    const PlanResult result = plan(source, limited);
    std::int64_t fits = 0, fails = 48;
    for (const Probe& probe : result.probes) {
        (probe.fits ? fits : fails) = probe.fits ? std::max(fits, probe.plan.microbatch)
                                                 : std::min(fails, probe.plan.microbatch);
    }
    QVERIFY(fits >= 4);
    QVERIFY(fails == 48 || fails == fits + 1);  // unless exploring ended before memory did
}

void PlannerTest::keepsWhatTheUserFixed() {
    const small::DrawnSource source;
    PlanOptions options = quick();
    options.microbatch = 5;
    const PlanResult result = plan(source, options);
    QCOMPARE(result.probes.size(), std::size_t{2});
    QCOMPARE(result.chosen->microbatch, std::int64_t{5});
    options.memoryFormat = MemoryFormat::ChannelsLast;
    QVERIFY(plan(source, options).chosen->memoryFormat == MemoryFormat::ChannelsLast);
    options.microbatch = 500;
    QCOMPARE(plan(source, options).chosen->microbatch, std::int64_t{47});
}

void PlannerTest::saysWhatOneExampleNeeds() {
    const small::DrawnSource source;
    const PlanResult result = plan(source, quick(Precision::Fp32, 200 << 10));
    QVERIFY(!result.chosen);
    QVERIFY(!result.probes.empty());
    for (const Probe& probe : result.probes) {
        QVERIFY(!probe.fits && !probe.reason.empty());
    }
    QVERIFY(result.bytesForOneExample > 200 << 10);
    // The remedy works.
    QVERIFY(plan(source, quick(Precision::Fp32, result.bytesForOneExample)).chosen);
}

void PlannerTest::takesTheCapFromTheContract() {
    const small::DrawnSource source;
    ExperimentContract contract = small::contractFor(source);
    for (const std::int64_t cap : {1, 3, 10}) {
        contract.examplesPerUpdate = cap;
        const PlanResult result = planRun(contract, small::weightsFor(contract), source, quick());
        QVERIFY(result.chosen && result.chosen->microbatch <= cap);
        for (const Probe& probe : result.probes) {
            QVERIFY(probe.plan.microbatch <= cap);
        }
    }
}

// Also where the plan fills the budget to the last page.
void PlannerTest::trainsInTheBudgetItFound() {
    const small::DrawnSource source;
    const ExperimentContract contract = small::contractFor(source);
    std::vector<std::int64_t> limits{4 << 20};
    for (const std::int64_t microbatch : {5, 9, 12, 14}) {
        PlanOptions options = quick();
        options.microbatch = microbatch;
        for (const Probe& probe : plan(source, options).probes) {
            limits.push_back(probe.peak.reserved);
            limits.push_back(probe.peak.reserved * 64 / 63);
        }
    }
    for (const std::int64_t limit : limits) {
        const PlanResult result = plan(source, quick(Precision::Fp32, limit));
        QVERIFY(result.chosen);
        TrainerOptions options;
        options.plan = *result.chosen;
        options.memoryLimit = limit;
        options.stopAfter = 2;
        Trainer trainer(contract, small::weightsFor(contract), source, options);
        small::Recorder seen;
        const CancelToken cancel;
        QVERIFY(trainer.run(seen, cancel).finished);
        QVERIFY(seen.records[0].replans.empty());
    }
}

void PlannerTest::saysThatTheFixedMicrobatchDoesNotFit() {
    const small::DrawnSource source;
    PlanOptions options = quick();
    options.microbatch = 47;
    const auto needed = plan(source, options).probes.at(0).peak.total;
    options.memoryLimit = needed / 2;
    const PlanResult result = plan(source, options);
    QVERIFY(!result.chosen);
    QVERIFY(result.bytesForOneExample < needed / 2);
    const auto error = nothingFits(result, Precision::Fp32);
    QVERIFY(std::string(error.what()).find("does not fit within") != std::string::npos);
    QVERIFY(std::string(error.what()).find("at microbatch 47") != std::string::npos);
    QVERIFY(error.hint().find("smaller --microbatch") != std::string::npos);
}

void PlannerTest::leavesTrainingUntouched() {
    const small::DrawnSource source;
    const ExperimentContract contract = small::contractFor(source);
    const std::vector<HostTensor> weights = small::weightsFor(contract);
    const std::string digest = digestOfTensors(weights);
    const auto stateBefore = [&] {
        Trainer trainer(contract, weights, source, small::optionsFor());
        return trainer.capture().tensors;
    };
    const std::vector<HostTensor> before = stateBefore();
    planRun(contract, weights, source, quick());
    QCOMPARE(digestOfTensors(weights), digest);
    QVERIFY(small::sameBytes(stateBefore(), before));
}

void PlannerTest::canBeStopped() {
    const small::DrawnSource source;
    const ExperimentContract contract = small::contractFor(source);
    CancelToken cancel;
    cancel.stopNow();
    try {
        planRun(contract, small::weightsFor(contract), source, quick(), Progress::none(), &cancel);
        QFAIL("went on");
    } catch (const Error& error) {
        QVERIFY(error.code() == ErrorCode::Interrupted);
    }
}

void PlannerTest::refusesBadOptions() {
    const small::DrawnSource source;
    PlanOptions options = quick();
    options.microbatch = 0;
    QVERIFY_THROWS_EXCEPTION(Error, plan(source, options));
    options = quick();
    options.threads = 0;
    QVERIFY_THROWS_EXCEPTION(Error, plan(source, options));
    options = quick(Precision::Fp32, -1);
    QVERIFY_THROWS_EXCEPTION(Error, plan(source, options));
}

void PlannerTest::readsBackItsJson() {
    const small::DrawnSource source;
    const PlanResult result = plan(source, quick(Precision::Bf16, 8 << 20));
    const nlohmann::json json = result;
    const auto back = json.get<PlanResult>();
    QCOMPARE(nlohmann::json(back).dump(), json.dump());
    QVERIFY(back.chosen == result.chosen && back.probes.size() == result.probes.size());
    const nlohmann::json nothing = PlanResult{};
    QVERIFY(!nothing.get<PlanResult>().chosen);
}

QTEST_APPLESS_MAIN(PlannerTest)
#include "planner_test.moc"
