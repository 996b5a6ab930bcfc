#include "core/report/report.h"

#include <QtTest>

#include <QTemporaryDir>

#include "core/base/error.h"
#include "core/contract/contract.h"
#include "core/runs/run_directory.h"

using namespace receiptbench;

namespace {

UpdateRecord updateRow(std::int64_t number, std::int64_t accepted, bool applied) {
    UpdateRecord record;
    record.update = number;
    record.accepted = accepted;
    record.classMix = {accepted - 5, 5};
    record.wasApplied = applied;
    record.skipReason = applied ? "" : "non-finite gradients";
    record.nonFiniteElements = applied ? 0 : 3;
    record.loss = 1.0 / static_cast<double>(number);
    record.seconds.forward = 0.1;
    record.seconds.backward = 0.2;
    record.seconds.checkpoint = 5;  // must not slow the stated rate
    record.memory.total = 1000 * number;
    return record;
}

// A project with a contract and one run, written through the product's own code.
void writeProject(const std::string& folder, std::int64_t secondAccepted) {
    auto& files = posixFileSystem();
    files.makeDirectories(folder + "/frozen");
    ExperimentContract contract;
    contract.labels = LabelMap({"readable", "blurred"});
    contract.trainExamples = 94;
    contract.validationExamples = 20;
    saveContract(files, folder + "/frozen/contract.json", contract, {});
    RunDescription description;
    description.contractHash = contractHash(contract);
    description.plan.microbatch = 16;
    const auto run = createRun(files, folder, "fp32", description);
    EventLog events(files, joinPath(run, "events.jsonl"));
    for (const auto& record : {updateRow(1, 47, true), updateRow(2, secondAccepted, false)}) {
        events.append("update", {{"record", record}});
    }
    events.append("end", {{"state", "finished"}});
}

}  // namespace

class ReportTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void ledgerIsRecomputedFromTheRecords() {
        QTemporaryDir folder;
        writeProject(folder.path().toStdString(), 47);
        const auto report = gatherReport(posixFileSystem(), folder.path().toStdString());
        const auto& ledger = report.at("runs").at(0).at("ledger");
        QCOMPARE(ledger.at("attempted").get<int>(), 2);
        QCOMPARE(ledger.at("applied").get<int>(), 1);
        QCOMPARE(ledger.at("skipped").get<int>(), 1);
        QCOMPARE(ledger.at("updatesWithNonFiniteGradients").get<int>(), 1);
        QCOMPARE(ledger.at("acceptedExamples").get<int>(), 94);
        QVERIFY(ledger.at("classMix") == nlohmann::json({84, 10}));
        QCOMPARE(ledger.at("peakAtUpdate").get<int>(), 2);
        QVERIFY(std::abs(ledger.at("examplesPerSecond").get<double>() - 47 / 0.3) < 1e-6);
        QCOMPARE(report.at("runs").at(0).at("updates").size(), 2U);
    }

    void aShortUpdateShowsInTheMarkdown() {
        QTemporaryDir folder;
        writeProject(folder.path().toStdString(), 32);
        const auto text =
            markdownReport(gatherReport(posixFileSystem(), folder.path().toStdString()));
        QVERIFY(text.find("| 32-47 |") != std::string::npos);
        QVERIFY(text.find("non-finite gradients") != std::string::npos);
        QVERIFY(text.find("No comparison: ") != std::string::npos);
    }

    void textFromFilesIsNotInterpreted() {
        QTemporaryDir folder;
        writeProject(folder.path().toStdString(), 47);
        auto report = gatherReport(posixFileSystem(), folder.path().toStdString());
        report["runs"][0]["name"] = "<b>|[x](y)\n";
        const auto text = markdownReport(report);
        QVERIFY(text.find("\\<b\\>\\|\\[x\\](y)\\\\n") != std::string::npos);
        QVERIFY(text.find("<b>") == std::string::npos);
    }

    void aProjectThatIsNotFrozenIsNamed() {
        QTemporaryDir folder;
        QVERIFY_EXCEPTION_THROWN(gatherReport(posixFileSystem(), folder.path().toStdString()),
                                 Error);
    }
};

QTEST_APPLESS_MAIN(ReportTest)
#include "report_test.moc"
