// The Run page: what it plots is what the ledger holds, on a running session and afterwards.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

#include "core/base/text.h"
#include "tests/support/german_locale.h"
#include "tests/ui/screenshots.h"
#include "tests/ui/window_walk.h"
#include "tests/workbench/tiny_project.h"
#include "ui/plots/plot_widget.h"
#include "ui/run/run_page.h"
#include "ui/run/run_plots.h"
#include "ui/run/run_text.h"
#include "ui/state_pane.h"

namespace receiptbench {

class RunPageTest : public QObject {
    Q_OBJECT

 private:
    static constexpr int kPatience = 120000;  // milliseconds
    QTemporaryDir folder_;
    QString trained_;  // fp32 and a run with a deliberate overflow
    int number_ = 0;

    QString freshFolder() { return folder_.filePath(QStringLiteral("p%1").arg(++number_)); }
    QString freshProject(std::int64_t updates = 6) {
        auto request = tinyRequest();
        request.contract.updates = updates;
        const auto path = freshFolder();
        tinyProject(path.toStdString(), request);
        return path;
    }
    static void present(RunPage& page) {
        page.resize(1100, 800);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
    }
    template <typename Widget>
    static Widget* find(const QWidget& page, const char* name) {
        auto* found = page.findChild<Widget*>(QString::fromLatin1(name));
        if (found == nullptr) {
            qFatal("no %s", name);
        }
        return found;
    }
    static QString text(const QWidget& page, const char* label) {
        return find<QLabel>(page, label)->text();
    }
    static std::vector<UpdateRecord> ledger(const QString& project, const std::string& run) {
        return readHistory(posixFileSystem(), ProjectPaths{project.toStdString()}.run(run)).updates;
    }
    static bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
    // Every plotted point against the ledger; beside: how many more there are.
    static void comparePlots(RunPlots& plots, const std::vector<UpdateRecord>& stored,
                             std::size_t beside = 0) {
        QCOMPARE(plots.memory->seriesCount(), kMemoryCategories);
        const auto& speed = plots.speed->series(0);
        const auto& loss = plots.loss->series(0);
        const auto& skipped = plots.skips->series(0);
        const auto& scale = plots.skips->series(1);
        for (const auto* series : {&speed, &loss, &skipped, &scale}) {
            QCOMPARE(series->x.size(), stored.size() + beside);
        }
        for (std::size_t i = 0; i < stored.size(); ++i) {
            const auto& record = stored[i];
            QCOMPARE(loss.x[i], static_cast<double>(record.update));
            QVERIFY(same(loss.y[i], record.loss));
            QCOMPARE(speed.y[i], examplesPerSecond(record).value());
            QCOMPARE(skipped.y[i], static_cast<double>(record.skipped));
            QCOMPARE(std::exp2(scale.y[i]), record.scaleAfter);
            double sum = 0;
            for (int category = 0; category < kMemoryCategories; ++category) {
                const auto& share = plots.memory->series(category);
                QCOMPARE(
                    share.y.at(i),
                    static_cast<double>(record.memory.atPeak[static_cast<std::size_t>(category)]));
                sum += share.y[i];
            }
            QCOMPARE(sum, static_cast<double>(record.memory.total));
        }
    }

 private Q_SLOTS:
    void initTestCase();
    void withoutAProjectItSaysWhatToDo();
    void theFirstRunIsProposed();
    void pointsComeWhileItRunsAndEqualTheLedger();
    void stopAndResumeByTheButtons();
    void aSkippedUpdateIsSeen();
    void aLossThatIsNotFiniteIsKept();
    void tickedRunsAreDrawnBeside();
    void theViewStaysWhereTheUserPutIt();
    void theEndIsOneSentenceWithItsInterval();
    void aDamagedRunSaysWhy();
    void theCheckSaysWhatItFound();
    void localeChangesNoNumber();
    void everythingFocusableHasAName();
    void picturesForTheEye();
};

void RunPageTest::initTestCase() {
    QVERIFY(folder_.isValid());
    applyTheme(false);
    trained_ = freshProject();
    const auto project = Project::open(posixFileSystem(), trained_.toStdString());
    train(project, tinyRun());
    auto overflow = tinyRun(Precision::Bf16);
    overflow.kind = "overflow";
    overflow.name = "overflow";
    overflow.injectOverflowAt = {3};
    train(project, overflow);
}

void RunPageTest::withoutAProjectItSaysWhatToDo() {
    Session session(RECEIPTBENCH_PROGRAM);
    RunPage page(session, nullptr);
    present(page);
    auto* state = page.findChild<StatePane*>();
    QCOMPARE(state->title(), QStringLiteral("No project is open"));
    QSignalSpy asked(&session, &Session::modeRequested);
    find<QPushButton>(page, "stateButton")->click();
    QCOMPARE(asked.at(0).at(0).value<Mode>(), Mode::Welcome);
    const auto path = freshFolder();
    Project::create(posixFileSystem(), path.toStdString(), "embedded example");
    QVERIFY(session.openProject(path));
    QCOMPARE(state->title(), QStringLiteral("Nothing is frozen yet"));
    find<QPushButton>(page, "stateButton")->click();
    QCOMPARE(asked.at(1).at(0).value<Mode>(), Mode::Configure);
    QVERIFY(!find<QPushButton>(page, "startRun")->isVisible());
}

void RunPageTest::theFirstRunIsProposed() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(freshProject()));
    RunPage page(session, nullptr);
    present(page);
    QCOMPARE(page.findChild<StatePane*>()->title(), QStringLiteral("No run yet"));
    QCOMPARE(find<QComboBox>(page, "startPrecision")->currentText(), QStringLiteral("fp32"));
    find<QPushButton>(page, "stateButton")->click();
    QVERIFY(session.waitForIdle(kPatience));
    QVERIFY2(session.job().state == JobState::Finished, qPrintable(session.job().error));
    QTRY_VERIFY(text(page, "runEnd").startsWith(QStringLiteral("Finished: accuracy ")));
    QCOMPARE(find<QComboBox>(page, "startPrecision")->currentText(), QStringLiteral("bf16"));
}

void RunPageTest::pointsComeWhileItRunsAndEqualTheLedger() {
    Session session(RECEIPTBENCH_PROGRAM);
    const auto path = freshProject(150);
    QVERIFY(session.openProject(path));
    RunPage page(session, nullptr);
    present(page);
    QVERIFY(session.startTraining(tinyRun()));
    auto& plots = page.plots();
    QTRY_VERIFY_WITH_TIMEOUT(plots.loss->seriesCount() > 0 && plots.loss->series(0).x.size() >= 3,
                             kPatience);
    QVERIFY(session.busy());
    QCOMPARE(page.shownRun(), QStringLiteral("fp32"));
    QCOMPARE(text(page, "runState"), QStringLiteral("Running"));
    QVERIFY(text(page, "runProgress").endsWith(QStringLiteral("of 150")) ||
            text(page, "runProgress").contains(QStringLiteral("of 150 · ")));
    QVERIFY(find<QPushButton>(page, "stopRun")->isEnabled());
    QVERIFY(!find<QLabel>(page, "runEnd")->isVisible());
    // What is plotted so far is what the ledger holds of these updates.
    auto stored = ledger(path, "fp32");
    const auto shown = plots.loss->series(0).x.size();
    QVERIFY(stored.size() >= shown);
    stored.resize(shown);
    comparePlots(plots, stored);
    QVERIFY(session.waitForIdle(kPatience));
    QTRY_COMPARE(text(page, "runState"), QStringLiteral("Finished"));
    comparePlots(plots, ledger(path, "fp32"));
    QCOMPARE(plots.loss->series(0).x.size(), std::size_t{150});
}

void RunPageTest::stopAndResumeByTheButtons() {
    Session session(RECEIPTBENCH_PROGRAM);
    const auto path = freshProject(2000);
    QVERIFY(session.openProject(path));
    RunPage page(session, nullptr);
    present(page);
    QVERIFY(session.startTraining(tinyRun()));
    QTRY_VERIFY_WITH_TIMEOUT(find<QLabel>(page, "runPlan")->isVisible(), kPatience);
    QTest::mouseClick(find<QPushButton>(page, "stopRun"), Qt::LeftButton);
    QVERIFY(!find<QPushButton>(page, "stopRun")->isEnabled());
    QVERIFY(session.waitForIdle(kPatience));
    QTRY_COMPARE(text(page, "runState"), QStringLiteral("Stopped"));
    QTRY_VERIFY(text(page, "runEnd").startsWith(QStringLiteral("Stopped at update ")));
    const auto before = page.plots().loss->series(0).x.size();
    QVERIFY(before < 2000);
    QVERIFY(!find<QPushButton>(page, "goCompare")->isVisible());
    auto* resume = find<QPushButton>(page, "resumeRun");
    QVERIFY(resume->isVisible() && resume->isEnabled());
    QTest::mouseClick(resume, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(page.plots().loss->series(0).x.size() > before, kPatience);
    QCOMPARE(page.plots().loss->series(0).x.front(), 1.0);  // from its first update
    session.stop();
    QVERIFY(session.waitForIdle(kPatience));
    QTRY_COMPARE(page.plots().loss->series(0).x.size(), ledger(path, "fp32").size());
    comparePlots(page.plots(), ledger(path, "fp32"));
}

void RunPageTest::aSkippedUpdateIsSeen() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(trained_));
    session.selectRun(QStringLiteral("overflow"));
    RunPage page(session, nullptr);
    present(page);
    QTRY_COMPARE(page.plots().loss->seriesCount(), 2);
    const auto stored = ledger(trained_, "overflow");
    comparePlots(page.plots(), stored);
    QCOMPARE(page.plots().skips->series(0).y.at(1), 0.0);
    QCOMPARE(page.plots().skips->series(0).y.at(2), 1.0);
    QVERIFY2(text(page, "runEnd").contains(QStringLiteral("1 skipped, by a deliberate overflow")),
             qPrintable(text(page, "runEnd")));
}

// Case D20: it is a gap, and everything else stays as it was.
void RunPageTest::aLossThatIsNotFiniteIsKept() {
    auto updates = ledger(trained_, "fp32");
    RunPlots plots(nullptr);
    plots.resize(800, 600);
    plots.show();
    const auto before = updates;
    plots.draw({{QStringLiteral("a"), 0, &updates}}, 1 << 25);
    auto broken = updates.back();
    for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
        ++broken.update;
        broken.loss = value;
        broken.scaleAfter = value;
        updates.push_back(broken);
    }
    plots.grow({QStringLiteral("a"), 0, &updates});
    comparePlots(plots, before, 3);
    const auto& loss = plots.loss->series(0).y;
    QCOMPARE(loss.size(), updates.size());
    QVERIFY(std::isnan(loss[before.size()]) && std::isinf(loss.back()));
    QTest::qWait(300);
    QVERIFY(plots.loss->yRange().high < 100);
    QVERIFY(plots.skips->yRange().high < 100);
    QVERIFY(!plots.grab().isNull());
}

void RunPageTest::tickedRunsAreDrawnBeside() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(trained_));
    session.selectRun(QStringLiteral("fp32"));
    RunPage page(session, nullptr);
    present(page);
    QTRY_COMPARE(page.plots().loss->seriesCount(), 2);
    QCOMPARE(page.plots().loss->series(0).spec.name, QStringLiteral("fp32"));
    QCOMPARE(page.plots().loss->series(1).spec.name, QStringLiteral("overflow"));
    session.setDrawn(QStringLiteral("overflow"), false);
    QCOMPARE(page.plots().loss->seriesCount(), 1);
    session.setDrawn(QStringLiteral("fp32"), false);  // the shown one stays
    QCOMPARE(page.plots().loss->seriesCount(), 1);
    auto* box = find<QComboBox>(page, "runBox");
    box->setCurrentIndex(box->findText(QStringLiteral("overflow")));
    Q_EMIT box->activated(box->currentIndex());
    QCOMPARE(session.selectedRun(), QStringLiteral("overflow"));
    QTRY_COMPARE(page.plots().loss->series(0).spec.name, QStringLiteral("overflow"));
}

void RunPageTest::theViewStaysWhereTheUserPutIt() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(freshProject(200)));
    RunPage page(session, nullptr);
    present(page);
    QVERIFY(session.startTraining(tinyRun()));
    auto& plots = page.plots();
    QTRY_VERIFY_WITH_TIMEOUT(plots.loss->seriesCount() > 0 && plots.loss->series(0).x.size() >= 3,
                             kPatience);
    auto* follow = find<QCheckBox>(page, "followBox");
    QVERIFY(follow->isChecked());
    plots.loss->setFocus();
    QTest::keyClick(plots.loss, Qt::Key_Plus);
    QVERIFY(!follow->isChecked());
    const auto range = plots.loss->xRange();
    QCOMPARE(plots.memory->xRange(), range);  // one range for all
    QVERIFY(session.waitForIdle(kPatience));
    QTRY_COMPARE(text(page, "runState"), QStringLiteral("Finished"));
    QTest::qWait(250);
    QCOMPARE(plots.loss->xRange(), range);
    follow->click();
    QTRY_VERIFY(plots.skips->xRange().high >= 200);
}

void RunPageTest::theEndIsOneSentenceWithItsInterval() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(trained_));
    session.selectRun(QStringLiteral("fp32"));
    RunPage page(session, nullptr);
    present(page);
    QTRY_VERIFY(!text(page, "runEnd").isEmpty());
    const auto facts =
        gatherRunFacts(Project::open(posixFileSystem(), trained_.toStdString()), "fp32");
    const auto& metrics = facts.metrics;
    const auto wanted = QStringLiteral("accuracy %1 (95 % interval %2 to %3) on %4 validation")
                            .arg(numberText(metrics.accuracy.value(), 3),
                                 numberText(metrics.accuracyInterval.low, 3),
                                 numberText(metrics.accuracyInterval.high, 3))
                            .arg(metrics.examples);
    QVERIFY2(text(page, "runEnd").contains(wanted), qPrintable(text(page, "runEnd")));
    QVERIFY(
        text(page, "runEnd")
            .contains(QStringLiteral("10 accepted examples in each of 6 updates, none skipped")));
    QVERIFY(text(page, "runPlan").contains(QStringLiteral("microbatch 4, contiguous")));
    const struct {
        const char* button;
        Mode mode;
    } ways[] = {
        {"goCompare", Mode::Compare}, {"goRecovery", Mode::Recovery}, {"goReport", Mode::Report}};
    QSignalSpy asked(&session, &Session::modeRequested);
    for (const auto& way : ways) {
        QTest::mouseClick(find<QPushButton>(page, way.button), Qt::LeftButton);
        QCOMPARE(asked.takeLast().at(0).value<Mode>(), way.mode);
    }
    // Another number of accepted examples is never passed over.
    LedgerReading reading;
    reading.examplesPerUpdate = 47;
    reading.facts = facts;
    RunOverview overview = session.runs().at(0);
    const auto said = endSentence(overview, reading);
    QCOMPARE(said.meaning, Meaning::Caution);
    QVERIFY2(said.text.contains(QStringLiteral("where the contract says 47")),
             qPrintable(said.text));
}

void RunPageTest::aDamagedRunSaysWhy() {
    const auto path = freshProject();
    train(Project::open(posixFileSystem(), path.toStdString()), tinyRun());
    QFile file(path + QStringLiteral("/runs/fp32/run.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{");
    file.close();
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(path));
    session.selectRun(QStringLiteral("fp32"));
    RunPage page(session, nullptr);
    present(page);
    QTRY_VERIFY(text(page, "runEnd").startsWith(QStringLiteral("It cannot be read as a run: ")));
    QVERIFY(!find<QPushButton>(page, "resumeRun")->isVisible());
}

void RunPageTest::theCheckSaysWhatItFound() {
    QCOMPARE(checkSentence({}).meaning, Meaning::Neutral);
    GradientCheckResult check;
    check.examples = 47;
    check.microbatches = {16, 16, 15};
    check.layers = {{"stem.weight", 1, 3e-7, 0.05, 0}, {"head.weight", 1, 2e-7, 0.05, 0}};
    check.relativeL2 = 2e-7;
    check.wrongRelativeL2 = 0.054;
    const auto good = checkSentence(check);
    QCOMPARE(good.meaning, Meaning::Good);
    QCOMPARE(good.text, QStringLiteral("Gradient check: 47 examples as 2 × 16 + 15 against the "
                                       "full batch, worst layer off by 3.0e-07 of 5.0e-06 allowed; "
                                       "the wrong mean of means is off by 5.4e-02."));
    check.layers[1].relativeL2 = std::nan("");
    const auto bad = checkSentence(check);
    QCOMPARE(bad.meaning, Meaning::Bad);
    QVERIFY2(bad.text.contains(QStringLiteral("fails at head.weight")), qPrintable(bad.text));
    QCOMPARE(checkSentence(check, true).meaning, Meaning::Good);  // the wrong run's must fail
    check.layers[1].relativeL2 = 0;
    check.wrongRelativeL2 = 1e-7;
    QCOMPARE(checkSentence(check).meaning, Meaning::Caution);
}

void RunPageTest::localeChangesNoNumber() {
    const auto texts = [this] {
        Session session(RECEIPTBENCH_PROGRAM);
        session.openProject(trained_);
        session.selectRun(QStringLiteral("fp32"));
        RunPage page(session, nullptr);
        present(page);
        [&] { QTRY_VERIFY(!text(page, "runEnd").isEmpty()); }();
        QTest::qWait(300);
        auto all = visibleTexts(page);
        all << page.plots().loss->readOut() << QString::fromStdString(page.plots().memory->csv());
        return all;
    };
    const auto plain = texts();
    const GermanLocale german;
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    const auto abroad = texts();
    QLocale::setDefault(QLocale::c());
    QCOMPARE(abroad.join(u'\n'), plain.join(u'\n'));
}

void RunPageTest::everythingFocusableHasAName() {
    Session session(RECEIPTBENCH_PROGRAM);
    RunPage page(session, nullptr);
    present(page);
    QCOMPARE(namelessWidgets(page).join(u' '), QString());
    QVERIFY(session.openProject(trained_));
    QTRY_VERIFY(!text(page, "runEnd").isEmpty());
    QCOMPARE(namelessWidgets(page).join(u' '), QString());
}

// RECEIPTBENCH_SCREENSHOTS=folder, and RECEIPTBENCH_SCREENSHOT_PROJECT for a finished project.
void RunPageTest::picturesForTheEye() {
    const auto path = qEnvironmentVariable("RECEIPTBENCH_SCREENSHOT_PROJECT");
    if (!qEnvironmentVariableIsSet("RECEIPTBENCH_SCREENSHOTS") || path.isEmpty()) {
        QSKIP("no pictures wanted");
    }
    Session session(RECEIPTBENCH_PROGRAM);
    RunPage page(session, nullptr);
    present(page);
    saveScreenshots(page, QStringLiteral("run-none"));
    QVERIFY(session.openProject(path));
    for (const auto& run : session.runs()) {
        const auto name = QString::fromStdString(run.description.name);
        session.selectRun(name);
        QTest::qWait(500);
        saveScreenshots(page, QStringLiteral("run-") + name);
    }
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::RunPageTest)
#include "run_page_test.moc"
