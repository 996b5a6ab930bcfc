// What the window says to be the equal command line gives the same result.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/workbench/tiny_project.h"
#include "ui/command_line.h"
#include "ui/session.h"

namespace receiptbench {

class EqualCommandTest : public QObject {
    Q_OBJECT

 private:
    QTemporaryDir folder_;

    // As a user would: in a shell, with the folder of another project.
    void runInShell(QString command, const QString& from, const QString& to) {
        QVERIFY2(command.startsWith(QStringLiteral("receiptbench ")), qPrintable(command));
        command.replace(from, to);
        command.replace(0, int(qstrlen("receiptbench")),
                        shellQuoted(QStringLiteral(RECEIPTBENCH_PROGRAM)));
        QProcess shell;
        shell.setProcessChannelMode(QProcess::MergedChannels);
        shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), command});
        QVERIFY(shell.waitForFinished(120000));
        QVERIFY2(shell.exitCode() == 0, shell.readAll().constData());
    }
    static void wait(Session& session) {
        QVERIFY(session.waitForIdle(120000));
        QVERIFY2(session.job().state == JobState::Finished, qPrintable(session.job().error));
    }

 private Q_SLOTS:
    void quoting();
    void freezeTrainResumeAndCompare();
    void demo();
};

void EqualCommandTest::quoting() {
    QCOMPARE(shellQuoted(QStringLiteral("/a/b-c.d")), QStringLiteral("/a/b-c.d"));
    QCOMPARE(shellQuoted(QString()), QStringLiteral("''"));
    QCOMPARE(shellQuoted(QStringLiteral("it's $HOME; rm")), QStringLiteral("'it'\\''s $HOME; rm'"));
}

void EqualCommandTest::freezeTrainResumeAndCompare() {
    const auto here = folder_.filePath(QStringLiteral("in the window")),
               there = folder_.filePath(QStringLiteral("in a shell"));
    for (const auto& path : {here, there}) {
        Project::create(posixFileSystem(), path.toStdString(), "embedded example");
    }
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(here));
    auto freeze = tinyRequest();
    freeze.contract.acceptanceThreshold = 0.625;
    freeze.contract.optimizer.learningRate = 1e-3;
    freeze.memoryLimit = 64 << 20;
    QVERIFY(session.startFreeze(freeze));
    wait(session);
    runInShell(session.commandLine(), here, there);
    const auto twin = Project::open(posixFileSystem(), there.toStdString());
    QCOMPARE(QString::fromStdString(twin.contract().hash),
             QString::fromStdString(session.project()->contract().hash));

    auto train = tinyRun();
    train.stopAfter = 4;
    QVERIFY(session.startTraining(train));
    wait(session);
    runInShell(session.commandLine(), here, there);
    QVERIFY(session.startResume({"fp32", {}, {}, {}, {}, {}, true}));
    wait(session);
    runInShell(session.commandLine(), here, there);
    const auto chain = receipts(*session.project(), "fp32");
    QCOMPARE(chain.size(), std::size_t{6});
    QVERIFY(receipts(twin, "fp32") == chain);
    QVERIFY(session.startTraining(tinyRun(Precision::Bf16)));
    wait(session);
    runInShell(session.commandLine(), here, there);
    QVERIFY(receipts(twin, "bf16") == receipts(*session.project(), "bf16"));
}

void EqualCommandTest::demo() {
    DemoRequest request;
    request.out = "/tmp/some where";
    request.updates = 8;
    request.height = request.width = 32;
    request.modes = {Precision::Fp32};
    QCOMPARE(
        demoCommand(request),
        QStringLiteral(
            "receiptbench demo --out '/tmp/some where' --updates 8 --size 32x32 --modes fp32"));
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::EqualCommandTest)
#include "equal_command_test.moc"
