#include "core/evaluate/verdict.h"

#include <QtTest>

#include <algorithm>

#include <nlohmann/json.hpp>

using namespace receiptbench;

namespace {

constexpr std::int64_t kUpdates = 3;

RunFacts goodRun(const std::string& name) {
    RunFacts facts;
    facts.name = name;
    facts.contractHash = "abc";
    facts.validationDigest = "val";
    facts.device = "cpu";
    facts.memoryLimit = 1000;
    facts.peakBytes = 900;
    facts.attempted = facts.applied = facts.contractUpdates = kUpdates;
    facts.acceptedPerUpdate.assign(kUpdates, 47);
    facts.classMixPerUpdate.assign(kUpdates, {16, 16, 15});
    facts.idsDigestPerUpdate = {"1", "2", "3"};
    facts.finished = true;
    facts.gradientCheckPassed = facts.wrongRunCaught = facts.recoveryProven = true;
    facts.metrics.examples = 90;
    facts.metrics.correct = 80;
    return facts;
}

std::vector<ThresholdChange> noChanges() {
    ThresholdChange change;
    change.label = "all";
    change.examples = 90;
    change.mcnemarP = change.holmP = 1.0;
    return {change};
}

Verdict judged(const RunFacts& candidate, Interval difference = {-0.01, 0.01}) {
    return judge(goodRun("fp32"), candidate, 47, 0.02, difference, noChanges());
}

const Rule& rule(const Verdict& verdict, const std::string& name) {
    return *std::find_if(verdict.rules.begin(), verdict.rules.end(),
                         [&](const Rule& one) { return one.name == name; });
}

}  // namespace

class VerdictTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void aFaithfulRunIsPreserved() {
        const auto verdict = judged(goodRun("bf16"));
        QVERIFY(verdict.outcome == Outcome::Preserved);
        QVERIFY(verdict.words.find("80/90") != std::string::npos);
    }

    // The memory error is gone, and so are some examples: never a success.
    void fewerAcceptedExamplesAreNamed() {
        auto facts = goodRun("bf16");
        facts.acceptedPerUpdate[1] = 32;
        const auto verdict = judged(facts);
        QVERIFY(verdict.outcome == Outcome::NotPreserved);
        QVERIFY(verdict.words.find("accepted examples per update") != std::string::npos);
        QVERIFY(
            rule(verdict, "accepted examples per update").figures.find("differs from update 2") !=
            std::string::npos);
    }

    void anotherClassMixIsNamed() {
        auto facts = goodRun("bf16");
        facts.classMixPerUpdate[2] = {17, 15, 15};
        QVERIFY(judged(facts).outcome == Outcome::NotPreserved);
        QVERIFY(judged(facts).words.find("class mix") != std::string::npos);
    }

    void everyRuleDecides_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("name");
        const char* names[] = {"same examples in each update",
                               "gradient check",
                               "wrong gradient caught",
                               "memory within the budget",
                               "ledger adds up",
                               "loss normalised by accepted examples",
                               "no deliberate overflow",
                               "recovery proven"};
        for (int i = 0; i < 8; ++i) {
            QTest::newRow(names[i]) << i << names[i];
        }
    }
    void everyRuleDecides() {
        QFETCH(int, which);
        QFETCH(QString, name);
        auto facts = goodRun("bf16");
        switch (which) {
            case 0:
                facts.idsDigestPerUpdate[0] = "other";
                break;
            case 1:
                facts.gradientCheckPassed = false;
                break;
            case 2:
                facts.wrongRunCaught = false;
                break;
            case 3:
                facts.peakBytes = 1001;
                break;
            case 4:
                facts.skipped = 1;
                break;
            case 5:
                facts.wrongNormalisation = true;
                break;
            case 6:
                facts.deliberateOverflow = true;
                break;
            default:
                facts.recoveryProven = false;
                break;
        }
        const auto verdict = judged(facts);
        QVERIFY(verdict.outcome == Outcome::NotPreserved);
        QVERIFY(rule(verdict, name.toStdString()).state == Rule::State::Failed);
        QVERIFY(verdict.words.find(name.toStdString()) != std::string::npos);
    }

    void otherExperimentsCannotBeCompared() {
        auto facts = goodRun("bf16");
        facts.contractHash = "other";
        QVERIFY(judged(facts).outcome == Outcome::NotComparable);
        facts = goodRun("bf16");
        facts.validationDigest = "other";
        QVERIFY(judged(facts).outcome == Outcome::NotComparable);
        facts = goodRun("bf16");
        facts.startedFromWeights = true;
        QVERIFY(judged(facts).outcome == Outcome::NotComparable);
        facts = goodRun("bf16");
        facts.finished = false;
        QVERIFY(judged(facts).outcome == Outcome::NotComparable);
        facts = goodRun("bf16");
        facts.gradientCheckPassed.reset();
        QVERIFY(judged(facts).outcome == Outcome::NotComparable);
        QVERIFY(judged(facts).words.find("gradient check is missing") != std::string::npos);
        // What failed besides is not the reason.
        const auto words = judged(facts, {-0.5, -0.4}).words;
        QVERIFY2(words.find("gradient check is missing") != std::string::npos &&
                     words.find("inferior") == std::string::npos,
                 words.c_str());
    }

    void theMarginIsInclusive() {
        QVERIFY(judged(goodRun("bf16"), {-0.02, 0.0}).outcome == Outcome::Preserved);
        QVERIFY(judged(goodRun("bf16"), {-0.03, 0.0}).outcome == Outcome::NotPreserved);
    }

    void anotherBudgetWithholdsTheMemoryVerdict() {
        auto facts = goodRun("bf16");
        facts.memoryLimit = 2000;
        QVERIFY(rule(judged(facts), "memory within the budget").state == Rule::State::NotJudged);
        QVERIFY(judged(facts).outcome == Outcome::Preserved);
    }

    void anUndrilledRecoveryIsSaid() {
        auto facts = goodRun("bf16");
        facts.recoveryProven.reset();
        QVERIFY(judged(facts).words.find("recovery was not drilled") != std::string::npos);
    }

    void aClearShiftAtTheThresholdIsNotPreserved() {
        auto changes = noChanges();
        changes[0].holmP = 0.01;
        changes[0].words = "fewer accepted, p = 0.01";
        const auto verdict = judge(goodRun("fp32"), goodRun("bf16"), 47, 0.02, {0, 0}, changes);
        QVERIFY(verdict.outcome == Outcome::NotPreserved);
    }

    void bootstrapIsAFunctionOfTheSeed() {
        Predictions baseline{2, {}, {}}, candidate{2, {}, {}};
        for (int i = 0; i < 200; ++i) {
            baseline.labels.push_back(i % 2);
            const bool wrong = i % 10 == 0;
            for (auto* predictions : {&baseline, &candidate}) {
                const bool hit = predictions == &baseline || !wrong;
                const int said = hit ? i % 2 : 1 - i % 2;
                predictions->probabilities.push_back(said == 0 ? 0.9 : 0.1);
                predictions->probabilities.push_back(said == 0 ? 0.1 : 0.9);
            }
        }
        candidate.labels = baseline.labels;
        const auto first = pairedAccuracyDifference(baseline, candidate, 83);
        const auto again = pairedAccuracyDifference(baseline, candidate, 83);
        QCOMPARE(first.low, again.low);
        QCOMPARE(first.high, again.high);
        QVERIFY(first.low < -0.1 && first.high > -0.1);
        QVERIFY(first.low > -0.2 && first.high < 0.0);
        const auto same = pairedAccuracyDifference(baseline, baseline, 83);
        QCOMPARE(same.low, 0.0);
        QCOMPARE(same.high, 0.0);
    }

    void jsonRoundTrip() {
        const nlohmann::json json = judged(goodRun("bf16"));
        QVERIFY(nlohmann::json(json.get<Verdict>()) == json);
    }
};

QTEST_APPLESS_MAIN(VerdictTest)
#include "verdict_test.moc"
