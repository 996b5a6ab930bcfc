// The metrics cases of the parity folder: what NumPy and SciPy compute for two runs' probabilities.
#include <QtTest>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/evaluate/changes.h"
#include "tests/support/shared_dir.h"

using namespace receiptbench;

namespace {

constexpr double kTolerance = 1e-9;

std::string parityDir() {
    const char* given = std::getenv("RECEIPTBENCH_PARITY_DIR");
    return given != nullptr ? given : sharedDir() + "/parity";
}

Predictions predictionsOf(const nlohmann::json& json, const char* run) {
    Predictions predictions{json.at("classes").get<std::int64_t>(),
                            json.at("labels").get<std::vector<std::int64_t>>(),
                            {}};
    for (const auto& row : json.at(run)) {
        for (const auto& p : row) {
            predictions.probabilities.push_back(p.get<double>());
        }
    }
    return predictions;
}

bool agrees(const std::optional<double>& ours, const nlohmann::json& theirs) {
    if (theirs.is_null()) {
        return !ours;
    }
    return ours && std::abs(*ours - theirs.get<double>()) <= kTolerance;
}

void compareMetrics(const Metrics& metrics, const nlohmann::json& expected) {
    QVERIFY(agrees(metrics.accuracy, expected.at("accuracy")));
    QVERIFY(agrees(metrics.balancedAccuracy, expected.at("balanced_accuracy")));
    QVERIFY(agrees(metrics.macroF1, expected.at("macro_f1")));
    QVERIFY(agrees(metrics.nll, expected.at("nll")));
    QVERIFY(agrees(metrics.brier, expected.at("brier")));
    QVERIFY(agrees(metrics.ece, expected.at("ece_15")));
    QVERIFY(agrees(metrics.auroc, expected.at("auroc_accept_label")));
    QVERIFY(agrees(metrics.averagePrecision, expected.at("average_precision_accept_label")));
    QVERIFY(nlohmann::json(metrics.confusion) == expected.at("confusion"));
    for (std::size_t c = 0; c < metrics.classes.size(); ++c) {
        QCOMPARE(metrics.classes[c].support, expected.at("support")[c].get<std::int64_t>());
        QVERIFY(agrees(metrics.classes[c].precision, expected.at("precision")[c]));
        QVERIFY(agrees(metrics.classes[c].recall, expected.at("recall")[c]));
        QVERIFY(agrees(metrics.classes[c].f1, expected.at("f1")[c]));
    }
}

void compareChange(const ThresholdChange& change, const nlohmann::json& expected) {
    QCOMPARE(change.examples, expected.at("n").get<std::int64_t>());
    QCOMPARE(change.acceptToReject, expected.at("accept_to_reject").get<std::int64_t>());
    QCOMPARE(change.rejectToAccept, expected.at("reject_to_accept").get<std::int64_t>());
    QCOMPARE(change.nearThreshold, expected.at("near_threshold").get<std::int64_t>());
    QCOMPARE(change.argmaxChanges, expected.at("argmax_changed").get<std::int64_t>());
    QVERIFY(agrees(change.largestChange, expected.at("max_abs_delta")));
    QVERIFY(agrees(change.meanChange, expected.at("mean_abs_delta")));
    QVERIFY(agrees(change.mcnemarP, expected.at("mcnemar_exact_p")));
    const auto low =
        change.changedShare ? std::optional<double>(change.changedShare->low) : std::nullopt;
    const auto high =
        change.changedShare ? std::optional<double>(change.changedShare->high) : std::nullopt;
    QVERIFY(agrees(low, expected.at("changed_low")));
    QVERIFY(agrees(high, expected.at("changed_high")));
}

}  // namespace

class ParityTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void metricsCases() {
        if (std::getenv("RECEIPTBENCH_PARITY_DIR") == nullptr) {
            REQUIRE_SHARED("parity");
        }
        int cases = 0;
        for (const auto& entry : std::filesystem::directory_iterator(parityDir())) {
            if (entry.path().extension() != ".json") {
                continue;
            }
            std::ifstream stream(entry.path());
            const auto json = nlohmann::json::parse(stream);
            if (json.at("kind") == "metrics") {
                ++cases;
                compareCase(json);
                if (QTest::currentTestFailed()) {
                    QFAIL(entry.path().c_str());
                }
            }
        }
        QVERIFY(cases > 0);
    }

 private:
    static void compareCase(const nlohmann::json& json) {
        const auto baseline = predictionsOf(json, "baseline"),
                   candidate = predictionsOf(json, "candidate");
        const ThresholdRule rule{json.at("accept_label").get<std::int64_t>(),
                                 json.at("threshold").get<double>(), json.at("band").get<double>()};
        const auto& expected = json.at("expected");
        compareMetrics(computeMetrics(baseline, rule.acceptIndex), expected);
        std::vector<std::string> names;
        for (std::int64_t c = 0; c < baseline.classes; ++c) {
            names.push_back(std::to_string(c));
        }
        const auto changes = thresholdChanges(baseline, candidate, LabelMap(names), rule);
        for (const auto& row : expected.at("threshold_changes")) {
            compareChange(changes.at(row.at("label").get<std::size_t>()), row);
        }
    }
};

QTEST_APPLESS_MAIN(ParityTest)
#include "parity_test.moc"
