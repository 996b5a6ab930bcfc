// The whole window with its real pages and real clicks: from the welcome page to a PDF on disk.
#include <QAbstractButton>
#include <QFile>
#include <QLineEdit>
#include <QProcess>
#include <QScrollArea>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>

#include "core/checkpoint/store.h"
#include "tests/support/german_locale.h"
#include "tests/ui/screenshots.h"
#include "tests/ui/window_walk.h"
#include "tests/workbench/tiny_project.h"
#include "ui/window/all_pages.h"
#include "ui/window/appearance.h"
#include "ui/window/welcome_page.h"

namespace receiptbench {
namespace {

constexpr int kPatience = 240000;  // milliseconds
constexpr std::array kModes{Mode::Data,    Mode::Configure, Mode::Run,
                            Mode::Compare, Mode::Recovery,  Mode::Report};

// The example's whole way, on so little that it takes seconds.
DemoRequest smallExample() {
    DemoRequest request;
    request.identities = 16;
    request.height = request.width = 32;
    request.updates = 8;
    request.modes = {Precision::Fp32, Precision::Bf16};
    return request;
}

// A button of the page in front, brought into view like a user would.
void click(MainWindow& window, const char* name) {
    auto* found = window.findChild<QAbstractButton*>(QString::fromLatin1(name));
    QVERIFY2(found != nullptr, name);
    QTRY_VERIFY2_WITH_TIMEOUT(found->isVisible() && found->isEnabled(), name, kPatience);
    for (auto* parent = found->parentWidget(); parent != nullptr; parent = parent->parentWidget()) {
        if (auto* area = qobject_cast<QScrollArea*>(parent)) {
            area->ensureWidgetVisible(found);
        }
    }
    QTest::mouseClick(found, Qt::LeftButton);
}

void waitFor(Session& session) {
    QVERIFY(session.waitForIdle(kPatience));
    QVERIFY2(session.job().state == JobState::Finished, qPrintable(session.job().error));
}

}  // namespace

class WindowTest : public QObject {
    Q_OBJECT

 private:
    QTemporaryDir home_;
    QString example_;  // the project that the first test leaves

    // Pages read in the background and the report is laid out in parts: until nothing moves.
    static void settle(Session& session) {
        QTest::qWait(400);
        QVERIFY(session.waitForIdle(kPatience));
        QTest::qWait(600);
    }
    void show(MainWindow& window) {
        window.resize(1440, 900);
        window.show();
        window.activateWindow();  // there may be no window manager
        QVERIFY(QTest::qWaitForWindowActive(&window));
    }

 private Q_SLOTS:
    void initTestCase();
    void fromWelcomeToThePdf();
    void keysReachEveryPageAndItsWidgets();
    void everythingFocusableHasAName();
    void smallWindowsCutNothing();
    void noMnemonicIsTaken();
    void localeChangesNoNumber();
    void endingTheProgramDuringTrainingSaves();
    void screenshotsOfAProject();
};

void WindowTest::initTestCase() {
    QVERIFY(home_.isValid());
    qputenv("XDG_STATE_HOME", home_.filePath(QStringLiteral("state")).toUtf8());
    qputenv("XDG_CONFIG_HOME", home_.filePath(QStringLiteral("config")).toUtf8());
    qputenv("XDG_DATA_HOME", home_.filePath(QStringLiteral("data")).toUtf8());
    qputenv("XDG_CACHE_HOME", home_.filePath(QStringLiteral("cache")).toUtf8());
    applyTheme(false);
}

void WindowTest::fromWelcomeToThePdf() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, allPages());
    show(window);
    saveScreenshots(window, QStringLiteral("e2e-welcome"));
    window.welcome()->setExampleRequest(smallExample());
    click(window, "tryExample");
    QVERIFY(window.mode() == Mode::Run);
    QTRY_VERIFY_WITH_TIMEOUT(!session.live().updates.empty(), kPatience);
    saveScreenshots(window, QStringLiteral("e2e-running"));
    waitFor(session);
    example_ = session.projectFolder();
    QVERIFY(example_.startsWith(home_.filePath(QStringLiteral("data/receiptbench/example"))));

    click(window, "goCompare");
    QVERIFY(window.mode() == Mode::Compare);
    QVERIFY(session.comparison().has_value());
    QCOMPARE(session.comparison()->runs.size(), std::size_t{2});  // bf16 and the wrong one

    click(window, "modeRecovery");
    const auto drills = session.drills().size();
    click(window, "crashButton");
    QTRY_VERIFY_WITH_TIMEOUT(session.drills().size() > drills && !session.busy(), kPatience);
    QVERIFY(session.drills().back().childSignal == SIGKILL);
    QVERIFY(session.drills().back().proven);

    click(window, "modeReport");
    click(window, "exportButton");
    QFile pdf(window.findChild<QLineEdit*>(QStringLiteral("exportPath"))->text());
    QTRY_VERIFY_WITH_TIMEOUT(pdf.exists() && !session.busy(), kPatience);
    QVERIFY(pdf.open(QIODevice::ReadOnly));
    const auto bytes = pdf.readAll();
    QVERIFY(bytes.startsWith("%PDF-"));
    QVERIFY(bytes.trimmed().endsWith("%%EOF"));
    for (const Mode mode : kModes) {
        window.setMode(mode);
        settle(session);
        saveScreenshots(window, QStringLiteral("e2e-%1").arg(static_cast<int>(mode)));
    }
    QVERIFY(window.close());
}

void WindowTest::keysReachEveryPageAndItsWidgets() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, allPages());
    show(window);
    QVERIFY(window.welcome()->open(example_));
    for (std::size_t i = 0; i < kModes.size(); ++i) {
        QTest::keyClick(&window, static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(i)),
                        Qt::ControlModifier);
        QVERIFY(window.mode() == kModes[i]);
        settle(session);
        QSet<QWidget*> reached;
        for (int tab = 0; tab < 300; ++tab) {
            QTest::keyClick(
                QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : &window,
                Qt::Key_Tab);
            reached.insert(QApplication::focusWidget());
        }
        for (auto* widget : window.page(kModes[i])->findChildren<QWidget*>()) {
            const bool wanted = widget->isVisible() && widget->isEnabled() &&
                                (widget->focusPolicy() & Qt::TabFocus) != 0 &&
                                widget->focusProxy() == nullptr;
            // Of buttons that exclude each other only the checked one takes Tab, arrows the rest.
            const auto* button = qobject_cast<QAbstractButton*>(widget);
            const bool byArrow = button != nullptr && button->isCheckable() &&
                                 !button->isChecked() &&
                                 (button->autoExclusive() || button->group() != nullptr);
            QVERIFY2(!wanted || byArrow || reached.contains(widget),
                     qPrintable(QStringLiteral("%1 '%2' of page %3")
                                    .arg(QString::fromLatin1(widget->metaObject()->className()),
                                         widget->objectName())
                                    .arg(i)));
        }
    }
}

void WindowTest::everythingFocusableHasAName() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, allPages());
    show(window);
    QVERIFY(window.welcome()->open(example_));
    for (const Mode mode : kModes) {
        window.setMode(mode);
        settle(session);
    }
    QCOMPARE(namelessWidgets(window).join(u'\n'), QString());
}

void WindowTest::smallWindowsCutNothing() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, allPages());
    show(window);
    QVERIFY(window.welcome()->open(example_));
    window.resize(1024, 700);
    for (const Mode mode : kModes) {
        window.setMode(mode);
        settle(session);
        QVERIFY2(window.size() == QSize(1024, 700), qPrintable(QStringLiteral("page %1 needs %2x%3")
                                                                   .arg(static_cast<int>(mode))
                                                                   .arg(window.width())
                                                                   .arg(window.height())));
        const auto* page = window.page(mode);
        QVERIFY2(page->width() >= page->minimumSizeHint().width(),
                 qPrintable(QStringLiteral("page %1 is %2 wide of %3")
                                .arg(static_cast<int>(mode))
                                .arg(page->width())
                                .arg(page->minimumSizeHint().width())));
    }
}

// Two widgets of one page with the same key, or one with a menu's: then neither acts at once.
void WindowTest::noMnemonicIsTaken() {
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, allPages());
    show(window);
    const auto empty = home_.filePath(QStringLiteral("empty"));
    Project::create(posixFileSystem(), empty.toStdString(), "embedded example");
    QStringList problems;
    for (const auto& project : {QString(), empty, example_}) {
        if (!project.isEmpty()) {
            QVERIFY(window.welcome()->open(project));
        }
        for (const Mode mode : kModes) {
            window.setMode(mode);
            settle(session);
            QMap<QString, QString> taken;
            const auto take = [&](const QString& text) {
                const auto key = QKeySequence::mnemonic(text).toString();
                if (!key.isEmpty() && taken.contains(key) && taken[key] != text) {
                    problems << QStringLiteral("page %1: %2 of \"%3\" and \"%4\"")
                                    .arg(static_cast<int>(mode))
                                    .arg(key, taken[key], text);
                }
                taken[key] = text;
            };
            for (const auto* menu : window.menuBar()->actions()) {
                take(menu->text());
            }
            for (const auto* widget : window.page(mode)->findChildren<QWidget*>()) {
                const auto* button = qobject_cast<const QAbstractButton*>(widget);
                const auto* label = qobject_cast<const QLabel*>(widget);
                if (widget->isVisible() && button != nullptr) {
                    take(button->text());
                } else if (widget->isVisible() && label != nullptr && label->buddy() != nullptr) {
                    take(label->text());
                }
            }
        }
    }
    problems.removeDuplicates();
    QCOMPARE(problems.join(u'\n'), QString());
}

// Case D24.
void WindowTest::localeChangesNoNumber() {
    const auto texts = [this] {
        Session session(RECEIPTBENCH_PROGRAM);
        MainWindow window(session, allPages());
        show(window);
        window.welcome()->open(example_);
        session.selectRun(QStringLiteral("fp32"));
        QStringList all;
        for (const Mode mode : kModes) {
            window.setMode(mode);
            settle(session);
            all << visibleTexts(*window.page(mode));
        }
        return all.join(u'\n');
    };
    const auto plain = texts();
    const GermanLocale german;
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    const auto abroad = texts();
    QLocale::setDefault(QLocale::c());
    QCOMPARE(abroad, plain);
    if (!german.active()) {
        QSKIP("no German locale on this machine: only Qt's was tried");
    }
}

// Case D21, with the real program.
void WindowTest::endingTheProgramDuringTrainingSaves() {
    const auto folder = home_.filePath(QStringLiteral("ended"));
    QProcess program;
    program.setProcessChannelMode(QProcess::ForwardedChannels);
    program.start(QStringLiteral(RECEIPTBENCH_GUI), {QStringLiteral("--example"), folder});
    QVERIFY(program.waitForStarted());
    const auto run = ProjectPaths{folder.toStdString()}.run("fp32");
    QFile events(QString::fromStdString(joinPath(run, "events.jsonl")));
    const auto hasTrained = [&events] {
        if (!events.open(QIODevice::ReadOnly)) {
            return false;
        }
        const bool trained = events.readAll().count("\"type\":\"update\"") >= 2;
        events.close();
        return trained;
    };
    QTRY_VERIFY_WITH_TIMEOUT(hasTrained(), kPatience);
    ::kill(static_cast<pid_t>(program.processId()), SIGTERM);
    QVERIFY(program.waitForFinished(kPatience));
    QCOMPARE(program.exitStatus(), QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 0);
    auto& files = posixFileSystem();
    const auto project = Project::open(files, folder.toStdString());
    const auto history = readHistory(files, run);
    QCOMPARE(QString::fromStdString(history.end.value("state", "")), QStringLiteral("stopped"));
    const auto saved =
        recoverCheckpoint(files, joinPath(run, "checkpoints"), project.contract().hash);
    QVERIFY(saved.chosen.has_value());
    QVERIFY(saved.rejected.empty());
    QCOMPARE(saved.state.values.attempted, history.updates.back().update);
}

// RECEIPTBENCH_SCREENSHOTS=folder and RECEIPTBENCH_SCREENSHOT_PROJECT=a finished project.
void WindowTest::screenshotsOfAProject() {
    const auto project = qEnvironmentVariable("RECEIPTBENCH_SCREENSHOT_PROJECT");
    if (qEnvironmentVariableIsEmpty("RECEIPTBENCH_SCREENSHOTS") || project.isEmpty()) {
        QSKIP("no pictures wanted");
    }
    Session session(RECEIPTBENCH_PROGRAM);
    MainWindow window(session, allPages());
    show(window);
    QVERIFY(window.welcome()->open(project));
    session.selectRun(QStringLiteral("fp32"));
    for (const Mode mode : kModes) {
        window.setMode(mode);
        settle(session);
        saveScreenshots(window, QStringLiteral("page-%1").arg(static_cast<int>(mode)));
    }
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::WindowTest)
#include "window_test.moc"
