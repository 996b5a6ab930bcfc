// The window around the pages: modes, docks, status, settings, closing. The pages are plain widgets
// here.
#include <QAction>
#include <QDialog>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMenuBar>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeWidget>
#include <QtTest>

#include "tests/support/german_locale.h"
#include "tests/ui/screenshots.h"
#include "tests/ui/window_walk.h"
#include "tests/workbench/tiny_project.h"
#include "ui/window/appearance.h"
#include "ui/window/computer_card.h"
#include "ui/window/main_window.h"
#include "ui/window/runs_model.h"
#include "ui/window/status_line.h"
#include "ui/window/welcome_page.h"
#include "ui/window/window_settings.h"

namespace receiptbench {

constexpr int kPatience = 60000;  // milliseconds

class ShellTest : public QObject {
    Q_OBJECT

 private:
    QTemporaryDir home_;
    int number_ = 0;

    QString freshProject(std::int64_t updates = 6) {
        auto request = tinyRequest();
        request.contract.updates = updates;
        const auto path = home_.filePath(QStringLiteral("p%1").arg(++number_));
        tinyProject(path.toStdString(), request);
        return path;
    }
    static PageFactories plainPages() {
        PageFactories pages;
        for (const Mode mode : {Mode::Data, Mode::Configure, Mode::Run, Mode::Compare,
                                Mode::Recovery, Mode::Report}) {
            pages[mode] = [](Session&, QWidget* parent) { return new QWidget(parent); };
        }
        return pages;
    }
    template <typename Widget>
    static Widget* find(QWidget& window, const char* name) {
        auto* found = window.findChild<Widget*>(QString::fromLatin1(name));
        if (found == nullptr) {
            qWarning("no %s", name);
        }
        return found;
    }
    static void drop(QWidget* area, const QString& path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(area, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(area, &event);
    }
    static void click(QWidget* widget) { QTest::mouseClick(widget, Qt::LeftButton); }

 private Q_SLOTS:
    void initTestCase();
    void opensWithoutWaitingForTheComputer();
    void modesBySidebarAndKeys();
    void pagesAreMadeOnce();
    void docksFollowTheirActions();
    void runsDockShowsAndChooses();
    void inspectorAndCheckpointsOfARun();
    void logFollowsUntilScrolled();
    void problemsLeadToTheirPage();
    void statusLineDuringTraining();
    void closingDuringTrainingSaves();
    void settingsGoWhereTheyBelong();
    void wrongProjectIsSaid();
    void droppedFolderIsImported();
    void droppedProjectIsOpened();
    void everyActionHasAKey();
    void everythingFocusableHasAName();
    void localeChangesNoNumber();
    void screenshots();
};

void ShellTest::initTestCase() {
    QVERIFY(home_.isValid());
    qputenv("XDG_STATE_HOME", home_.filePath(QStringLiteral("state")).toUtf8());
    qputenv("XDG_CONFIG_HOME", home_.filePath(QStringLiteral("config")).toUtf8());
    qputenv("XDG_DATA_HOME", home_.filePath(QStringLiteral("data")).toUtf8());
    applyTheme(false);
}

void ShellTest::opensWithoutWaitingForTheComputer() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    auto* card = window.findChild<ComputerCard*>();
    QVERIFY(card != nullptr);
    QVERIFY(!card->loaded());
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QTRY_VERIFY_WITH_TIMEOUT(card->loaded(), kPatience);
    QVERIFY(!find<QDockWidget>(window, "runsDock")->isVisible());
    QVERIFY(!find<QDockWidget>(window, "detailsDock")->isVisible());
}

void ShellTest::modesBySidebarAndKeys() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const std::pair<const char*, Mode> modes[] = {
        {"modeData", Mode::Data},         {"modeConfigure", Mode::Configure},
        {"modeRun", Mode::Run},           {"modeCompare", Mode::Compare},
        {"modeRecovery", Mode::Recovery}, {"modeReport", Mode::Report}};
    int key = Qt::Key_1;
    for (const auto& [name, mode] : modes) {
        click(find<QWidget>(window, name));
        QVERIFY(window.mode() == mode);
        window.setMode(Mode::Welcome);
        QTest::keyClick(&window, static_cast<Qt::Key>(key++), Qt::ControlModifier);
        QVERIFY(window.mode() == mode);
    }
    session.requestMode(Mode::Compare);
    QVERIFY(window.mode() == Mode::Compare);
    QVERIFY(find<QAbstractButton>(window, "modeCompare")->isChecked());
}

void ShellTest::pagesAreMadeOnce() {
    int made = 0;
    PageFactories pages;
    pages[Mode::Data] = [&made](Session&, QWidget* parent) {
        ++made;
        return new QWidget(parent);
    };
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, pages);
    QCOMPARE(made, 0);
    QSignalSpy asked(&session, &Session::photosRequested);
    session.requestPhotos(QStringLiteral("flipped"), {1, 2});
    QVERIFY(window.mode() == Mode::Data);
    QCOMPARE(asked.count(), 2);  // once more, since the page was made for it
    QTest::qWait(50);
    window.setMode(Mode::Data);
    QCOMPARE(made, 1);
    window.setMode(Mode::Report);  // none given
    QVERIFY(window.mode() == Mode::Data);
}

void ShellTest::docksFollowTheirActions() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.resize(1440, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    window.setMode(Mode::Run);
    auto* runs = find<QDockWidget>(window, "runsDock");
    auto* inspector = find<QDockWidget>(window, "inspectorDock");
    auto* details = find<QDockWidget>(window, "detailsDock");
    QVERIFY(runs->isVisible() && inspector->isVisible() && !details->isVisible());
    find<QAction>(window, "viewCommand")->trigger();
    QVERIFY(details->isVisible());
    QCOMPARE(find<QTabWidget>(window, "bottomTabs")->currentIndex(), 3);
    runs->close();
    QVERIFY(!find<QAction>(window, "showRuns")->isChecked());
    window.setMode(Mode::Compare);
    QVERIFY(!runs->isVisible());
    find<QAction>(window, "showRuns")->trigger();
    QVERIFY(runs->isVisible());
    window.resize(1024, 700);
    QTRY_VERIFY(!inspector->isVisible());  // the page needs the room
    QCOMPARE(window.width(), 1024);
    window.resize(1440, 900);
    QTRY_VERIFY(inspector->isVisible());
}

void ShellTest::runsDockShowsAndChooses() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.show();
    QVERIFY(window.welcome()->open(freshProject()));
    for (const auto precision : {Precision::Fp32, Precision::Bf16}) {
        QVERIFY(session.startTraining(tinyRun(precision)));
        QVERIFY(session.waitForIdle(kPatience));
    }
    window.setMode(Mode::Run);
    auto* list = find<QListView>(window, "runsList");
    QCOMPARE(list->model()->rowCount(), 2);
    const auto row = [&](int at) { return list->model()->index(at, 0); };
    QCOMPARE(row(0).data(RunsModel::NameRole).toString(), QStringLiteral("fp32"));
    QVERIFY(row(1).data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("Finished")));
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(row(1)).center());
    QCOMPARE(session.selectedRun(), QStringLiteral("bf16"));
    QTest::keyClick(list, Qt::Key_Space);  // unticks
    QVERIFY(!session.isDrawn(QStringLiteral("bf16")));
    QTest::mouseClick(
        list->viewport(), Qt::LeftButton, {},
        list->visualRect(row(1)).center() - QPoint(list->visualRect(row(1)).width() / 2 - 18, 0));
    QVERIFY(session.isDrawn(QStringLiteral("bf16")));
    auto* filter = find<QLineEdit>(window, "runsFilter");
    filter->setText(QStringLiteral("fp32"));
    QCOMPARE(list->model()->rowCount(), 1);
    QCOMPARE(session.selectedRun(), QStringLiteral("bf16"));  // hidden, still chosen
    filter->clear();
    QCOMPARE(list->currentIndex().data(RunsModel::NameRole).toString(), QStringLiteral("bf16"));
}

void ShellTest::inspectorAndCheckpointsOfARun() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.resize(1440, 900);
    window.show();
    QVERIFY(window.welcome()->open(freshProject()));
    window.setMode(Mode::Run);
    QVERIFY(session.startTraining(tinyRun()));
    QVERIFY(session.waitForIdle(kPatience));
    auto* facts = find<QTreeWidget>(window, "inspectorFacts");
    auto* list = find<QTreeWidget>(window, "checkpointsList");
    QTRY_COMPARE(list->topLevelItemCount(), 3);  // at 2, 4 and 6
    find<QAction>(window, "viewCheckpoints")->trigger();
    QTRY_VERIFY(facts->findItems(QStringLiteral("Contract"), Qt::MatchExactly, 0).size() == 1);
    QCOMPARE(facts->findItems(QStringLiteral("Contract"), Qt::MatchExactly, 0).first()->text(1),
             QString::fromStdString(session.project()->contract().hash));
    session.selectUpdate(QStringLiteral("fp32"), 2);
    const auto& record = session.live().updates.at(1);
    QCOMPARE(facts->findItems(QStringLiteral("Loss"), Qt::MatchExactly, 0).first()->text(1),
             numberText(record.loss, 6));
    QCOMPARE(facts->findItems(QStringLiteral("Receipt"), Qt::MatchExactly, 0).first()->text(1),
             QString::fromStdString(record.receipt));
    list->setCurrentItem(list->topLevelItem(0));
    QVERIFY(session.selection().checkpoint.contains(QStringLiteral("s000000000006")));
    QCOMPARE(facts->findItems(QStringLiteral("On disk"), Qt::MatchExactly, 0).first()->text(1),
             QStringLiteral("yes"));
    QVERIFY(find<QPushButton>(window, "checkpointResume")->isEnabled());
}

void ShellTest::logFollowsUntilScrolled() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.show();
    find<QAction>(window, "viewLog")->trigger();
    auto* log = find<QPlainTextEdit>(window, "logText");
    auto* bar = log->verticalScrollBar();
    const auto say = [&session](int lines) {
        QVERIFY(session.startOther(QStringLiteral("Talk"),
                                   [lines](Progress& progress, const CancelToken&) {
                                       for (int i = 0; i < lines; ++i) {
                                           progress.note("line");
                                       }
                                   },
                                   {}));
        QVERIFY(session.waitForIdle(kPatience));
    };
    say(100);
    QTest::qWait(20);
    QVERIFY(bar->maximum() > 0);
    QCOMPARE(bar->value(), bar->maximum());
    bar->setValue(3);
    say(20);
    QCOMPARE(bar->value(), 3);
    auto* follow = find<QPushButton>(window, "logFollow");
    QVERIFY(follow->isVisible());
    click(follow);
    QCOMPARE(bar->value(), bar->maximum());
    say(20);
    QCOMPARE(bar->value(), bar->maximum());
}

void ShellTest::problemsLeadToTheirPage() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.resize(1440, 900);
    window.show();
    QVERIFY(window.welcome()->open(freshProject()));
    QVERIFY(session.startTraining(tinyRun(Precision::Bf16)));  // without a baseline
    QVERIFY(session.waitForIdle(kPatience));
    auto* shown = find<QToolButton>(window, "statusProblems");
    QVERIFY(shown->isVisible());
    click(shown);
    auto* tabs = find<QTabWidget>(window, "bottomTabs");
    QCOMPARE(tabs->currentIndex(), 1);
    QCOMPARE(tabs->tabText(1), QStringLiteral("Problems (1)"));
    window.setMode(Mode::Report);
    click(find<QPushButton>(window, "problemButton"));
    QVERIFY(window.mode() == Mode::Configure);
    click(find<QPushButton>(window, "problemsClear"));
    QVERIFY(!shown->isVisible());
}

void ShellTest::statusLineDuringTraining() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.show();
    QVERIFY(window.welcome()->open(freshProject(100000)));
    auto* stop = find<QPushButton>(window, "stopButton");
    QVERIFY(!stop->isEnabled());
    auto request = tinyRun();
    request.memoryLimit = 64 << 20;
    QVERIFY(session.startTraining(request));
    QTRY_VERIFY_WITH_TIMEOUT(session.live().updates.size() > 20, kPatience);
    QCOMPARE(find<QLabel>(window, "statusState")->text(), QStringLiteral("Running"));
    QVERIFY(find<QLabel>(window, "statusJob")->text().startsWith(QStringLiteral("Training fp32")));
    const auto progress = find<QLabel>(window, "statusProgress")->text();
    QVERIFY2(progress.startsWith(QStringLiteral("update ")) &&
                 progress.endsWith(QStringLiteral(" of 100000")),
             qPrintable(progress));
    QVERIFY(find<QLabel>(window, "statusLeft")->text().contains(QStringLiteral("left")));
    const auto gauge = find<MemoryGauge>(window, "memoryGauge")->words();
    QVERIFY2(
        gauge.startsWith(QStringLiteral("peak ")) && gauge.endsWith(QStringLiteral("of 64.0 MiB")),
        qPrintable(gauge));
    QCOMPARE(find<QLabel>(window, "statusDevice")->text(), QStringLiteral("cpu"));
    saveScreenshots(window, QStringLiteral("training"));
    window.resize(1024, 700);
    QCOMPARE(window.width(), 1024);  // whatever the status bar has to say
    click(stop);
    QVERIFY(!stop->isEnabled());
    QVERIFY(session.waitForIdle(5000));
    QCOMPARE(find<QLabel>(window, "statusState")->text(), QStringLiteral("Stopped"));
    QVERIFY(session.job().stopped);
}

// Case D21.
void ShellTest::closingDuringTrainingSaves() {
    const auto folder = freshProject(100000);
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.show();
    QVERIFY(window.welcome()->open(folder));
    QVERIFY(session.startTraining(tinyRun()));
    QTRY_VERIFY_WITH_TIMEOUT(session.live().updates.size() >= 5, kPatience);
    QVERIFY(!window.close());  // not before the boundary is saved
    QVERIFY(session.job().state == JobState::Stopping);
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), 5000);
    QVERIFY(!session.busy());
    const auto runs = listRuns(posixFileSystem(), folder.toStdString());
    QVERIFY(runs.at(0).state == RunState::Stopped);
    const auto recovery =
        recoverCheckpoint(posixFileSystem(), joinPath(runs.at(0).folder, "checkpoints"),
                          session.project()->contract().hash);
    QVERIFY(recovery.chosen.has_value() && recovery.rejected.empty());
    QCOMPARE(recovery.state.values.attempted, runs.at(0).updates);
}

void ShellTest::settingsGoWhereTheyBelong() {
    QVERIFY(WindowSettings::stateFile().startsWith(
        home_.filePath(QStringLiteral("state/receiptbench/"))));
    QVERIFY(WindowSettings::preferencesFile().startsWith(
        home_.filePath(QStringLiteral("config/receiptbench/"))));
    const auto folder = freshProject();
    bool fits = false;
    {
        Session session(RECEIPTBENCH_PROGRAM);
        MainWindow window(session, plainPages());
        window.show();
        QVERIFY(window.welcome()->open(folder));
        window.setMode(Mode::Run);
        find<QAction>(window, "showInspector")->trigger();
        window.resize(1300, 800);
        // A window larger than the screen comes back as large as the screen lets it.
        fits = window.screen()->availableGeometry().contains(QRect(QPoint(), window.size()));
        window.close();
    }
    QVERIFY(QFile::exists(WindowSettings::stateFile()));
    QCOMPARE(WindowSettings::recentProjects().value(0), folder);
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.show();
    if (fits) {
        QCOMPARE(window.size(), QSize(1300, 800));
    }
    QVERIFY(!find<QAction>(window, "showInspector")->isChecked());
    auto* recent = find<QListWidget>(window, "recentProjects");
    QCOMPARE(recent->item(0)->data(Qt::UserRole).toString(), folder);
    Q_EMIT recent->itemActivated(recent->item(0));
    QCOMPARE(session.projectFolder(), folder);
    find<QAction>(window, "showInspector")->trigger();
    window.close();
    WindowSettings::setAppearance(Appearance::Dark);
    QVERIFY(WindowSettings::appearance() == Appearance::Dark);
    QVERIFY(QFile::exists(WindowSettings::preferencesFile()));
    QVERIFY(WindowSettings::freshProjectFolder(QStringLiteral("../a b/é"))
                .startsWith(home_.filePath(QStringLiteral("data/receiptbench/"))));
}

void ShellTest::wrongProjectIsSaid() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.show();
    QVERIFY(!window.welcome()->open(home_.filePath(QStringLiteral("nothing"))));
    QVERIFY(window.mode() == Mode::Welcome);
    auto* state = find<QWidget>(window, "welcomeState");
    QVERIFY(state->isVisible());
    QVERIFY(!state->findChildren<QLabel*>().at(1)->text().isEmpty());
}

void ShellTest::droppedFolderIsImported() {
    const QDir images(home_.filePath(QStringLiteral("my receipts")));
    for (const auto* label : {"readable", "blurred"}) {
        QVERIFY(images.mkpath(QString::fromLatin1(label)));
        for (int shade = 0; shade < 3; ++shade) {
            QImage image(40, 60, QImage::Format_RGB32);
            image.fill(QColor(40 * shade + 20, label[0], 90));
            QVERIFY(image.save(images.filePath(
                QStringLiteral("%1/%2.png").arg(QString::fromLatin1(label)).arg(shade))));
        }
    }
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.show();
    bool asked = false;
    QTimer::singleShot(0, &window, [&] {
        auto* dialog = window.findChild<QDialog*>(QStringLiteral("importDialog"));
        QVERIFY(dialog != nullptr);
        asked = true;
        QCOMPARE(find<QLineEdit>(*dialog, "importSource")->text(), images.path());
        const auto nameless = namelessWidgets(*dialog);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
        saveScreenshots(*dialog, QStringLiteral("import"));
        click(find<QPushButton>(*dialog, "importStart"));
    });
    drop(find<QWidget>(window, "dropArea"), images.path());
    QVERIFY(asked);
    QVERIFY(window.mode() == Mode::Data);
    QVERIFY(session.waitForIdle(kPatience));
    QVERIFY2(session.job().state == JobState::Finished, qPrintable(session.job().error));
    QCOMPARE(session.projectFolder(),
             home_.filePath(QStringLiteral("data/receiptbench/my-receipts")));
    QCOMPARE(loadCatalogue(*session.project()).items.size(), std::size_t{6});
    QVERIFY(images.entryList(QDir::Files).isEmpty());  // nothing is written beside them
}

void ShellTest::droppedProjectIsOpened() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.show();
    const auto folder = freshProject();
    drop(find<QWidget>(window, "dropArea"), folder);
    QCOMPARE(session.projectFolder(), folder);
    QVERIFY(window.mode() == Mode::Data);
}

void ShellTest::everyActionHasAKey() {
    Session session(RECEIPTBENCH_PROGRAM);
    AppearanceKeeper appearance;
    MainWindow window(session, plainPages(), &appearance);
    QMap<QString, QString> taken;
    for (const auto* entry : window.menuBar()->actions()) {
        QVERIFY2(entry->text().contains(QLatin1Char('&')), qPrintable(entry->text()));
        for (const auto* action : leafActions(entry->menu())) {
            if (action->objectName().isEmpty()) {
                continue;  // a recent project: reached through the menu
            }
            const auto keys = action->shortcut().toString();
            QVERIFY2(!keys.isEmpty(), qPrintable(action->text()));
            QVERIFY2(!taken.contains(keys), qPrintable(keys + QStringLiteral(" of ") +
                                                       action->text() + taken.value(keys)));
            taken[keys] = action->text();
        }
    }
    QVERIFY(taken.size() >= 25);
}

void ShellTest::everythingFocusableHasAName() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.show();
    QVERIFY(window.welcome()->open(freshProject()));
    QVERIFY(session.startTraining(tinyRun(Precision::Bf16)));  // leaves a problem, with its button
    QVERIFY(session.waitForIdle(kPatience));
    const auto nameless = namelessWidgets(window);
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
}

// Case D24.
void ShellTest::localeChangesNoNumber() {
    const auto folder = freshProject();
    const auto textsNow = [&] {
        Session session(RECEIPTBENCH_PROGRAM);
        MainWindow window(session, plainPages());
        window.resize(1440, 900);
        window.show();
        if (!window.welcome()->open(folder)) {
            return QStringList();
        }
        if (session.runs().empty()) {
            session.startTraining(tinyRun());
            session.waitForIdle(kPatience);
        }
        session.selectUpdate(QStringLiteral("fp32"), 3);
        find<QAction>(window, "viewCheckpoints")->trigger();
        auto* facts = find<QTreeWidget>(window, "inspectorFacts");
        [[maybe_unused]] const bool shown =
            QTest::qWaitFor([&] { return facts->isVisible(); }, kPatience);
        return visibleTexts(window);
    };
    textsNow();  // trains: said in status and gauge this time only
    const auto usual = textsNow();
    QVERIFY(usual.size() > 60);
    const GermanLocale german;
    if (!german.active()) {
        QSKIP("de_DE cannot be had here");
    }
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    const auto there = textsNow();
    QLocale::setDefault(QLocale::c());
    QCOMPARE(there, usual);
}

void ShellTest::screenshots() {
    const auto project = qEnvironmentVariable("RECEIPTBENCH_SCREENSHOT_PROJECT");
    if (qEnvironmentVariableIsEmpty("RECEIPTBENCH_SCREENSHOTS") || project.isEmpty()) {
        QSKIP(
            "only when RECEIPTBENCH_SCREENSHOTS and RECEIPTBENCH_SCREENSHOT_PROJECT name folders");
    }
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, plainPages());
    window.show();
    QTRY_VERIFY_WITH_TIMEOUT(window.findChild<ComputerCard*>()->loaded(), kPatience);
    saveScreenshots(window, QStringLiteral("welcome"));
    QVERIFY(window.welcome()->open(project));
    session.selectRun(QStringLiteral("fp32"));
    window.setMode(Mode::Run);
    const char* tabs[] = {"viewLog", "viewProblems", "viewCheckpoints", "viewCommand"};
    for (const char* tab : tabs) {
        find<QAction>(window, tab)->trigger();
        QTest::qWait(200);
        saveScreenshots(window, QStringLiteral("shell-%1").arg(QString::fromLatin1(tab)));
    }
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::ShellTest)
#include "shell_test.moc"
