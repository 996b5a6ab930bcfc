// The session runs jobs on its thread and tells what the ledger on disk says.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include "core/checkpoint/store.h"
#include "tests/workbench/tiny_project.h"
#include "ui/session.h"

namespace receiptbench {

class SessionTest : public QObject {
    Q_OBJECT

 private:
    static constexpr int kPatience = 60000;  // milliseconds
    QTemporaryDir folder_;
    int number_ = 0;

    std::string freshProject(const FreezeRequest& request = tinyRequest()) {
        const auto path = folder_.filePath(QStringLiteral("p%1").arg(++number_)).toStdString();
        tinyProject(path, request);
        return path;
    }
    static FreezeRequest longRequest() {
        auto request = tinyRequest();
        request.contract.updates = 100000;
        return request;
    }
    static RunHistory ledger(const Session& session, const std::string& run) {
        return readHistory(posixFileSystem(), session.project()->paths().run(run));
    }
    static void compareRecords(const std::vector<UpdateRecord>& shown,
                               const std::vector<UpdateRecord>& stored) {
        QCOMPARE(shown.size(), stored.size());
        for (std::size_t i = 0; i < shown.size(); ++i) {
            QCOMPARE(nlohmann::json(shown[i]).dump(), nlohmann::json(stored[i]).dump());
        }
    }

 private Q_SLOTS:
    void initTestCase();
    void showsWhatTheLedgerHolds();
    void resumedRunIsShownFromItsFirstUpdate();
    void stopEndsAtTheBoundary();
    void failingJobTellsErrorAndRemedy();
    void anEditedContractFailsEveryJob();
    void aRunOfAnotherProgramIsWatched();
    void secondJobIsRefused();
    void finishedJobBringsTheComparison();
    void openingWhatIsNoProjectIsRefused();
    void selectionAndTicks();
    void destroyingStopsTheJob();
};

void SessionTest::initTestCase() {
    QVERIFY(folder_.isValid());
}

void SessionTest::showsWhatTheLedgerHolds() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(freshProject())));
    QSignalSpy live(&session, &Session::liveUpdated);
    QSignalSpy reset(&session, &Session::liveReset);
    QVERIFY(session.startTraining(tinyRun()));
    QVERIFY(session.busy());
    QVERIFY(session.waitForIdle(kPatience));
    QCOMPARE(session.job().state, JobState::Finished);
    QVERIFY(!session.job().stopped);
    QCOMPARE(session.job().done, std::int64_t{6});
    QCOMPARE(session.live().name, std::string("fp32"));
    QCOMPARE(session.live().updatesPlanned, std::int64_t{6});
    QVERIFY(session.live().check && session.live().check->passed());
    QVERIFY(live.count() >= 1);
    QCOMPARE(reset.count(), 1);
    const auto history = ledger(session, "fp32");
    compareRecords(session.live().updates, history.updates);
    QCOMPARE(session.live().memory.size(), history.memory.size());
    for (std::size_t i = 0; i < history.memory.size(); ++i) {
        QCOMPARE(nlohmann::json(session.live().memory[i]).dump(),
                 nlohmann::json(history.memory[i]).dump());
    }
    QCOMPARE(session.selectedRun(), QStringLiteral("fp32"));
    QVERIFY(session.commandLine().contains(QStringLiteral("train --project")));
}

void SessionTest::resumedRunIsShownFromItsFirstUpdate() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(freshProject())));
    auto request = tinyRun();
    request.stopAfter = 4;
    QVERIFY(session.startTraining(request));
    QVERIFY(session.waitForIdle(kPatience));
    QCOMPARE(session.live().updates.size(), std::size_t{4});
    QVERIFY(session.startResume({"fp32", {}, {}, {}, {}, {}, true}));
    QVERIFY(session.waitForIdle(kPatience));
    QCOMPARE(session.job().state, JobState::Finished);
    compareRecords(session.live().updates, ledger(session, "fp32").updates);
    QCOMPARE(session.live().updates.size(), std::size_t{6});
}

void SessionTest::stopEndsAtTheBoundary() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(freshProject(longRequest()))));
    QVERIFY(session.startTraining(tinyRun()));
    QTRY_VERIFY_WITH_TIMEOUT(session.live().updates.size() >= 5, kPatience);
    session.stop();
    QCOMPARE(session.job().state, JobState::Stopping);  // at once
    QVERIFY(session.waitForIdle(5000));
    QCOMPARE(session.job().state, JobState::Finished);
    QVERIFY(session.job().stopped);
    const auto updates = session.live().updates.back().update;
    const auto recovery = recoverCheckpoint(
        posixFileSystem(), joinPath(session.project()->paths().run("fp32"), "checkpoints"),
        session.project()->contract().hash);
    QVERIFY(recovery.chosen.has_value());
    QCOMPARE(recovery.state.values.attempted, updates);
    QVERIFY(recovery.rejected.empty());
    QVERIFY(session.runs().at(0).state == RunState::Stopped);
}

void SessionTest::failingJobTellsErrorAndRemedy() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(freshProject())));
    QVERIFY(session.startTraining(tinyRun(Precision::Bf16)));  // there is no baseline
    QVERIFY(session.waitForIdle(kPatience));
    QCOMPARE(session.job().state, JobState::Failed);
    QVERIFY(!session.job().error.isEmpty());
    QVERIFY(!session.job().remedy.isEmpty());
    const auto& line = session.log().back();
    QVERIFY(line.problem);
    QVERIFY(line.text.contains(session.job().error));
    QCOMPARE(line.remedy, session.job().remedy);
    QVERIFY(line.fixAt == Mode::Configure);
}

// The job that meets it fails with its words, so that the page that waits for it can show them.
void SessionTest::anEditedContractFailsEveryJob() {
    Session session(RECEIPTBENCH_PROGRAM);
    const auto folder = freshProject();
    QVERIFY(session.openProject(QString::fromStdString(folder)));
    const auto path = ProjectPaths{folder}.contract();
    auto text = readText(posixFileSystem(), path);
    text.replace(text.find("\"updates\": 6"), 12, "\"updates\": 7");
    posixFileSystem().remove(path);
    writeAtomically(posixFileSystem(), path, text);
    QVERIFY(session.startTraining(tinyRun()));
    QVERIFY(session.waitForIdle(kPatience));
    QCOMPARE(session.job().state, JobState::Failed);
    QVERIFY2(session.job().error.contains(QStringLiteral("contract")),
             qPrintable(session.job().error));
    QVERIFY(session.startCompare());
    QVERIFY(session.waitForIdle(kPatience));
    QCOMPARE(session.job().state, JobState::Failed);
}

void SessionTest::aRunOfAnotherProgramIsWatched() {
    const auto folder = freshProject();
    const auto project = Project::open(posixFileSystem(), folder);
    auto request = tinyRun();
    request.stopAfter = 2;
    train(project, request);
    auto held = lockRun(posixFileSystem(), project.paths().run("fp32"));
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(folder)));
    QVERIFY(session.runs().at(0).state == RunState::Running);
    held.reset();
    QTRY_VERIFY_WITH_TIMEOUT(session.runs().at(0).state != RunState::Running, 20000);
}

void SessionTest::secondJobIsRefused() {
    Session session(RECEIPTBENCH_PROGRAM);
    const auto folder = QString::fromStdString(freshProject(longRequest()));
    QVERIFY(session.openProject(folder));
    QVERIFY(session.startTraining(tinyRun()));
    const auto command = session.commandLine();
    QVERIFY(!session.startCompare());
    QVERIFY(!session.openProject(folder));
    QVERIFY(session.log().back().problem);
    QCOMPARE(session.commandLine(), command);
    QCOMPARE(session.job().kind, JobKind::Train);
    session.stop();
    QVERIFY(session.waitForIdle(kPatience));
    QVERIFY(
        session.startOther(QStringLiteral("Nothing"), [](Progress&, const CancelToken&) {}, {}));
    QVERIFY(session.waitForIdle(kPatience));
}

void SessionTest::finishedJobBringsTheComparison() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(freshProject())));
    QVERIFY(!session.comparison());
    QSignalSpy changed(&session, &Session::comparisonChanged);
    QVERIFY(session.startTraining(tinyRun()));
    QVERIFY(session.waitForIdle(kPatience));
    QVERIFY(session.startTraining(tinyRun(Precision::Bf16)));
    QVERIFY(session.waitForIdle(kPatience));
    QVERIFY(session.comparison().has_value());
    QCOMPARE(session.comparison()->runs.size(), std::size_t{1});
    QVERIFY(changed.count() >= 2);
    QCOMPARE(session.runIndex(QStringLiteral("bf16")), 1);
    QCOMPARE(session.runIndex(QStringLiteral("nobody")), -1);
}

void SessionTest::openingWhatIsNoProjectIsRefused() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(!session.openProject(folder_.filePath(QStringLiteral("nothing"))));
    QVERIFY(session.project() == nullptr);
    QVERIFY(session.log().back().problem);
    QVERIFY(session.projectFolder().isEmpty());
}

void SessionTest::selectionAndTicks() {
    Session session(RECEIPTBENCH_PROGRAM);
    QSignalSpy run(&session, &Session::selectedRunChanged);
    QSignalSpy all(&session, &Session::selectionChanged);
    session.selectRun(QStringLiteral("fp32"));
    session.selectRun(QStringLiteral("fp32"));
    session.selectUpdate(QStringLiteral("fp32"), 3);
    QCOMPARE(run.count(), 1);
    QCOMPARE(all.count(), 2);
    QCOMPARE(session.selection().update, std::int64_t{3});
    QVERIFY(session.isDrawn(QStringLiteral("fp32")));
    session.setDrawn(QStringLiteral("fp32"), false);
    QVERIFY(!session.isDrawn(QStringLiteral("fp32")));
}

void SessionTest::destroyingStopsTheJob() {
    const auto folder = freshProject(longRequest());
    {
        Session session(RECEIPTBENCH_PROGRAM);
        QVERIFY(session.openProject(QString::fromStdString(folder)));
        QVERIFY(session.startTraining(tinyRun()));
        QTRY_VERIFY_WITH_TIMEOUT(session.live().updates.size() >= 3, kPatience);
    }
    const auto runs = listRuns(posixFileSystem(), folder);
    QVERIFY(runs.at(0).state == RunState::Stopped);
    QVERIFY(recoverCheckpoint(posixFileSystem(), joinPath(runs.at(0).folder, "checkpoints"), "")
                .chosen.has_value());
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::SessionTest)
#include "session_test.moc"
