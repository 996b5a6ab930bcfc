// The learning rate as a function of applied updates, against PyTorch's own figures.
#include <QtTest>

#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/train/scaler.h"
#include "core/train/schedule.h"

using namespace receiptbench;

namespace {

bool near(double actual, double expected, double tolerance = 1e-12) {
    return std::abs(actual - expected) <= tolerance * std::abs(expected);
}

OptimizerSpec withRate(double rate) {
    OptimizerSpec optimizer;
    optimizer.learningRate = rate;
    return optimizer;
}

ScheduleSpec named(const char* name) {
    ScheduleSpec schedule;
    schedule.name = name;
    schedule.warmup = 0;
    return schedule;
}

bool isRefused(const ScheduleSpec& schedule, std::int64_t updates = 10) {
    try {
        learningRateAt(schedule, withRate(0.1), updates, 1);
    } catch (const Error& error) {
        return error.code() == ErrorCode::Usage && !error.hint().empty();
    }
    return false;
}

}  // namespace

class ScheduleTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void constantStaysAndHasNoMomentum();
    void cosineMatchesTheCrossCheck();
    void scheduleCountsAppliedUpdates();
    void stepDropsWhereItShould();
    void warmupRisesToTheBase();
    void linearEndsAtTheFloor();
    void oneCycleMatchesPyTorch();
    void totalIsTheContractsUnlessGiven();
    void impossibleIsRefused();
};

void ScheduleTest::constantStaysAndHasNoMomentum() {
    QCOMPARE(learningRateAt(named("constant"), withRate(0.05), 10, 0), 0.05);
    QCOMPARE(learningRateAt(named("constant"), withRate(0.05), 10, 1000), 0.05);
    QVERIFY(!momentumAt(named("constant"), 10, 3).has_value());
}

// pytorch#60265 is a jump at exactly this point.
void ScheduleTest::cosineMatchesTheCrossCheck() {
    const ScheduleSpec cosine = named("warmup_cosine");
    QVERIFY(std::abs(learningRateAt(cosine, withRate(0.001), 100, 45) - 0.0005782172) < 5e-11);
    QVERIFY(std::abs(learningRateAt(cosine, withRate(0.001), 100, 46) - 0.0005626666) < 5e-11);
    QCOMPARE(learningRateAt(cosine, withRate(0.001), 100, 100), 0.0);
    QCOMPARE(learningRateAt(cosine, withRate(0.001), 100, 500), 0.0);  // stays at the end
}

// lightning#18828: the third of three windows was skipped; 0.0793893 would mean that the schedule
// went on.
void ScheduleTest::scheduleCountsAppliedUpdates() {
    ScalerSpec spec;
    spec.initScale = 1024;
    LossScaler scaler(spec);
    std::int64_t applied = 0, skipped = 0;
    for (const bool nonFinite : {false, false, true}) {
        (nonFinite ? skipped : applied) += 1;
        scaler.update(nonFinite);
    }
    QCOMPARE(applied, std::int64_t{2});
    QCOMPARE(skipped, std::int64_t{1});
    QCOMPARE(scaler.scale(), 512.0);  // halved once
    QVERIFY(std::abs(learningRateAt(named("warmup_cosine"), withRate(0.1), 10, applied) -
                     0.0904508) < 5e-8);
}

// lightning#1772: epochs 3, 4, 5 use 100, 10, 10, straight or resumed: a pure function cannot lag.
void ScheduleTest::stepDropsWhereItShould() {
    ScheduleSpec step = named("step");
    step.every = 3;
    step.gamma = 0.1;
    QCOMPARE(learningRateAt(step, withRate(100), 5, 2), 100.0);
    QVERIFY(near(learningRateAt(step, withRate(100), 5, 3), 10.0));
    QVERIFY(near(learningRateAt(step, withRate(100), 5, 4), 10.0));
    QVERIFY(near(learningRateAt(step, withRate(100), 5, 6), 1.0));
}

void ScheduleTest::warmupRisesToTheBase() {
    ScheduleSpec schedule = named("warmup_cosine");
    schedule.warmup = 4;
    schedule.floor = 0.1;
    QVERIFY(near(learningRateAt(schedule, withRate(0.8), 12, 0), 0.2));
    QVERIFY(near(learningRateAt(schedule, withRate(0.8), 12, 3), 0.8));
    QVERIFY(near(learningRateAt(schedule, withRate(0.8), 12, 4), 0.8));
    QVERIFY(near(learningRateAt(schedule, withRate(0.8), 12, 8), 0.8 * 0.55));
    QVERIFY(near(learningRateAt(schedule, withRate(0.8), 12, 12), 0.08));
    schedule.warmup = 50;  // longer than the run
    QVERIFY(near(learningRateAt(schedule, withRate(0.8), 12, 11), 0.8 * 12 / 50));
}

void ScheduleTest::linearEndsAtTheFloor() {
    ScheduleSpec linear = named("linear");
    linear.floor = 0.2;
    QCOMPARE(learningRateAt(linear, withRate(1.0), 10, 0), 1.0);
    QVERIFY(near(learningRateAt(linear, withRate(1.0), 10, 5), 0.6));
    QVERIFY(near(learningRateAt(linear, withRate(1.0), 10, 10), 0.2));
    QVERIFY(near(learningRateAt(linear, withRate(1.0), 10, 99), 0.2));
}

// torch.optim.lr_scheduler.OneCycleLR(max_lr=0.004, total_steps=12), and total_steps=1 and 2.
void ScheduleTest::oneCycleMatchesPyTorch() {
    ScheduleSpec cycle = named("onecycle");
    cycle.maxLearningRate = 0.004;
    const auto rate = [&](std::int64_t total, std::int64_t s) {
        return learningRateAt(cycle, withRate(0.1), total, s);
    };
    const auto momentum = [&](std::int64_t total, std::int64_t s) {
        return *momentumAt(cycle, total, s);
    };
    QVERIFY(near(rate(12, 0), 0.00015999999999999999));
    QVERIFY(near(momentum(12, 0), 0.95));
    QVERIFY(near(rate(12, 1), 0.001399158616878332));
    QVERIFY(near(momentum(12, 1), 0.9177302443521267));
    QVERIFY(near(rate(12, 2), 0.003517140636488515));
    QVERIFY(near(momentum(12, 2), 0.8625744625914449));
    QVERIFY(near(rate(12, 3), 0.003977661741803647));
    QVERIFY(near(momentum(12, 3), 0.8505584586887436));
    QVERIFY(near(rate(12, 7), 0.0018505484106679001));
    QVERIFY(near(momentum(12, 7), 0.9037365046793212));
    QVERIFY(near(rate(12, 11), 1.6e-08));
    QVERIFY(near(momentum(12, 11), 0.95));
    QVERIFY(near(rate(1, 0), 1.6e-08));
    QVERIFY(near(momentum(1, 0), 0.95));
    QVERIFY(near(rate(2, 0), 0.0032469826157990518));
    QVERIFY(near(momentum(2, 0), 0.8688255099070633));
    QVERIFY(near(rate(2, 1), 1.6e-08));
    QVERIFY(near(momentum(2, 1), 0.95));
    QVERIFY(near(rate(100, 29), 0.004));
    QVERIFY(near(momentum(100, 29), 0.85));
    QVERIFY(near(rate(100, 30), 0.003997986141138097));
    QVERIFY(near(momentum(100, 30), 0.8500503466729342));
    QCOMPARE(rate(12, 40), rate(12, 11));  // PyTorch refuses to go on: the last value holds
}

void ScheduleTest::totalIsTheContractsUnlessGiven() {
    ScheduleSpec linear = named("linear");
    QVERIFY(near(learningRateAt(linear, withRate(1.0), 10, 5), 0.5));
    linear.total = 20;
    QVERIFY(near(learningRateAt(linear, withRate(1.0), 10, 5), 0.75));
}

void ScheduleTest::impossibleIsRefused() {
    QVERIFY(isRefused(named("cosine")));
    QVERIFY(isRefused(named("step")));      // every is 0
    QVERIFY(isRefused(named("onecycle")));  // no maximum
    QVERIFY(isRefused(named("linear"), 0));
    QVERIFY(!isRefused(named("linear"), 1));
}

QTEST_APPLESS_MAIN(ScheduleTest)
#include "schedule_test.moc"
