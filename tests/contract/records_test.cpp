#include <QtTest>

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/contract/training_state.h"
#include "core/contract/update_record.h"
#include "tests/support/expect_error.h"

using namespace receiptbench;
using nlohmann::json;

namespace {

UpdateRecord exampleRecord() {
    UpdateRecord record;
    record.update = 9;
    record.applied = 7;
    record.skipped = 2;
    record.scheduleSteps = 7;
    record.epoch = 1;
    record.position = 423;
    record.accepted = 47;
    record.idsDigest = "aa";
    record.classMix = {16, 16, 15};
    record.microbatches = {16, 16, 15};
    record.denominator = 47;
    record.loss = 0.1;
    record.gradientNorm = 1.0 / 3;
    record.clipFactor = 0.25;
    record.nonFiniteParameters = {"head.weight"};
    record.nonFiniteElements = 3;
    record.scaleBefore = 1024;
    record.scaleAfter = 512;
    record.wasApplied = true;
    record.skipReason = "non-finite";
    record.overflowInjected = "deliberate";
    record.learningRate = 2e-3;
    record.seconds = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    record.memory = {21, {1, 2, 3, 4, 5, 6}, 30};
    record.replans = {"microbatch 16 -> 8"};
    record.receipt = "bb";
    return record;
}

// Through text, as in the events file.
template <typename Value>
Value throughText(const Value& value) {
    return json::parse(json(value).dump()).template get<Value>();
}

}  // namespace

class RecordsTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void speedLeavesTheCheckpointOut() {
        auto record = exampleRecord();
        QCOMPARE(examplesPerSecond(record).value(),
                 47 / 1.6);  // of 2.1 s, 0.5 s for the checkpoint
        record.seconds = {};
        record.seconds.checkpoint = 3;
        QVERIFY(!examplesPerSecond(record));
    }

    void everyFieldOfARecordComesBack() {
        const json before = exampleRecord();
        QCOMPARE(json(throughText(exampleRecord())).dump(), before.dump());
        const UpdateRecord back = throughText(exampleRecord());
        QCOMPARE(back.loss, 0.1);
        QVERIFY(back.gradientNorm == exampleRecord().gradientNorm);
        QVERIFY(back.memory.atPeak == exampleRecord().memory.atPeak);
        QCOMPARE(back.seconds.total(), exampleRecord().seconds.total());
        QCOMPARE(before.size(),
                 std::size_t{26});  // a new field must be added to both directions and here
        for (const auto& [name, value] : before.items()) {
            QVERIFY2(value != json(UpdateRecord())[name],
                     ("the example leaves " + name + " at its default").c_str());
        }
    }

    void nonFiniteNumbersComeBack() {
        UpdateRecord record = exampleRecord();
        record.loss = std::nan("");
        record.scaleAfter = std::numeric_limits<double>::infinity();
        record.clipFactor = -std::numeric_limits<double>::infinity();
        record.gradientNorm.reset();
        const json written = record;
        QCOMPARE(written["loss"].get<std::string>(), std::string("nan"));
        QVERIFY(written["gradientNorm"].is_null());
        const UpdateRecord back = throughText(record);
        QVERIFY(std::isnan(back.loss));
        QVERIFY(std::isinf(back.scaleAfter) && back.scaleAfter > 0);
        QVERIFY(std::isinf(back.clipFactor) && back.clipFactor < 0);
        QVERIFY(!back.gradientNorm);
    }

    void damagedRecordsNameTheField() {
        json record = exampleRecord();
        record.erase("loss");
        EXPECT_ERROR(record.get<UpdateRecord>(), ErrorCode::Data, "\"record.loss\" is missing");
        record = exampleRecord();
        record["memory"]["atPeak"].erase("other");
        EXPECT_ERROR(record.get<UpdateRecord>(), ErrorCode::Data,
                     "\"memory.atPeak.other\" is missing");
        record = exampleRecord();
        record["classMix"] = {1, "x"};
        EXPECT_ERROR(record.get<UpdateRecord>(), ErrorCode::Data, "record.classMix");
        EXPECT_ERROR(json("x").get<UpdateRecord>(), ErrorCode::Data, "object");
    }

    void memorySamples() {
        const MemorySample sample{1.5, 3, 2, "forward", 21, {1, 2, 3, 4, 5, 6}};
        const MemorySample back = throughText(sample);
        QCOMPARE(json(back).dump(), json(sample).dump());
        QCOMPARE(back.phase, sample.phase);
        QVERIFY(back.byCategory == sample.byCategory);
    }

    // D05: all of the scaler is kept.
    void trainingStateComesBack() {
        StateValues values;
        values.attempted = 10;
        values.applied = 8;
        values.skipped = 2;
        values.consecutiveSkips = 1;
        values.scheduleSteps = 8;
        values.learningRate = 1.0 / 3;
        values.acceptedExamples = 470;
        values.epoch = 1;
        values.position = 471;
        values.scaler = {256, 1, 3, 0.25, 7};
        values.plan = {Precision::Fp16, 13, MemoryFormat::ChannelsLast, 4};
        values.normalisation = Normalisation::MeanOfMeans;
        values.receipt = "cc";
        values.bestMetric = 0.5;
        values.environment = {"2.13.0", "AVX2", "cpu", 4, false, false};
        const json before = values;
        for (const auto& [name, value] : before.items()) {
            QVERIFY2(value != json(StateValues())[name], name.c_str());
        }
        const StateValues back = throughText(values);
        QCOMPARE(json(back).dump(), before.dump());
        QVERIFY(back.scaler == values.scaler && back.plan == values.plan &&
                back.environment == values.environment);
        QVERIFY(back.normalisation == Normalisation::MeanOfMeans);
        values.bestMetric.reset();
        QVERIFY(!throughText(values).bestMetric);
    }

    void damagedStateNamesTheField() {
        json state = StateValues();
        state["scaler"].erase("growthCounter");
        EXPECT_ERROR(state.get<StateValues>(), ErrorCode::Data,
                     "\"state.scaler.growthCounter\" is missing");
        state = StateValues();
        state["normalisation"] = "other";
        EXPECT_ERROR(state.get<StateValues>(), ErrorCode::Data, "state.normalisation");
        state = StateValues();
        state["plan"]["threads"] = 3000000000;
        EXPECT_ERROR(state.get<StateValues>(), ErrorCode::Data, "state.plan.threads");
    }
};

QTEST_APPLESS_MAIN(RecordsTest)
#include "records_test.moc"
