// The built program as a user meets it: exit codes, and one message with a remedy for each bad
// input.
#include <QtTest>

#include <QJsonArray>
#include <QTemporaryDir>

#include "core/data/decode.h"
#include "core/data/synthetic.h"
#include "tests/app/ask.h"

class CommandLineTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        for (int i = 0; i < 8; ++i) {
            receiptbench::writePng(path(QString("receipt%1.png").arg(i)).toStdString(),
                                   receiptbench::drawReceipt(1, i, 96, 128));
        }
    }

    void helpAndVersion() {
        const auto help = ask({"--help"});
        QCOMPARE(help.code, 0);
        for (const char* command :
             {"demo", "import", "freeze", "check", "plan", "train", "evaluate", "compare", "select",
              "drill", "report", "runs", "doctor", "export", "predict"}) {
            QVERIFY2(help.out.contains(command), command);
        }
        QCOMPARE(ask({"--version"}).code, 0);
    }

    void wrongUsage_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("value");
        QTest::newRow("no command") << QStringList{} << "subcommand";
        QTest::newRow("unknown command") << QStringList{"traain"} << "traain";
        QTest::newRow("unknown option") << QStringList{"runs", "--what"} << "--what";
        QTest::newRow("size") << QStringList{"freeze", "--size", "256"} << "256";
        QTest::newRow("size out of range") << QStringList{"freeze", "--size", "8x8"} << "8x8";
        QTest::newRow("budget") << QStringList{"freeze", "--budget", "lots"} << "lots";
        QTest::newRow("comma in a number") << QStringList{"freeze", "--lr", "0,05"} << "0,05";
        QTest::newRow("precision")
            << QStringList{"demo", "--modes", "fp8", "--out", "unused"} << "fp8";
        QTest::newRow("updates") << QStringList{"demo", "--updates", "0"} << "0";
        QTest::newRow("zero microbatch") << QStringList{"train", "--microbatch", "0"} << "0 is not";
        QTest::newRow("negative seed") << QStringList{"demo", "--seed", "-1"} << "-1";
        QTest::newRow("hexadecimal") << QStringList{"freeze", "--updates", "0x10"} << "0x10";
        QTest::newRow("beyond 64 bits")
            << QStringList{"demo", "--seed", "99999999999999999999"} << "99999999999999999999";
        QTest::newRow("nothing compared")
            << QStringList{"drill", "fp32", "--compare", "-1"} << "-1";
        const QStringList dry{"freeze", "--dry-run", "--example", "16"};
        QTest::newRow("dry optimizer") << dry + QStringList{"--optimizer", "foo"} << "foo";
        QTest::newRow("dry rate") << dry + QStringList{"--lr", "-1"} << "-1";
        QTest::newRow("dry share") << dry + QStringList{"--validation-share", "nan"} << "nan";
        QTest::newRow("dry label") << dry + QStringList{"--accept", "fine"} << "fine";
        QTest::newRow("source") << QStringList{"import", "/no/such/manifest.csv"}
                                << "/no/such/manifest.csv";
    }
    void wrongUsage() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, value);
        REFUSED(ask(arguments, folder_.path()), 2, value);
    }

    void noProject() { REFUSED(ask(in(path("nothing"), {"runs"})), 3, "nothing"); }

    void emptyFolder() {
        QDir().mkpath(path("empty"));
        REFUSED(ask(in(path("e"), {"import", path("empty")})), 3, "empty");
        QVERIFY(!QDir(path("e")).exists());
    }

    void oneClassOnly() {
        write(path("one.csv"),
              "path,label,identity\nreceipt0.png,readable,a\nreceipt1.png,readable,b\n");
        const auto imported = ask(in(path("o"), {"import", path("one.csv")}));
        QCOMPARE(imported.code, 0);  // more may be imported, or derived: only freezing needs two
        REFUSED(ask(in(path("o"), {"freeze", "--size", "32x32", "--model-width", "8"})), 3,
                "readable");
    }

    void identityInTwoSplits() {
        write(path("leak.csv"),
              "path,label,identity,split\nreceipt0.png,readable,same,train\nreceipt1.png,blurred,"
              "same,val\n");
        REFUSED(ask(in(path("l"), {"import", path("leak.csv")})), 3, "same");
    }

    void rejectsAreListedAndStrictRefuses() {
        QByteArray rows = "path,label,identity\nmissing.png,readable,m\n";
        for (int i = 0; i < 8; ++i) {
            rows += QString("receipt%1.png,%2,id%1\n")
                        .arg(i)
                        .arg(i % 2 == 0 ? "readable" : "blurred")
                        .toUtf8();
        }
        write(path("some.csv"), rows);
        const auto some = ask(in(path("s"), {"import", path("some.csv"), "--json"}));
        QVERIFY2(some.code == 0, qPrintable(some.err));
        QCOMPARE(some.json().value("rejected").toInt(), 1);
        QCOMPARE(some.json().value("accepted").toInt(), 8);
        QCOMPARE(some.json().value("version").toInt(), 1);
        QVERIFY(QFile::exists(path("s/rejects.csv")));
        REFUSED(ask(in(path("s2"), {"import", path("some.csv"), "--strict"})), 3, "missing.png");
        write(path("none.csv"),
              "path,label,identity\nmissing.png,readable,m\nnot-there.png,blurred,n\n");
        REFUSED(ask(in(path("s3"), {"import", path("none.csv")})), 3, "none.csv");
    }

    void budgetTooSmallForOneExample() {
        const auto answer = ask(in(path("b"), QStringList(kTinyFreeze) << "--budget"
                                                                       << "100KiB"));
        REFUSED(answer, 4, "100");
        QVERIFY2(answer.err.contains("bytes)"), qPrintable(answer.err));
    }

    void unwritableOutput() {
        write(path("file"), "x");
        REFUSED(ask({"demo", "--out", path("file/below"), "--quiet"}), 1, "file");
        REFUSED(ask({"demo", "--out", "/proc/nowhere", "--quiet"}), 1, "/proc");
    }

    // The corrected call finds the folder as it was.
    void aRefusedDemoLeavesNothingBehind() {
        const auto out = path("refused");
        REFUSED(ask({"demo", "--out", out, "--data", path("nowhere.csv"), "--quiet"}), 2,
                "nowhere");
        REFUSED(ask({"demo", "--out", out, "--budget", "100KiB", "--quiet"}), 4, "100");
        write(path("single.csv"), "path,label,identity\nreceipt0.png,readable,a\n");
        REFUSED(ask({"demo", "--out", out, "--data", path("single.csv"), "--quiet"}), 3,
                "identity");
        QVERIFY(!QDir(out).exists());
    }

    void aSecondRunOnTheSameFolder() {
        QDir().mkpath(path("used"));
        write(path("used/notes.txt"), "mine");
        REFUSED(ask({"demo", "--out", path("used"), "--quiet"}), 1, "notes.txt");
        QVERIFY(QFile::exists(path("used/notes.txt")));
    }

    void theWholeWayStepByStep() {
        const auto project = path("way");
        const auto frozen = ask(in(project, QStringList(kTinyFreeze) << "--json"));
        QVERIFY2(frozen.code == 0, qPrintable(frozen.err));
        QCOMPARE(frozen.json().value("hash").toString().size(), 64);
        REFUSED(ask(in(project, kTinyFreeze)), 1, "frozen already");
        REFUSED(ask(in(project, QStringList{"train", "--precision", "bf16"} + kTinyPlan)), 3,
                "fp32 baseline");
        REFUSED(ask(in(project, {"compare"})), 3, "baseline");
        REFUSED(ask(in(project, {"train", "--microbatch", "11"})), 2, "11");
        REFUSED(ask(in(project, {"train", "--inject-overflow-at", "7"})), 2, "7");
        REFUSED(ask(in(project, {"train", "--inject-overflow-at", "-1"})), 2, "-1");

        const auto checked = ask(in(project, QStringList{"check", "--json"} + kTinyPlan));
        QVERIFY2(checked.code == 0, qPrintable(checked.err));
        QVERIFY(checked.json().value("passed").toBool());
        const auto stopped =
            ask(in(project, QStringList{"train", "--stop-after", "3"} + kTinyPlan));
        QVERIFY2(stopped.code == 0, qPrintable(stopped.err));
        const auto trained = ask(in(project, {"train", "--resume", "--json", "--quiet"}));
        QVERIFY2(trained.code == 0, qPrintable(trained.err));
        QCOMPARE(trained.json().value("attempted").toInt(), 6);
        QCOMPARE(trained.json().value("acceptedExamples").toInt(), 60);
        QCOMPARE(trained.json().value("notBitExact").toString(), QString());
        const auto again = ask(in(project, {"train", "--resume", "--quiet"}));
        QVERIFY2(again.code == 0 && again.out.contains("nothing was left"), qPrintable(again.out));
        QCOMPARE(ask(in(project, QStringList{"train", "--wrong-normalisation"} + kTinyPlan)).code,
                 0);
        QCOMPARE(ask(in(project, {"compare", "--json"})).code,
                 0);  // the wrong run is not preserved, as it must be
        const auto evaluated = ask(in(project, {"evaluate", "fp32"}));
        QCOMPARE(evaluated.code, 0);
        QVERIFY2(evaluated.out.contains("weights of checkpoint ckpt-g"), qPrintable(evaluated.out));
        QCOMPARE(ask(in(project, {"report", "--quiet"})).code, 0);
        QVERIFY(QFile::exists(project + "/report/report.md"));
        const auto runs = ask(in(project, {"runs", "--json"}));
        QCOMPARE(runs.json().value("runs").toArray().size(), 2);
        REFUSED(ask(in(project, {"select", "nobody"})), 3, "nobody");
        const auto selected = ask(in(project, {"select", "fp32", "--force"}));
        QCOMPARE(selected.code, 0);
        QVERIFY2(selected.out.contains("weights of checkpoint ckpt-g"), qPrintable(selected.out));
        REFUSED(ask(in(project, {"select", "fp32", "--force"})), 1, "bundle");
        QCOMPARE(ask(in(project, {"select", "fp32", "--force", "--yes"})).code, 0);
    }

    void contractIsShownComparedAndVerified() {
        const auto project = path("way");
        const auto shown = ask(in(project, {"contract", "show"}));
        QVERIFY2(shown.code == 0 && shown.out.contains("optimizer.learningRate"),
                 qPrintable(shown.out));
        QCOMPARE(ask(in(project, {"contract", "diff", project})).code, 0);
        auto other = kTinyFreeze;
        other << "--lr"
              << "0.5";
        QCOMPARE(ask(in(path("other"), other)).code, 0);
        const auto differs = ask(in(project, {"contract", "diff", path("other"), "--json"}));
        QCOMPARE(differs.code, 3);
        const auto list = differs.json().value("differences").toArray();
        QCOMPARE(list.size(), 1);
        QCOMPARE(list[0].toObject().value("field").toString(), QString("optimizer.learningRate"));
        QCOMPARE(list[0].toObject().value("there").toString(), QString("0.5"));
        const auto verified = ask(in(project, {"contract", "verify"}));
        QVERIFY2(verified.code == 0 && verified.out.contains("split and pictures: as it was"),
                 qPrintable(verified.out));
    }

    void exportAndPredict() {
        const auto project = path("way");
        const auto exported = ask(in(project, {"export", "--dataset", path("set"), "--json"}));
        QVERIFY2(exported.code == 0, qPrintable(exported.err));
        QCOMPARE(
            exported.json().value("train").toInt() + exported.json().value("validation").toInt(),
            48);
        REFUSED(ask(in(project, {"export", "--dataset", path("set")})), 1, "set");
        write(path("broken.png"), "x");
        const QStringList some{"predict", path("set/val/000000.png"), path("broken.png"),
                               "--quiet"};
        const auto csv = ask(in(project, some));
        QCOMPARE(csv.code, 0);
        const auto lines = csv.out.trimmed().split('\n');
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines[0],
                 QString("file,predicted,decision,p(readable),p(blurred),p(cut-off),problem,"
                         "message"));
        QVERIFY2(lines[2].contains(",rejected,,,,not-an-image,"), qPrintable(lines[2]));
        QVERIFY(csv.err.contains("1 of 2 files were rejected"));
        REFUSED(ask(in(project, some + QStringList{"--strict"})), 3, "1 of 2");
        const auto json = ask(in(project, some + QStringList{"--json"}));
        QCOMPARE(json.json().value("photos").toArray().size(), 2);
        const auto jsonl = ask(in(project, some + QStringList{"--format", "jsonl"}));
        QVERIFY(QJsonDocument::fromJson(jsonl.out.split('\n')[0].toUtf8()).isObject());
        REFUSED(ask(in(project, {"predict", path("nowhere.png")})), 2, "nowhere.png");
        REFUSED(ask(in(project, {"predict", path("broken.png"), "--quiet"})), 3, "1 of 1");
    }

    void noValidCheckpoint() {
        const auto project = path("way");
        QDir checkpoints(project + "/runs/wrong/checkpoints");
        QVERIFY(!checkpoints.entryList(QDir::Files).isEmpty());
        for (const auto& file : checkpoints.entryList(QDir::Files)) {
            write(checkpoints.filePath(file), "cut");
        }
        REFUSED(ask(in(project, {"train", "--name", "wrong", "--resume", "--quiet"})), 5,
                "ckpt-g0001");
    }

    void aContractEditedAfterFreezing() {
        const auto path = this->path("way/frozen/contract.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        auto text = file.readAll();
        file.close();
        const auto at = text.indexOf('6', text.indexOf("\"updates\""));
        QVERIFY(at > 0);
        text[at] = '7';
        QFile::remove(path);
        write(path, text);
        REFUSED(ask(in(this->path("way"), {"train"})), 3, "contract");
    }

    void doctorAndDryRuns() {
        const auto doctor = ask({"doctor", "--json"});
        QCOMPARE(doctor.code, 0);
        QVERIFY(doctor.json().value("cores").toInt() >= 1);
        const auto dry = ask({"demo", "--dry-run", "--out", path("dry")});
        QCOMPARE(dry.code, 0);
        QVERIFY(dry.json().value("contract").isObject());
        QVERIFY(!QDir(path("dry")).exists());
        REFUSED(ask({"demo", "--dry-run", "--data", "nowhere.csv", "--out", path("dry")}), 2,
                "nowhere.csv");
        REFUSED(ask({"demo", "--dry-run", "--out", folder_.path()}), 1, folder_.path());
        REFUSED(ask({"demo", "--dry-run", "--updates", "1", "--out", path("dry")}), 2, "1 update");
        REFUSED(ask({"demo", "--microbatch", "48", "--out", path("dry")}), 2, "48");
        const auto budget = ask({"demo", "--dry-run", "--budget", "-5", "--out", path("dry")});
        QCOMPARE(budget.code, 2);
    }

    void leadingZerosAreDecimal() {
        const auto dry =
            ask({"freeze", "--dry-run", "--example", "16", "--seed", "010", "--budget", "none"});
        QVERIFY2(dry.code == 0, qPrintable(dry.err));
        QCOMPARE(dry.json().value("contract").toObject().value("seed").toInt(), 10);
        REFUSED(ask(in(path("none"), {"freeze", "--dry-run"})), 3, "none");
    }

    // Like a full disk behind a redirection, and like a service without standard streams.
    void outputThatCannotBeWritten() {
        const auto project = path("streams");
        QCOMPARE(ask(in(project, kTinyFreeze)).code, 0);
        const auto shell = [&](const QString& command) {
            QProcess process;
            process.start("sh",
                          {"-c", QStringLiteral("\"$0\" \"$@\" ") + command,
                           QStringLiteral(RECEIPTBENCH_PROGRAM), "train", "--project", project,
                           "--microbatch", "4", "--memory-format", "contiguous", "-v"});
            process.waitForFinished(240000);
            return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        };
        QCOMPARE(shell(">/dev/full"), 1);
        QCOMPARE(shell("2>/dev/full"), 0);
        QCOMPARE(shell("<&- >&- 2>&-"), 0);
        for (const char* run : {"fp32", "fp32-2", "fp32-3"}) {
            const auto folder = project + "/runs/" + run;
            QVERIFY(read(folder + "/events.jsonl").contains("\"finished\""));
            QCOMPARE(QFileInfo(folder + "/run.lock").size(), qint64(0));
        }
    }

    // The locale must not change a number: 0.05 stays 0.05 whatever the decimal sign of the user
    // is.
    void numbersDoNotFollowTheLocale() {
        const QStringList arguments{"freeze", "--dry-run", "--example", "16", "--lr", "0.05"};
        const auto plain = ask(arguments);
        qputenv("LC_ALL", "de_DE.UTF-8");
        const auto german = ask(arguments);
        qunsetenv("LC_ALL");
        QCOMPARE(plain.code, 0);
        QCOMPARE(german.out, plain.out);
        QVERIFY(plain.out.contains("0.05"));
    }

 private:
    QString path(const QString& name) const { return folder_.filePath(name); }
    QTemporaryDir folder_;
};

QTEST_APPLESS_MAIN(CommandLineTest)
#include "command_line_test.moc"
