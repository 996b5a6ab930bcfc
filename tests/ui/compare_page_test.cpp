// The Compare page: its tables are the comparison's figures, a cell opens the photos that flipped.
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/text.h"
#include "tests/support/german_locale.h"
#include "tests/ui/screenshots.h"
#include "tests/ui/window_walk.h"
#include "tests/workbench/tiny_project.h"
#include "ui/compare/changes_model.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/comparison_text.h"
#include "ui/compare/rules_model.h"
#include "ui/compare/verdicts_model.h"
#include "ui/state_pane.h"

namespace receiptbench {
namespace {

ThresholdChange changeOf(const char* label, std::int64_t examples) {
    ThresholdChange change;
    change.label = label;
    change.examples = examples;
    change.words = "2 images: too few to tell";
    return change;
}

ComparedRun runOf(const char* name, Outcome outcome) {
    ComparedRun run;
    run.facts.name = name;
    run.facts.precision = "bf16";
    run.kind = "run";
    run.verdict.outcome = outcome;
    run.verdict.words = "every rule holds";
    run.verdict.rules = {{"same contract", Rule::State::Passed, "yes"},
                         {"recovery proven", Rule::State::NotJudged, "no drill"},
                         {"validation not inferior", Rule::State::Failed, "-0.1"}};
    run.changes = {changeOf("readable", 4), changeOf("a|b,\"c\"", 0), changeOf("all", 4)};
    auto& first = run.changes.front();
    first.acceptToReject = 1;
    first.rejectToAccept = 2;
    first.nearThreshold = 3;
    first.largestChange = 0.25;
    first.meanChange = 0.125;
    first.changedShare = Interval{0.2, 0.95};
    first.mcnemarP = 1;
    first.holmP = 0.5;
    first.flipped = {7, 8, 9};
    return run;
}

}  // namespace

class ComparePageTest : public QObject {
    Q_OBJECT

 private:
    static constexpr int kPatience = 120000;  // milliseconds
    QTemporaryDir folder_;
    QString compared_;  // fp32, bf16 and the wrong run

    static void present(ComparePage& page) {
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
    static QString stateTitle(const QWidget& page) { return page.findChild<StatePane*>()->title(); }
    static QString cell(const QAbstractItemModel& model, int row, int column) {
        return model.index(row, column).data().toString();
    }

 private Q_SLOTS:
    void initTestCase();
    void everyFigureHasItsCell();
    void outcomesAreWordsAndMeanings();
    void copiesAreCompleteAndQuoted();
    void statesSayWhatToDo();
    void tablesShowTheRealComparison();
    void aCellOpensWhatFlipped();
    void whatFinishedSinceIsSaid();
    void copyGoesToTheClipboard();
    void localeChangesNoNumber();
    void everythingFocusableHasAName();
    void picturesForTheEye();
};

void ComparePageTest::initTestCase() {
    QVERIFY(folder_.isValid());
    applyTheme(false);
    compared_ = folder_.filePath(QStringLiteral("compared"));
    auto request = tinyRequest();
    request.contract.acceptanceThreshold = 0.34;  // in the middle of what so few updates teach
    request.contract.optimizer.learningRate = 0.02;
    const auto project = tinyProject(compared_.toStdString(), request);
    train(project, tinyRun());
    train(project, tinyRun(Precision::Bf16));
    auto wrong = tinyRun();
    wrong.kind = "wrong";
    wrong.normalisation = Normalisation::MeanOfMeans;
    train(project, wrong);
}

void ComparePageTest::everyFigureHasItsCell() {
    Comparison comparison;
    comparison.baseline.name = "fp32";
    comparison.runs = {runOf("bf16", Outcome::Preserved), runOf("fp16", Outcome::NotPreserved)};
    ChangesModel model;
    model.show(comparison);
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.columnCount(), 2 * model.groupSize());
    QCOMPARE(model.groupTitle(1), QStringLiteral("fp16 · not preserved"));
    QStringList row;
    for (int column = 0; column < model.groupSize(); ++column) {
        row << cell(model, 0, model.groupSize() + column);
    }
    QCOMPARE(row.join(u';'), QStringLiteral("1;2;3;0.2500;0.1250;75.0 % (20.0 to 95.0);1.000 (Holm "
                                            "0.500);2 images: too few to tell"));
    QCOMPARE(cell(model, 1, 3), QStringLiteral("n/a"));  // a class without a photo
    QCOMPARE(model.headerData(0, Qt::Vertical, Qt::DisplayRole).toString(),
             QStringLiteral("readable (4)"));
    RulesModel rules;
    rules.show(comparison.runs[0].verdict.rules);
    QCOMPARE(cell(rules, 1, RulesModel::State), QStringLiteral("not judged"));
    QCOMPARE(cell(rules, 0, RulesModel::Figures), QStringLiteral("-0.1"));  // what failed first
}

void ComparePageTest::outcomesAreWordsAndMeanings() {
    QCOMPARE(outcomeMeaning(runOf("a", Outcome::Preserved)), Meaning::Good);
    QCOMPARE(outcomeMeaning(runOf("a", Outcome::NotPreserved)), Meaning::Bad);
    QCOMPARE(outcomeMeaning(runOf("a", Outcome::NotComparable)), Meaning::Caution);
    auto wrong = runOf("wrong", Outcome::NotPreserved);
    wrong.facts.wrongNormalisation = true;
    QCOMPARE(outcomeText(wrong), QStringLiteral("not preserved, as it must be"));
    QCOMPARE(outcomeMeaning(wrong), Meaning::Good);
    wrong.verdict.outcome = Outcome::Preserved;  // it was not caught
    QCOMPARE(outcomeMeaning(wrong), Meaning::Bad);
}

void ComparePageTest::copiesAreCompleteAndQuoted() {
    Comparison comparison;
    comparison.runs = {runOf("bf16", Outcome::Preserved)};
    const auto csv = QString::fromStdString(changesCsv(comparison)).split(QStringLiteral("\r\n"));
    QCOMPARE(csv.size(), 5);  // head, three rows, the end
    QCOMPARE(csv[1], QStringLiteral("bf16,bf16,preserved,readable,4,1,2,3,0,0,0.25,0.125,0.2,0.95,"
                                    "1,0.5,2 images: too few to tell"));
    QVERIFY2(csv[2].contains(QStringLiteral("\"a|b,\"\"c\"\"\",0,")), qPrintable(csv[2]));
    const auto markdown = QString::fromStdString(changesMarkdown(comparison)).split(u'\n');
    QCOMPARE(markdown.size(), 6);
    QVERIFY(markdown[0].startsWith(QStringLiteral("| run | class | images | accept → reject |")));
    QCOMPARE(markdown[0].count(u'|'), markdown[1].count(u'|'));
    QVERIFY2(markdown[3].contains(QStringLiteral("a\\|b")), qPrintable(markdown[3]));
}

void ComparePageTest::statesSayWhatToDo() {
    Session session(RECEIPTBENCH_PROGRAM);
    ComparePage page(session, nullptr);
    present(page);
    QCOMPARE(stateTitle(page), QStringLiteral("No project is open"));
    QVERIFY(!find<QPushButton>(page, "compareButton")->isVisible());
    const auto path = folder_.filePath(QStringLiteral("empty"));
    const auto project = tinyProject(path.toStdString());
    QVERIFY(session.openProject(path));
    QCOMPARE(stateTitle(page), QStringLiteral("No baseline yet"));
    QSignalSpy asked(&session, &Session::modeRequested);
    find<QPushButton>(page, "stateButton")->click();
    QCOMPARE(asked.at(0).at(0).value<Mode>(), Mode::Run);
    train(project, tinyRun());
    QVERIFY(session.openProject(path));
    QCOMPARE(stateTitle(page), QStringLiteral("Nothing to compare yet"));
    train(project, tinyRun(Precision::Bf16));
    session.refreshProject();
    QTRY_COMPARE(stateTitle(page), QStringLiteral("Not compared yet"));
    find<QPushButton>(page, "stateButton")->click();
    QVERIFY(session.waitForIdle(kPatience));
    QTRY_VERIFY(find<QTableView>(page, "changesTable")->isVisible());
}

void ComparePageTest::tablesShowTheRealComparison() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(compared_));
    ComparePage page(session, nullptr);
    present(page);
    const auto& comparison = session.comparison().value();
    QCOMPARE(comparison.runs.size(), std::size_t{2});
    const auto* verdicts = find<QTableView>(page, "verdictsTable")->model();
    QCOMPARE(verdicts->rowCount(), 3);
    QCOMPARE(cell(*verdicts, 0, VerdictsModel::Verdict), QStringLiteral("baseline"));
    for (int row = 0; row < 2; ++row) {
        const auto& run = comparison.runs[static_cast<std::size_t>(row)];
        QCOMPARE(cell(*verdicts, row + 1, VerdictsModel::Run), runTitle(run));
        QCOMPARE(cell(*verdicts, row + 1, VerdictsModel::Verdict), outcomeText(run));
        QCOMPARE(cell(*verdicts, row + 1, VerdictsModel::Accepted), QStringLiteral("10"));
        find<QTableView>(page, "verdictsTable")->selectRow(row + 1);
        QCOMPARE(find<QTableView>(page, "rulesTable")->model()->rowCount(),
                 static_cast<int>(run.verdict.rules.size()));
        QCOMPARE(find<QLabel>(page, "verdictWords")->text(),
                 QString::fromStdString(run.verdict.words));
    }
    const auto* changes = find<QTableView>(page, "changesTable")->model();
    QCOMPARE(changes->rowCount(), 4);
    const auto& columns = changeColumns();
    for (int row = 0; row < changes->rowCount(); ++row) {
        for (int column = 0; column < changes->columnCount(); ++column) {
            const auto size = columns.size();
            const auto at = static_cast<std::size_t>(column);
            const auto& change = comparison.runs[at / size].changes[static_cast<std::size_t>(row)];
            QCOMPARE(cell(*changes, row, column), columns[at % size].text(change));
        }
    }
}

void ComparePageTest::aCellOpensWhatFlipped() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(compared_));
    ComparePage page(session, nullptr);
    present(page);
    auto* table = find<QTableView>(page, "changesTable");
    const auto& runs = session.comparison()->runs;
    QSignalSpy photos(&session, &Session::photosRequested);
    int opened = 0;
    const int group = static_cast<int>(changeColumns().size());
    for (int run = 0; run < 2; ++run) {
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            const auto& flipped =
                runs[static_cast<std::size_t>(run)].changes[static_cast<std::size_t>(row)].flipped;
            const auto index = table->model()->index(row, run * group);
            table->scrollTo(index);
            table->setCurrentIndex(index);
            QTest::keyClick(table, Qt::Key_Return);
            opened += flipped.empty() ? 0 : 1;
            QCOMPARE(photos.size(), opened);
            if (!flipped.empty()) {
                QCOMPARE(photos.last().at(1).value<std::vector<std::int64_t>>(), flipped);
            }
        }
    }
    QVERIFY2(opened > 0, "no decision flipped in the tiny project: choose another seed");
}

void ComparePageTest::whatFinishedSinceIsSaid() {
    const auto path = folder_.filePath(QStringLiteral("stale"));
    QVERIFY(QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-r"), compared_, path}) == 0);
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(path));
    ComparePage page(session, nullptr);
    present(page);
    QVERIFY(!find<QLabel>(page, "staleNote")->isVisible());
    auto later = tinyRun(Precision::Bf16);
    later.name = "later";
    train(Project::open(posixFileSystem(), path.toStdString()), later);
    session.refreshProject();
    QTRY_VERIFY(find<QLabel>(page, "staleNote")->isVisible());
    QVERIFY(find<QLabel>(page, "staleNote")->text().contains(QStringLiteral("later")));
    QTest::mouseClick(find<QPushButton>(page, "compareButton"), Qt::LeftButton);
    QVERIFY(session.waitForIdle(kPatience));
    QTRY_VERIFY(!find<QLabel>(page, "staleNote")->isVisible());
    QCOMPARE(page.missing(), QStringList());
}

void ComparePageTest::copyGoesToTheClipboard() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(compared_));
    ComparePage page(session, nullptr);
    present(page);
    QTest::mouseClick(find<QPushButton>(page, "copyCsv"), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text().toStdString(), changesCsv(*session.comparison()));
    QTest::mouseClick(find<QPushButton>(page, "copyMarkdown"), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text().toStdString(),
             changesMarkdown(*session.comparison()));
    QVERIFY(!find<QLabel>(page, "copiedNote")->text().isEmpty());
    QCOMPARE(find<QTableView>(page, "changesTable")->actions().size(), 2);
}

void ComparePageTest::localeChangesNoNumber() {
    const auto texts = [this] {
        Session session(RECEIPTBENCH_PROGRAM);
        session.openProject(compared_);
        ComparePage page(session, nullptr);
        present(page);
        return visibleTexts(page) << QString::fromStdString(changesCsv(*session.comparison()));
    };
    const auto plain = texts();
    QVERIFY(plain.join(u' ').contains(QStringLiteral("0.")));
    const GermanLocale german;
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    const auto abroad = texts();
    QLocale::setDefault(QLocale::c());
    QCOMPARE(abroad.join(u'\n'), plain.join(u'\n'));
}

void ComparePageTest::everythingFocusableHasAName() {
    Session session(RECEIPTBENCH_PROGRAM);
    ComparePage page(session, nullptr);
    present(page);
    QCOMPARE(namelessWidgets(page).join(u' '), QString());
    QVERIFY(session.openProject(compared_));
    QCOMPARE(namelessWidgets(page).join(u' '), QString());
}

// RECEIPTBENCH_SCREENSHOTS=folder, and RECEIPTBENCH_SCREENSHOT_PROJECT for a finished project.
void ComparePageTest::picturesForTheEye() {
    const auto path = qEnvironmentVariable("RECEIPTBENCH_SCREENSHOT_PROJECT");
    if (!qEnvironmentVariableIsSet("RECEIPTBENCH_SCREENSHOTS") || path.isEmpty()) {
        QSKIP("no pictures wanted");
    }
    Session session(RECEIPTBENCH_PROGRAM);
    ComparePage page(session, nullptr);
    present(page);
    saveScreenshots(page, QStringLiteral("compare-none"));
    QVERIFY(session.openProject(path));
    saveScreenshots(page, QStringLiteral("compare"));
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::ComparePageTest)
#include "compare_page_test.moc"
