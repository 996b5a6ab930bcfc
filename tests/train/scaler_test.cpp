// Loss scaling as PyTorch documents it, saved and restored whole.
#include <QtTest>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/train/scaler.h"

using namespace receiptbench;

namespace {

ScalerSpec specOf(double scale, std::int64_t interval) {
    ScalerSpec spec;
    spec.initScale = scale;
    spec.growthInterval = interval;
    return spec;
}

template <typename Action>
bool throwsError(ErrorCode code, Action&& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.code() == code;
    }
    return false;
}

}  // namespace

class ScalerTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void disabledNeverChanges();
    void growsAfterTheIntervalAndBacksOff();
    void restartFollowsTheSamePath();
    void neverGrowsPastFloat();
    void floorEndsTheRun();
    void impossibleIsRefused();
};

void ScalerTest::disabledNeverChanges() {
    LossScaler scaler;
    QVERIFY(!scaler.enabled());
    for (int i = 0; i < 5000; ++i) {
        scaler.update(i % 3 == 0);
    }
    QCOMPARE(scaler.scale(), 1.0);
    scaler.restore(ScalerState{});
    ScalerState scaled;
    scaled.scale = 1024;
    QVERIFY(throwsError(ErrorCode::Data, [&] { scaler.restore(scaled); }));
}

void ScalerTest::growsAfterTheIntervalAndBacksOff() {
    LossScaler scaler(specOf(1024, 3));
    const struct {
        bool nonFinite;
        double scale;
        std::int64_t counter;
    } path[] = {{false, 1024, 1}, {false, 1024, 2}, {false, 2048, 0},
                {false, 2048, 1}, {true, 1024, 0},  {true, 512, 0},
                {false, 512, 1},  {false, 512, 2},  {false, 1024, 0}};
    for (const auto& expected : path) {
        scaler.update(expected.nonFinite);
        QCOMPARE(scaler.scale(), expected.scale);
        QCOMPARE(scaler.state().growthCounter, expected.counter);
    }
}

// metaseq#3: with the counter lost the scale would be 256, with the scaler lost 1024.
void ScalerTest::restartFollowsTheSamePath() {
    LossScaler scaler(specOf(1024, 2));
    scaler.update(true);
    scaler.update(true);
    scaler.update(false);
    QCOMPARE(scaler.scale(), 256.0);
    QCOMPARE(scaler.state().growthCounter, std::int64_t{1});
    ScalerSpec other = specOf(65536, 2000);  // whatever was there before
    other.growthFactor = 4;
    LossScaler resumed(other);
    resumed.update(false);
    resumed.restore(scaler.state());
    QCOMPARE(resumed.state(), scaler.state());
    resumed.update(false);
    QCOMPARE(resumed.scale(), 512.0);
}

void ScalerTest::neverGrowsPastFloat() {
    LossScaler scaler(specOf(std::ldexp(1.0, 127), 1));
    scaler.update(false);
    QCOMPARE(scaler.scale(), std::ldexp(1.0, 127));
    QCOMPARE(scaler.state().growthCounter, std::int64_t{0});
}

void ScalerTest::floorEndsTheRun() {
    LossScaler scaler(specOf(2, 2000));
    scaler.update(true);
    QCOMPARE(scaler.scale(), 1.0);
    scaler.update(false);
    const ScalerState before = scaler.state();
    QVERIFY(throwsError(ErrorCode::Failed, [&] { scaler.update(true); }));
    QCOMPARE(scaler.state(), before);
}

void ScalerTest::impossibleIsRefused() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double scale : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
        QVERIFY(throwsError(ErrorCode::Usage, [&] { LossScaler{specOf(scale, 2)}; }));
        LossScaler scaler(specOf(2, 2));
        ScalerState state;
        state.scale = scale;
        QVERIFY(throwsError(ErrorCode::Data, [&] { scaler.restore(state); }));
        QCOMPARE(scaler.scale(), 2.0);
    }
    QVERIFY(throwsError(ErrorCode::Usage, [&] { LossScaler{specOf(2, 0)}; }));
    ScalerSpec spec;
    spec.backoffFactor = 1.0;
    QVERIFY(throwsError(ErrorCode::Usage, [&] { LossScaler{spec}; }));
    spec = {};
    spec.growthFactor = nan;
    QVERIFY(throwsError(ErrorCode::Usage, [&] { LossScaler{spec}; }));
}

QTEST_APPLESS_MAIN(ScalerTest)
#include "scaler_test.moc"
