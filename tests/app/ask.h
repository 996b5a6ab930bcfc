// The built program as a user meets it: asked, and its answer.
#pragma once

#include <QtTest>

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

struct Answer {
    int code = -1;
    QString out, err;
    QJsonObject json() const { return QJsonDocument::fromJson(out.toUtf8()).object(); }
};

inline Answer ask(const QStringList& arguments, const QString& folder = QDir::tempPath()) {
    QProcess process;
    process.setWorkingDirectory(folder);
    process.start(QStringLiteral(RECEIPTBENCH_PROGRAM), arguments);
    if (!process.waitForFinished(240000)) {
        process.kill();
        process.waitForFinished();
        return {-2, {}, QStringLiteral("took too long")};
    }
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -process.exitCode(),
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

inline const QStringList kTinyFreeze{"freeze", "--example",     "16", "--size",
                                     "32x32",  "--model-width", "8",  "--examples-per-update",
                                     "10",     "--updates",     "6",  "--checkpoint-interval",
                                     "2",      "--warmup",      "2",  "--quiet"};
inline const QStringList kTinyPlan{"--microbatch", "4", "--memory-format", "contiguous", "--quiet"};

inline QStringList in(const QString& project, QStringList arguments) {
    return arguments << "--project" << project;
}

inline void write(const QString& path, const QByteArray& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

inline QByteArray read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// One line that says what is wrong, naming the value, and one with the remedy.
#define REFUSED(answer, expectedCode, value)                                  \
    do {                                                                      \
        const Answer& a = answer;                                             \
        QVERIFY2(a.code == (expectedCode),                                    \
                 qPrintable(QString::number(a.code) + ": " + a.err + a.out)); \
        QCOMPARE(a.err.count("receiptbench: "), 1);                           \
        QVERIFY2(a.err.contains(value), qPrintable(a.err));                   \
        QVERIFY2(a.err.contains("\nremedy: "), qPrintable(a.err));            \
    } while (false)
