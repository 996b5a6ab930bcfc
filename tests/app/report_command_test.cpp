// report: its three files, and what it says beside them.
#include <QtTest>

#include <QTemporaryDir>

#include "tests/app/ask.h"

class ReportCommandTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        QCOMPARE(ask(in(path("p"), kTinyFreeze)).code, 0);
    }

    // A report without a verdict says so where it is asked for, not in its files only.
    void withoutABaselineThereIsNoVerdict() {
        const auto answer = ask(in(path("p"), {"report", "--quiet"}));
        QCOMPARE(answer.code, 0);
        QVERIFY2(answer.err.contains("no comparison: there is no finished fp32 baseline"),
                 qPrintable(answer.err));
        QVERIFY(read(path("p/report/report.md")).contains("No comparison: "));
        const auto json = ask(in(path("p"), {"report", "--json"})).json();
        QVERIFY(json.value("comparisonProblem").toString().contains("baseline"));
        QCOMPARE(ask(in(path("p"), QStringList{"train"} + kTinyPlan)).code, 0);
        const auto judged = ask(in(path("p"), {"report", "--quiet"}));
        QVERIFY2(judged.code == 0 && judged.err.isEmpty(), qPrintable(judged.err));
    }

    void thePdfIsTheSameTwice() {
        const auto project = path("p");
        for (const char* name : {"one.pdf", "two.pdf"}) {
            const auto written = ask(in(project, {"report", "-o", path(name), "--json"}));
            QVERIFY2(written.code == 0, qPrintable(written.err));
            QCOMPARE(written.json().value("pdf").toString(), path(name));
        }
        const auto pdf = read(path("one.pdf"));
        QVERIFY(pdf.startsWith("%PDF-"));
        QVERIFY(pdf.trimmed().endsWith("%%EOF"));
        QVERIFY(pdf == read(path("two.pdf")));
        const auto part = ask(in(project, {"report", "-o", path("part.pdf"), "--sections", "time",
                                           "--page", "Letter", "--quiet"}));
        QVERIFY2(part.code == 0, qPrintable(part.err));
        QVERIFY(read(path("part.pdf")).size() < pdf.size());
        REFUSED(ask(in(project,
                       {"report", "-o", path("part.pdf"), "--sections", "weather", "--quiet"})),
                2, "weather");
    }

    void onlyAPdfIsReplaced() {
        const auto project = path("p");
        write(path("notes.pdf"), "mine");
        QVERIFY(QFile::link(path("one.pdf"), path("link.pdf")));
        for (const auto& taken :
             {path("notes.pdf"), path("link.pdf"), project, QString("/dev/full")}) {
            REFUSED(ask(in(project, {"report", "-o", taken, "--quiet"})), 1, taken);
        }
        QCOMPARE(read(path("notes.pdf")), QByteArray("mine"));
    }

 private:
    QString path(const QString& name) const { return folder_.filePath(name); }
    QTemporaryDir folder_;
};

QTEST_APPLESS_MAIN(ReportCommandTest)
#include "report_command_test.moc"
