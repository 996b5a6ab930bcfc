// The Recovery page on a tiny project: the tape is the real one, a real child dies, and the replay
// tells what was stored.
#include <csignal>

#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QRadioButton>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/ui/screenshots.h"
#include "tests/ui/window_walk.h"
#include "tests/workbench/tiny_project.h"
#include "ui/recovery/recovery_page.h"
#include "ui/recovery/replay_view.h"
#include "ui/recovery/step_bar.h"
#include "ui/recovery/tape_model.h"
#include "ui/state_pane.h"

namespace receiptbench {

class RecoveryPageTest : public QObject {
    Q_OBJECT

 private:
    static constexpr int kPatience = 120000;  // milliseconds
    QTemporaryDir folder_;
    std::string path_;

    QAbstractItemModel* tape(const RecoveryPage& page) const {
        return page.findChild<QTableView*>(QStringLiteral("tapeTable"))->model();
    }
    static QString cell(const QAbstractItemModel& model, int row, int column) {
        return model.index(row, column).data().toString();
    }
    static QPushButton* button(const RecoveryPage& page, const char* name) {
        return page.findChild<QPushButton*>(QString::fromLatin1(name));
    }
    // Shown with its tape read.
    static void present(RecoveryPage& page, Session& session) {
        page.resize(1000, 720);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QVERIFY(session.waitForIdle(kPatience));
        QTRY_VERIFY(page.update() > 0);
    }

 private Q_SLOTS:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        path_ = folder_.filePath(QStringLiteral("p")).toStdString();
        train(tinyProject(path_), tinyRun());
    }

    void withoutARunItSaysWhatToDo() {
        Session session(RECEIPTBENCH_PROGRAM);
        RecoveryPage page(session, nullptr);
        page.show();
        auto* state = page.findChild<StatePane*>();
        QVERIFY(state->isVisible());
        QCOMPARE(state->title(), QStringLiteral("No project is open"));
        QSignalSpy asked(&session, &Session::modeRequested);
        button(page, "stateButton")->click();
        QCOMPARE(asked.size(), 1);

        const auto empty = folder_.filePath(QStringLiteral("empty")).toStdString();
        tinyProject(empty);
        QVERIFY(session.openProject(QString::fromStdString(empty)));
        QVERIFY(state->isVisible());
        QCOMPARE(state->title(), QStringLiteral("No finished run yet"));
        QVERIFY(!session.busy());
    }

    void theTableIsTheCallTape() {
        Session session(RECEIPTBENCH_PROGRAM);
        QVERIFY(session.openProject(QString::fromStdString(path_)));
        RecoveryPage page(session, nullptr);
        QVERIFY(!session.busy());  // a hidden page starts nothing
        present(page, session);
        const auto expected = callTape(*session.project(), "fp32");
        const auto* model = tape(page);
        QCOMPARE(model->rowCount(), static_cast<int>(expected.size()));
        for (int row = 0; row < model->rowCount(); ++row) {
            const auto& call = expected[static_cast<std::size_t>(row)];
            QCOMPARE(cell(*model, row, TapeModel::Index).toLongLong(), call.index);
            QCOMPARE(cell(*model, row, TapeModel::Call).toStdString(), call.operation);
            QCOMPARE(cell(*model, row, TapeModel::Bytes),
                     call.bytes > 0 ? bytesText(static_cast<std::int64_t>(call.bytes)) : QString());
            QVERIFY(!cell(*model, row, TapeModel::Durable).isEmpty());
            QCOMPARE(cell(*model, row, TapeModel::Inside) == QStringLiteral("–"),
                     call.operation != "write");
        }
        const auto* updates = page.findChild<QComboBox*>(QStringLiteral("recoveryUpdateBox"));
        QCOMPARE(updates->count(), 2);  // 2 is the oldest kept one: 4 and 6 can be cut
        QCOMPARE(updates->itemText(0), QStringLiteral("4"));
        QVERIFY(session.commandLine().contains(QStringLiteral("drill --tape")));
    }

    void pointsFollowTableKeysAndButtons() {
        Session session(RECEIPTBENCH_PROGRAM);
        QVERIFY(session.openProject(QString::fromStdString(path_)));
        RecoveryPage page(session, nullptr);
        present(page, session);
        const auto expected = callTape(*session.project(), "fp32");
        QCOMPARE(page.point(), defaultPoint(expected));
        auto* table = page.findChild<QTableView*>(QStringLiteral("tapeTable"));
        table->setCurrentIndex(table->model()->index(0, TapeModel::After));
        QCOMPARE(page.point(), (DrillPoint{1, CrashWhen::After}));
        QVERIFY(!page.findChild<QRadioButton*>(QStringLiteral("when-inside"))->isEnabled());
        page.findChild<QRadioButton*>(QStringLiteral("when-before"))->click();
        QCOMPARE(page.point(), (DrillPoint{1, CrashWhen::Before}));
        QTest::keyClick(table, Qt::Key_Down);
        QCOMPARE(page.point(), (DrillPoint{2, CrashWhen::Before}));

        // Once the last checkpoint of the run is published nothing is left to compare.
        page.findChild<QComboBox*>(QStringLiteral("recoveryUpdateBox"))->setCurrentIndex(1);
        QVERIFY(button(page, "crashButton")->isEnabled());
        page.choosePoint({firstCall(expected, "rename"), CrashWhen::After});
        QVERIFY(!button(page, "crashButton")->isEnabled());
    }

    void aRealDeathIsProvenMarkedAndReplayed();
    void aDrillThatCannotStartSaysWhy();
    void stepsTellWhatWasRejected();
    void picturesForTheEye();
};

void RecoveryPageTest::aRealDeathIsProvenMarkedAndReplayed() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(path_)));
    RecoveryPage page(session, nullptr);
    present(page, session);
    QVERIFY(!button(page, "replayButton")->isEnabled());
    const auto point = page.point();
    const auto* model = tape(page);
    const int row = static_cast<int>(point.call) - 1;
    QCOMPARE(cell(*model, row, TapeModel::Inside), QStringLiteral("not yet"));

    QTest::mouseClick(button(page, "crashButton"), Qt::LeftButton);
    QVERIFY(session.busy());
    QVERIFY(!button(page, "crashButton")->isEnabled());
    QVERIFY(session.waitForIdle(kPatience));
    QCOMPARE(session.drills().size(), 1U);
    const auto drill = session.drills().front();
    QCOMPARE(drill.childSignal, SIGKILL);
    QCOMPARE(drill.crashedAtCall, point.call);
    QVERIFY(drill.proven);
    QCOMPARE(cell(*model, row, TapeModel::Inside), QStringLiteral("proven"));
    QVERIFY(page.findChild<QLabel*>(QStringLiteral("drillOutcome"))
                ->text()
                .startsWith(QStringLiteral("Recovery proven")));
    QCOMPARE(page.findChild<QListWidget*>(QStringLiteral("drillList"))->count(), 1);

    button(page, "replayButton")->click();
    auto* replay = page.findChild<ReplayView*>();
    QVERIFY(replay->isVisible());
    QVERIFY(session.waitForIdle(kPatience));
    const auto& steps = replay->steps();
    QCOMPARE(steps.size(), 7U);
    QCOMPARE(steps[0].files.size(), drill.before.size());
    QVERIFY(steps[1].head.contains(QStringLiteral("Signal 9")));
    QCOMPARE(steps[1].rows.size(), drill.tape.size());
    QCOMPARE(steps[1].rows[static_cast<std::size_t>(row)].back().text,
             QStringLiteral("died inside this call"));
    QCOMPARE(steps[2].files.size(), drill.afterCrash.size());
    QVERIFY(steps[2].files.back().word.startsWith(QStringLiteral("torn")));
    QVERIFY(steps[3].files.back().gone);
    QCOMPARE(steps[4].rows.size(), static_cast<std::size_t>(drill.comparedUpdates));
    for (const auto& receipt : steps[4].rows) {
        QCOMPARE(receipt[1].text, receipt[2].text);
        QCOMPARE(receipt.back().text, QStringLiteral("equal"));
    }
    QCOMPARE(steps[5].rows.size(), 1U);
    QVERIFY(steps[5].rows[0][1].text != steps[5].rows[0][2].text);
    QCOMPARE(steps[6].head, QStringLiteral("Recovery proven"));

    QCOMPARE(namelessWidgets(page).join(u' '), QString());
    auto* bar = page.findChild<StepBar*>();
    QTest::keyClick(bar, Qt::Key_Right);
    QCOMPARE(replay->current(), 1);
    button(page, "replayNextButton")->click();
    QCOMPARE(replay->current(), 2);
    button(page, "replayBackButton")->click();
    QCOMPARE(replay->current(), 1);
    QTest::keyClick(bar, Qt::Key_End);
    QCOMPARE(replay->current(), 6);
    QVERIFY(!button(page, "replayNextButton")->isEnabled());
    replay->go(4);
    QTRY_VERIFY(!replay->findChild<QTableWidget*>()->isRowHidden(
        static_cast<int>(drill.comparedUpdates) - 1));
    button(page, "closeReplayButton")->click();
    QVERIFY(page.findChild<QTableView*>(QStringLiteral("tapeTable"))->isVisible());
}

void RecoveryPageTest::aDrillThatCannotStartSaysWhy() {
    Session session("/bin/true");  // a child that does not die
    QVERIFY(session.openProject(QString::fromStdString(path_)));
    RecoveryPage page(session, nullptr);
    present(page, session);
    button(page, "crashButton")->click();
    QVERIFY(session.waitForIdle(kPatience));
    const auto said = page.findChild<QLabel*>(QStringLiteral("drillOutcome"))->text();
    QVERIFY2(said.contains(QStringLiteral("failed")) && said.contains(QStringLiteral("Remedy")),
             qPrintable(said));
    QVERIFY(button(page, "crashButton")->isEnabled());
}

void RecoveryPageTest::stepsTellWhatWasRejected() {
    DrillResult drill;
    drill.run = "fp32";
    drill.tape = {{1, "create", "b.tmp", 0}, {2, "write", "b.tmp", 100}, {3, "sync", "b.tmp", 0}};
    drill.crashedAtCall = 2;
    drill.childSignal = SIGKILL;
    drill.before = {{"a", EntryKind::File, 100}};
    drill.afterCrash = {{"a", EntryKind::File, 100}, {"b", EntryKind::File, 60}};
    drill.afterRecovery = drill.afterCrash;
    drill.chosen = "a";
    drill.rejected = {{"b", "the seal is missing"}};
    drill.comparedUpdates = 3;
    drill.equalUpdates = 2;
    const auto steps = replaySteps(drill, nullptr);
    QVERIFY(steps[3].files[1].word.contains(QStringLiteral("the seal is missing")));
    QCOMPARE(steps[3].files[1].meaning, Meaning::Bad);
    QCOMPARE(steps[4].meaning, Meaning::Bad);
    QVERIFY(steps[4].rows.empty());
    QCOMPARE(steps[6].head, QStringLiteral("Recovery not proven"));
    DrillReceipts receipts;
    receipts.chain = {{1, "aa", "aa", 0.5, 0.5}, {2, "bb", "cc", 0.5, 0.25}, {3, "dd", "", 0.5, 0}};
    const auto told = replaySteps(drill, &receipts)[4].rows;
    QCOMPARE(told[0].back().text, QStringLiteral("equal"));
    QCOMPARE(told[1].back().text, QStringLiteral("different"));
    QCOMPARE(told[2].back().text, QStringLiteral("different"));
    QCOMPARE(told[2][2].text, QStringLiteral("not recorded"));
}

// RECEIPTBENCH_SCREENSHOTS=folder, and RECEIPTBENCH_SCREENSHOT_PROJECT for another project than the
// tiny one.
void RecoveryPageTest::picturesForTheEye() {
    if (!qEnvironmentVariableIsSet("RECEIPTBENCH_SCREENSHOTS")) {
        QSKIP("no pictures wanted");
    }
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(
        qEnvironmentVariable("RECEIPTBENCH_SCREENSHOT_PROJECT", QString::fromStdString(path_))));
    RecoveryPage page(session, nullptr);
    present(page, session);
    saveScreenshots(page, QStringLiteral("recovery"));
    page.replaySelected();
    QVERIFY(session.waitForIdle(kPatience));
    auto* replay = page.findChild<ReplayView*>();
    for (int step = 0; step < 7; ++step) {
        replay->go(step);
        QTest::qWait(1600);
        if (step == 0 || step == 2) {
            page.resize(1100, 760);
            QTest::qWait(100);
            page.grab().save(qEnvironmentVariable("RECEIPTBENCH_SCREENSHOTS") +
                             QStringLiteral("/replay-small-%1.png").arg(step));
        }
        saveScreenshots(page, QStringLiteral("replay-%1").arg(step));
    }
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::RecoveryPageTest)
#include "recovery_page_test.moc"
