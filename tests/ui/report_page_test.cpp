// The Report page on a tiny project: ticks change the pages, and the exported file is the command
// line's, byte for byte.
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/ui/screenshots.h"
#include "tests/ui/window_walk.h"
#include "tests/workbench/tiny_project.h"
#include "ui/report/report_page.h"
#include "ui/report/report_preview.h"
#include "ui/state_pane.h"

namespace receiptbench {

class ReportPageTest : public QObject {
    Q_OBJECT

 private:
    static constexpr int kPatience = 60000;  // milliseconds
    QTemporaryDir folder_;
    QString path_;

    static QPushButton* button(const ReportPage& page, const char* name) {
        return page.findChild<QPushButton*>(QString::fromLatin1(name));
    }
    static QListWidget* parts(const ReportPage& page) {
        return page.findChild<QListWidget*>(QStringLiteral("reportParts"));
    }
    static QString said(const ReportPage& page) {
        return page.findChild<QLabel*>(QStringLiteral("reportMessage"))->text();
    }
    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static void present(ReportPage& page, Session& session) {
        page.resize(1000, 720);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QVERIFY(session.waitForIdle(kPatience));
        QTRY_VERIFY_WITH_TIMEOUT(page.isReady(), kPatience);
    }
    static void exportTo(ReportPage& page, Session& session, const QString& path) {
        page.setExportPath(path);
        QSignalSpy written(&page, &ReportPage::exported);
        QTRY_VERIFY(button(page, "exportButton")->isEnabled());
        QTest::mouseClick(button(page, "exportButton"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(written.size(), 1, kPatience);
        QVERIFY(session.waitForIdle(kPatience));
    }

 private Q_SLOTS:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        path_ = folder_.filePath(QStringLiteral("p"));
        train(tinyProject(path_.toStdString()), tinyRun());
    }

    void withoutARunItSaysWhatToDo() {
        Session session(RECEIPTBENCH_PROGRAM);
        ReportPage page(session, nullptr);
        page.show();
        auto* state = page.findChild<StatePane*>();
        QCOMPARE(state->title(), QStringLiteral("No project is open"));
        const auto empty = folder_.filePath(QStringLiteral("empty"));
        tinyProject(empty.toStdString());
        QVERIFY(session.openProject(empty));
        QCOMPARE(state->title(), QStringLiteral("Nothing to report yet"));
        QVERIFY(!session.busy());
    }

    void aReportThatCannotBeReadSaysWhy() {
        const auto broken = folder_.filePath(QStringLiteral("broken"));
        train(tinyProject(broken.toStdString()), tinyRun());
        Session session(RECEIPTBENCH_PROGRAM);
        QVERIFY(session.openProject(broken));
        QVERIFY(QFile::rename(broken + "/frozen/val.pixels", broken + "/frozen/away"));
        ReportPage page(session, nullptr);
        page.show();
        auto* state = page.findChild<StatePane*>();
        QVERIFY(session.waitForIdle(kPatience));
        QTRY_COMPARE(state->title(), QStringLiteral("The report could not be put together"));
        QVERIFY(QFile::rename(broken + "/frozen/away", broken + "/frozen/val.pixels"));
        button(page, "stateButton")->click();
        QVERIFY(session.waitForIdle(kPatience));
        QTRY_VERIFY_WITH_TIMEOUT(page.isReady(), kPatience);
    }

    void ticksAndSizeChangeThePages() {
        Session session(RECEIPTBENCH_PROGRAM);
        QVERIFY(session.openProject(path_));
        ReportPage page(session, nullptr);
        QVERIFY(!session.busy());  // a hidden page starts nothing
        present(page, session);
        QCOMPARE(namelessWidgets(page).join(u' '), QString());
        const int all = page.pageCount();
        QVERIFY(all > 2);
        QCOMPARE(parts(page)->count(), static_cast<int>(pdfSections().size()));
        QCOMPARE(page.findChild<QListWidget*>(QStringLiteral("pageList"))->count(), all);
        auto* preview = page.findChild<ReportPreview*>();
        QCOMPARE(preview->pageCount(), all);
        QTRY_VERIFY(preview->isComplete());
        const auto first = preview->grab().toImage();

        for (int i = 1; i < parts(page)->count(); ++i) {
            parts(page)->item(i)->setCheckState(Qt::Unchecked);
        }
        QVERIFY(!page.isReady());
        QTRY_VERIFY_WITH_TIMEOUT(page.isReady(), kPatience);
        QCOMPARE(page.pageCount(), 1);
        parts(page)->item(0)->setCheckState(Qt::Unchecked);
        parts(page)->item(5)->setCheckState(Qt::Checked);
        QTRY_VERIFY_WITH_TIMEOUT(page.isReady(), kPatience);
        QTRY_VERIFY(preview->isComplete());
        QVERIFY(preview->grab().toImage() != first);

        parts(page)->item(5)->setCheckState(Qt::Unchecked);
        QTRY_COMPARE(preview->pageCount(), 0);
        QVERIFY(!button(page, "exportButton")->isEnabled());
        QVERIFY(said(page).contains(QStringLiteral("at least one")));
    }

    void theExportIsTheSameTwiceAndTheCommandLines() {
        Session session(RECEIPTBENCH_PROGRAM);
        QVERIFY(session.openProject(path_));
        ReportPage page(session, nullptr);
        QCOMPARE(page.exportPath(), path_ + QStringLiteral("/report/report.pdf"));
        present(page, session);
        const auto one = folder_.filePath(QStringLiteral("one.pdf")),
                   two = folder_.filePath(QStringLiteral("two.pdf"));
        exportTo(page, session, one);
        const auto bytes = read(one);
        QVERIFY(bytes.startsWith("%PDF-"));
        QVERIFY(said(page).contains(one));
        QVERIFY(QFile::exists(path_ + "/report/report.json"));
        QTest::qWait(1100);  // another second on the clock, which must not show
        exportTo(page, session, two);
        QVERIFY(bytes == read(two));
        QVERIFY(session.commandLine().contains(QStringLiteral("report")));

        const auto three = folder_.filePath(QStringLiteral("three.pdf"));
        QProcess process;
        process.start(RECEIPTBENCH_PROGRAM,
                      {QStringLiteral("report"), QStringLiteral("--project"), path_,
                       QStringLiteral("-o"), three, QStringLiteral("--quiet")});
        QVERIFY(process.waitForFinished(kPatience));
        QCOMPARE(process.exitCode(), 0);
        QVERIFY(bytes == read(three));
        textIsText(one);
    }

    void whatIsNoPdfIsNotReplaced() {
        Session session(RECEIPTBENCH_PROGRAM);
        QVERIFY(session.openProject(path_));
        ReportPage page(session, nullptr);
        present(page, session);
        const auto notes = folder_.filePath(QStringLiteral("notes.txt"));
        QFile file(notes);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("mine");
        file.close();
        page.setExportPath(notes);
        QTest::keyClick(&page, Qt::Key_E, Qt::ControlModifier);
        QTRY_VERIFY(said(page).contains(notes));
        QCOMPARE(read(notes), QByteArray("mine"));
        page.setExportPath(QStringLiteral("/proc/nowhere/report.pdf"));
        button(page, "exportButton")->click();
        QTRY_VERIFY_WITH_TIMEOUT(said(page).startsWith(QStringLiteral("Not written")), kPatience);

        button(page, "exportTextButton")->click();
        QVERIFY(session.waitForIdle(kPatience));
        QVERIFY(said(page).contains(QStringLiteral("report.md")));
        QVERIFY(read(path_ + "/report/report.md").size() > 100);
    }

    void theWindowDoesNotStall();
    void picturesForTheEye();

 private:
    static void textIsText(const QString& path) {
        if (QStandardPaths::findExecutable(QStringLiteral("pdftotext")).isEmpty()) {
            return;
        }
        QProcess process;
        process.start(QStringLiteral("pdftotext"), {path, QStringLiteral("-")});
        QVERIFY(process.waitForFinished(kPatience));
        const auto text = QString::fromUtf8(process.readAllStandardOutput());
        QVERIFY(text.contains(QStringLiteral("Receipt quality under a memory budget")));
        QVERIFY(text.contains(QStringLiteral("fp32")));
    }
};

// The longest time between two turns of the event loop, from the first part to the last page
// painted.
void ReportPageTest::theWindowDoesNotStall() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(qEnvironmentVariable("RECEIPTBENCH_SCREENSHOT_PROJECT", path_)));
    ReportPage page(session, nullptr);
    present(page, session);
    QElapsedTimer clock;
    qint64 longest = 0;
    QTimer beat;
    beat.setInterval(0);
    connect(&beat, &QTimer::timeout, &beat, [&] { longest = std::max(longest, clock.restart()); });
    clock.start();
    beat.start();
    parts(page)->item(0)->setCheckState(Qt::Unchecked);
    QTRY_VERIFY_WITH_TIMEOUT(page.isReady(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(page.findChild<ReportPreview*>()->isComplete(), kPatience);
    beat.stop();
    qInfo("longest stall %lld ms", static_cast<long long>(longest));
    QVERIFY2(longest < 400,
             qPrintable(QString::number(longest)));  // generous: the machine may be busy
}

// RECEIPTBENCH_SCREENSHOTS=folder, and RECEIPTBENCH_SCREENSHOT_PROJECT for another project than the
// tiny one.
void ReportPageTest::picturesForTheEye() {
    if (!qEnvironmentVariableIsSet("RECEIPTBENCH_SCREENSHOTS")) {
        QSKIP("no pictures wanted");
    }
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(qEnvironmentVariable("RECEIPTBENCH_SCREENSHOT_PROJECT", path_)));
    ReportPage page(session, nullptr);
    present(page, session);
    auto* preview = page.findChild<ReportPreview*>();
    QTRY_VERIFY_WITH_TIMEOUT(preview->isComplete(), kPatience);
    saveScreenshots(page, QStringLiteral("report"));
    preview->setZoom(1.5);
    preview->goTo(2);
    QTRY_VERIFY_WITH_TIMEOUT(preview->isComplete(), kPatience);
    exportTo(page, session, folder_.filePath(QStringLiteral("eye.pdf")));
    page.grab().save(qEnvironmentVariable("RECEIPTBENCH_SCREENSHOTS") +
                     QStringLiteral("/report-zoomed.png"));
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::ReportPageTest)
#include "report_page_test.moc"
