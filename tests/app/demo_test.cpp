// The whole job, small: what it must leave behind and say.
#include <QtTest>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <csignal>

class DemoTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void everyPartIsThere() {
        QTemporaryDir folder;
        const auto out = folder.filePath("demo project");  // with a space
        QProcess process;
        process.start(QStringLiteral(RECEIPTBENCH_PROGRAM),
                      {"demo", "--out", out, "--identities", "12", "--size", "32x32", "--updates",
                       "8", "--quiet"});
        QVERIFY(process.waitForFinished(280000));
        const auto text = QString::fromUtf8(process.readAllStandardOutput());
        const auto errors = QString::fromUtf8(process.readAllStandardError());
        // So few images and updates may or may not preserve the accuracy; everything else must have
        // worked.
        QVERIFY2(process.exitCode() == 0 || process.exitCode() == 10, qPrintable(errors + text));
        QVERIFY2(text.contains("recovery proven"), qPrintable(text));
        QVERIFY(text.contains("2 skipped as injected, loss scale 65536 -> 16384"));
        QVERIFY(text.contains("as it must be"));

        QFile file(out + "/report/report.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto report = QJsonDocument::fromJson(file.readAll()).object();
        QStringList names;
        for (const auto& run : report.value("runs").toArray()) {
            const auto ledger = run.toObject().value("ledger").toObject();
            names << run.toObject().value("name").toString();
            QCOMPARE(ledger.value("fewestAcceptedInAnUpdate").toInt(), 47);
            QCOMPARE(ledger.value("mostAcceptedInAnUpdate").toInt(), 47);
            const auto peak = ledger.value("peak").toObject().value("total").toDouble();
            QVERIFY(peak > 0 && peak <= run.toObject().value("memoryLimit").toDouble());
            if (names.back() == "fp32") {
                QVERIFY(run.toObject().value("microbatch").toInt() <
                        47);  // the budget bites; half precision may fit whole
            }
        }
        QCOMPARE(names, QStringList({"fp32", "bf16", "fp16", "wrong", "overflow"}));
        QVERIFY(report.value("recovery").toArray().size() >= 1);
        QVERIFY(QFile::exists(out + "/report/report.md"));
    }

    void anInterruptKeepsWhatIsDone() {
        QTemporaryDir folder;
        const auto out = folder.filePath("p");
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(QStringLiteral(RECEIPTBENCH_PROGRAM),
                      {"demo", "--out", out, "--identities", "12", "--size", "32x32", "--updates",
                       "5000", "--verbose"});
        QByteArray seen;
        while (!seen.contains("update 3:")) {
            QVERIFY2(process.waitForReadyRead(120000), seen.constData());
            seen += process.readAll();
        }
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitCode(), 130);
        QProcess runs;
        runs.start(QStringLiteral(RECEIPTBENCH_PROGRAM), {"runs", "--project", out});
        QVERIFY(runs.waitForFinished(60000));
        QVERIFY(runs.readAllStandardOutput().contains("stopped"));
        QProcess next;
        next.start(QStringLiteral(RECEIPTBENCH_PROGRAM),
                   {"train", "--project", out, "--resume", "--dry-run"});
        QVERIFY(next.waitForFinished(60000));
        QCOMPARE(next.exitCode(), 0);
        QVERIFY(next.readAllStandardOutput().contains("ckpt-g0001-s"));
    }
};

QTEST_APPLESS_MAIN(DemoTest)
#include "demo_test.moc"
