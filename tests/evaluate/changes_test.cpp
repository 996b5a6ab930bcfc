#include "core/evaluate/changes.h"

#include <QtTest>

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

using namespace receiptbench;

namespace {

// Two classes; p is the probability of class 0, the accept label.
Predictions of(const std::vector<std::int64_t>& labels, const std::vector<double>& accept) {
    Predictions predictions{2, labels, {}};
    for (const double p : accept) {
        predictions.probabilities.push_back(p);
        predictions.probabilities.push_back(1 - p);
    }
    return predictions;
}

const LabelMap kLabels({"readable", "blurred"});
const ThresholdRule kRule{0, 0.5, 0.05};

}  // namespace

class ChangesTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void countsByClass() {
        const auto changes =
            thresholdChanges(of({0, 0, 0, 1}, {0.52, 0.9, 0.49, 0.3}),
                             of({0, 0, 0, 1}, {0.48, 0.8, 0.5, 0.3}), kLabels, kRule);
        QCOMPARE(changes.size(), 3U);
        QCOMPARE(changes[0].acceptToReject, 1);
        QCOMPARE(changes[0].rejectToAccept, 1);  // exactly at the threshold is accepted
        QCOMPARE(changes[0].nearThreshold, 2);
        QCOMPARE(changes[0].flipped, (std::vector<std::int64_t>{0, 2}));
        QVERIFY(std::abs(*changes[0].largestChange - 0.1) < 1e-12);
        QCOMPARE(changes[1].acceptToReject + changes[1].rejectToAccept, 0);
        QCOMPARE(changes[2].label, std::string("all"));
        QCOMPARE(changes[2].examples, 4);
        QCOMPARE(changes[0].words, std::string("3 images: too few to tell"));
    }

    void aClearShiftIsSaid() {
        const std::vector<std::int64_t> labels(40, 0);
        std::vector<double> before(40, 0.9), after(40, 0.9);
        for (std::size_t i = 0; i < 12; ++i) {
            after[i] = 0.1;
        }
        const auto changes =
            thresholdChanges(of(labels, before), of(labels, after), kLabels, kRule);
        QCOMPARE(changes[0].acceptToReject, 12);
        QCOMPARE(*changes[0].mcnemarP, 2 * std::pow(0.5, 12));
        QVERIFY(changes[0].words.starts_with("fewer accepted, p = 0.0004"));
        QVERIFY(thresholdChanges(of(labels, after), of(labels, before), kLabels, kRule)[0]
                    .words.starts_with("more accepted"));
        QCOMPARE(thresholdChanges(of(labels, before), of(labels, before), kLabels, kRule)[0].words,
                 std::string("no change"));
    }

    void anAbsentClassHasNoFigures() {
        const auto changes = thresholdChanges(of({0}, {0.9}), of({0}, {0.9}), kLabels, kRule);
        QVERIFY(!changes[1].mcnemarP && !changes[1].changedShare && !changes[1].largestChange);
        QCOMPARE(changes[1].words, std::string("no images"));
    }

    void invalidPredictionsAreCountedApart() {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const auto changes =
            thresholdChanges(of({0, 0}, {0.9, 0.9}), of({0, 0}, {nan, 0.9}), kLabels, kRule);
        QCOMPARE(changes[0].invalid, 1);
        QVERIFY(changes[0].flipped.empty());
        QCOMPARE(changes[0].words, std::string("1 invalid predictions"));
    }

    void otherLabelsAreRefused() {
        QVERIFY_EXCEPTION_THROWN(thresholdChanges(of({0}, {0.9}), of({1}, {0.9}), kLabels, kRule),
                                 Error);
    }

    void mcnemarIsExact() {
        QCOMPARE(mcnemarExact(0, 0), 1.0);
        QCOMPARE(mcnemarExact(0, 6), 2 * std::pow(0.5, 6));
        QCOMPARE(mcnemarExact(6, 0), mcnemarExact(0, 6));
        QCOMPARE(mcnemarExact(3, 3), 1.0);
    }

    void holmOrdersTheClasses() {
        std::vector<std::int64_t> labels(60, 0);
        std::fill(labels.begin() + 30, labels.end(), 1);
        std::vector<double> before(60, 0.9), after = before;
        std::fill(after.begin(), after.begin() + 7, 0.1);        // p = 2/128
        std::fill(after.begin() + 30, after.begin() + 36, 0.1);  // p = 2/64
        const auto changes =
            thresholdChanges(of(labels, before), of(labels, after), kLabels, kRule);
        QCOMPARE(*changes[0].holmP, 2 * 2.0 / 128);
        QCOMPARE(*changes[1].holmP, 2.0 / 64);
    }

    void jsonRoundTrip() {
        const auto change =
            thresholdChanges(of({0, 1}, {0.52, 0.3}), of({0, 1}, {0.48, 0.3}), kLabels, kRule)[0];
        const nlohmann::json json = change;
        QVERIFY(nlohmann::json(json.get<ThresholdChange>()) == json);
        QCOMPARE(json.at("nearThreshold"), 1);
        QCOMPARE(json.at("nearThresholdOf"), "baseline");
    }
};

QTEST_APPLESS_MAIN(ChangesTest)
#include "changes_test.moc"
