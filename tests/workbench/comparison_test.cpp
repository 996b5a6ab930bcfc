#include "core/workbench/comparison.h"

#include <QtTest>

#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include "core/report/report.h"
#include "core/workbench/reporting.h"
#include "tests/workbench/tiny_project.h"

using namespace receiptbench;

namespace {

std::string pathIn(const QTemporaryDir& folder, const char* name) {
    return folder.filePath(name).toStdString();
}

void trainWrong(const Project& project) {
    auto wrong = tinyRun();
    wrong.kind = "wrong";
    wrong.normalisation = Normalisation::MeanOfMeans;
    train(project, wrong);
}

}  // namespace

class ComparisonTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void needsABaseline() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        QCOMPARE(errorCodeOf([&] { compareRuns(project); }), static_cast<int>(ErrorCode::Data));
    }

    // No verdict is older than the runs beside it, and the figures agree.
    void theReportComparesAnew() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        QVERIFY(reportOf(project).at("comparisonProblem").get<std::string>().find("baseline") !=
                std::string::npos);
        train(project, tinyRun());
        compareRuns(project);
        train(project, tinyRun(Precision::Bf16));
        auto report = reportOf(project);
        QCOMPARE(report.at("comparison").at("runs").size(), 1U);
        auto stored = predictionsOf(project, "fp32");
        std::fill(stored.logits.begin(), stored.logits.end(), 0.0F);
        stored.logits.front() = 1;
        savePredictions(project.files(), project.paths().run("fp32"), stored);
        report = reportOf(project);
        QCOMPARE(report.at("runs").at(0).at("metrics").at("correct"),
                 report.at("comparison").at("baseline").at("metrics").at("correct"));
        project.files().remove(project.paths().contract());
        auto edited =
            readText(project.files(), joinPath(project.paths().run("fp32"), "contract.json"));
        edited.replace(edited.find("\"updates\": 6"), 12, "\"updates\": 7");
        writeAtomically(project.files(), project.paths().contract(), edited);
        QCOMPARE(errorCodeOf([&] { writeReport(project); }), static_cast<int>(ErrorCode::Data));
    }

    void aContractThatDropsExamplesIsLabelled() {
        QTemporaryDir folder;
        auto request = tinyRequest();
        request.contract.lastUpdate = LastUpdateRule::Drop;
        const auto project = tinyProject(pathIn(folder, "p"), request);
        train(project, tinyRun());
        const auto comparison = compareRuns(project);
        QCOMPARE(comparison.notes.size(), 1U);
        QVERIFY2(comparison.notes[0].find("drops the last") != std::string::npos,
                 comparison.notes[0].c_str());
        const auto markdown = markdownReport(gatherReport(project.files(), project.paths().root));
        QVERIFY(markdown.find("drops the last") != std::string::npos);
    }

    void anotherMicrobatchKeepsEveryLedgerColumn() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        auto other = tinyRun();
        other.name = "other";
        other.microbatch = 3;
        train(project, other);
        const auto comparison = compareRuns(project);
        QCOMPARE(comparison.baseline.name, std::string("fp32"));
        QCOMPARE(comparison.runs.size(), 1U);
        for (const auto& rule : comparison.runs[0].verdict.rules) {
            if (rule.name == "validation not inferior" ||
                rule.name == "acceptance near the threshold") {
                continue;  // few images: not judged here
            }
            QVERIFY2(rule.state != Rule::State::Failed, (rule.name + ": " + rule.figures).c_str());
        }
        QCOMPARE(comparison.runs[0].facts.acceptedPerUpdate, std::vector<std::int64_t>(6, 10));
        QCOMPARE(comparison.runs[0].changes.size(), 4U);  // three classes and all
    }

    void theWrongRunIsCaught() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        trainWrong(project);
        const auto comparison = compareRuns(project);
        QCOMPARE(comparison.runs.size(), 1U);
        const auto& wrong = comparison.runs[0];
        QCOMPARE(wrong.kind, std::string("wrong"));
        QVERIFY(wrong.facts.wrongNormalisation);
        QCOMPARE(wrong.facts.gradientCheckPassed, std::optional<bool>(false));
        QVERIFY(wrong.verdict.outcome == Outcome::NotPreserved);
        QVERIFY(isExpected(wrong));
        const auto stored =
            nlohmann::json::parse(readText(project.files(), project.paths().comparison()));
        QCOMPARE(stored.at("runs").at(0).at("expected").get<std::string>(),
                 std::string("not preserved"));
        // The report shows the comparison that was stored.
        const auto report = gatherReport(project.files(), project.paths().root);
        QVERIFY(report.at("comparison") == stored);
        QVERIFY(markdownReport(report).find("not preserved") != std::string::npos);
    }

    void theWrongRunCutsUnevenly() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        auto request = tinyRun();
        request.normalisation = Normalisation::MeanOfMeans;
        for (const auto& [wanted, taken] :
             std::vector<std::pair<int, int>>{{10, 9}, {5, 4}, {4, 4}, {2, 0}}) {
            request.microbatch = wanted;
            if (taken == 0) {
                QCOMPARE(errorCodeOf([&] { resolvePlan(project, request); }),
                         static_cast<int>(ErrorCode::OverBudget));
            } else {
                QCOMPARE(resolvePlan(project, request).microbatch, taken);
            }
        }
    }

    void anotherContractIsRefusedByField() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        auto request = tinyRequest();
        request.contract.optimizer.learningRate = 0.004;
        const auto other = tinyProject(pathIn(folder, "q"), request);
        train(project, tinyRun());
        train(other, tinyRun());
        std::string message;
        QCOMPARE(errorCodeOf([&] { compareRuns(project, {other.paths().run("fp32")}); }, &message),
                 static_cast<int>(ErrorCode::Data));
        QVERIFY2(message.find("optimizer.learningRate") != std::string::npos, message.c_str());
        QVERIFY(message.find("0.004") != std::string::npos);
    }

    void selectingWritesABundle() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        const auto selected = selectRun(project, "fp32", true);
        const auto& bundle = selected.folder;
        QCOMPARE(selected.checkpoint, std::string("ckpt-g0001-s000000000006.safetensors"));
        const auto content =
            nlohmann::json::parse(readText(project.files(), joinPath(bundle, "bundle.json")));
        QCOMPARE(content.at("contractHash").get<std::string>(), project.contract().hash);
        QCOMPARE(content.at("checkpoint").get<std::string>(), selected.checkpoint);
        QCOMPARE(content.at("labels").size(), 3U);
        QCOMPARE(content.at("preprocessing").at("height").get<int>(), 32);
        const auto weights =
            readSafetensors(project.files(), joinPath(bundle, "weights.safetensors")).tensors;
        QCOMPARE(digestOfTensors(weights), content.at("weightsDigest").get<std::string>());
        QCOMPARE(weights.size(), project.initialWeights().size());
        QVERIFY(digestOfTensors(weights) != project.contract().contract.model.revision);
        selectRun(project, "fp32", true);  // again: replaced
    }

    void selectingRefusesAnotherPopulationAndAWrongRun() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        trainWrong(project);
        std::string message;
        QCOMPARE(errorCodeOf([&] { selectRun(project, "wrong"); }, &message),
                 static_cast<int>(ErrorCode::Data));
        QVERIFY2(message.find("not preserved") != std::string::npos, message.c_str());
        auto predictions = predictionsOf(project, "fp32");
        predictions.validationDigest = std::string(64, 'a');
        savePredictions(project.files(), project.paths().run("fp32"), predictions);
        QCOMPARE(errorCodeOf([&] { selectRun(project, "fp32", true); }, &message),
                 static_cast<int>(ErrorCode::Data));
        QVERIFY2(message.find("aaaaaaaaaaaaaaaa") != std::string::npos, message.c_str());
    }
};

QTEST_APPLESS_MAIN(ComparisonTest)
#include "comparison_test.moc"
