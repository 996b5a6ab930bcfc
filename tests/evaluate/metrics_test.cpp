#include "core/evaluate/metrics.h"

#include <QtTest>

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

using namespace receiptbench;

namespace {

std::vector<std::int64_t> balancedLabels(std::int64_t count, std::int64_t classes) {
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < count; ++i) {
        labels.push_back(i % classes);
    }
    return labels;
}

// `right` of `count` predictions hit their label, in this order.
Predictions someRight(std::int64_t count, std::int64_t right) {
    auto labels = balancedLabels(count, 2);
    std::vector<float> logits;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t said = i < right ? labels[static_cast<std::size_t>(i)]
                                            : 1 - labels[static_cast<std::size_t>(i)];
        logits.push_back(said == 0 ? 2.0F : 0.0F);
        logits.push_back(said == 1 ? 2.0F : 0.0F);
    }
    return fromLogits(logits, labels, 2);
}

}  // namespace

class MetricsTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    // Case D16: counts, not the mean of batch means.
    void accuracyCountsExamples() {
        const auto metrics = computeMetrics(someRight(100, 94), 0);
        QCOMPARE(metrics.correct, 94);
        QCOMPARE(*metrics.accuracy, 0.94);
        QCOMPARE(*computeMetrics(someRight(522, 393), 0).accuracy, 393.0 / 522.0);
    }

    // Case D17: ties go to the lowest index and constants score by chance.
    void constantOutputsScoreByChance() {
        const auto metrics =
            computeMetrics(fromLogits(std::vector<float>(90, 0.0F), balancedLabels(30, 3), 3), 0);
        QCOMPARE(*metrics.accuracy, 10.0 / 30.0);
        QCOMPARE(*metrics.classes[0].recall, 1.0);
        QCOMPARE(*metrics.classes[1].recall, 0.0);
        QCOMPARE(*metrics.classes[2].recall, 0.0);
        QVERIFY(!metrics.classes[1].precision);
        QCOMPARE(*metrics.auroc, 0.5);
    }

    void notANumberIsInvalidAndNeverClassZero() {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const auto metrics =
            computeMetrics(fromLogits(std::vector<float>(90, nan), balancedLabels(30, 3), 3), 0);
        QCOMPARE(metrics.correct, 0);
        QCOMPARE(metrics.invalid, 30);
        QCOMPARE(metrics.classes[0].predicted, 0);
        QVERIFY(!metrics.nll);
        QVERIFY(!metrics.auroc);
        const float inf = std::numeric_limits<float>::infinity();
        QCOMPARE(computeMetrics(fromLogits({inf, 0.0F}, {0}, 2), 0).invalid, 1);
    }

    void undefinedValuesAreLeftOut() {
        // Class 2 has no examples and is predicted once; class 1 is never predicted.
        const auto metrics =
            computeMetrics(fromLogits({3, 0, 0, 0, 0, 3, 3, 0, 0}, {0, 0, 1}, 3), 0);
        QVERIFY(!metrics.classes[2].recall);
        QCOMPARE(*metrics.classes[2].f1, 0.0);
        QVERIFY(!metrics.classes[1].precision);
        QCOMPARE(*metrics.classes[1].f1, 0.0);
        QCOMPARE(*metrics.balancedAccuracy, (0.5 + 0.0) / 2);
        QCOMPARE(metrics.confusion[0][2], 1);
    }

    void nothingToEvaluate() {
        const auto metrics = computeMetrics(fromLogits({}, {}, 3), 0);
        QVERIFY(!metrics.accuracy);
        QVERIFY(!metrics.macroF1);
        QCOMPARE(metrics.examples, 0);
    }

    void confidentlyWrongStaysFinite() {
        const auto metrics = computeMetrics(fromLogits({-1000.0F, 1000.0F}, {0}, 2), 0);
        QVERIFY(std::isfinite(*metrics.nll));
        QVERIFY(*metrics.nll > 700);
    }

    void misshapedIsRefused() {
        QVERIFY_EXCEPTION_THROWN(fromLogits({1, 2, 3}, {0, 1}, 2), Error);
        QVERIFY_EXCEPTION_THROWN(fromLogits({1, 2, 3, 4}, {0, 2}, 2), Error);
    }

    // The closed formula worked out separately in Python with z = 1.959963984540054.
    void wilsonInterval() {
        const auto interval = wilson(63, 90);
        QVERIFY(std::abs(interval.low - 0.598734894751539) < 1e-12);
        QVERIFY(std::abs(interval.high - 0.7848908550227303) < 1e-12);
        QCOMPARE(wilson(0, 12).low, 0.0);
        QCOMPARE(wilson(12, 12).high, 1.0);
        QCOMPARE(wilson(0, 0).high, 1.0);
    }

    void jsonRoundTrip() {
        const auto metrics =
            computeMetrics(fromLogits({3, 0, 0, 0, 0, 3, 3, 0, 0}, {0, 0, 1}, 3), 0);
        const nlohmann::json json = metrics;
        QVERIFY(json["classes"][2]["recall"].is_null());
        QVERIFY(nlohmann::json(json.get<Metrics>()) == json);
    }
};

QTEST_APPLESS_MAIN(MetricsTest)
#include "metrics_test.moc"
