// What a demo leaves behind that did not get as far as a frozen contract. The whole job is in
// tests/app.
#include <QtTest>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include "core/data/decode.h"
#include "core/workbench/demo.h"
#include "tests/workbench/tiny_project.h"

using namespace receiptbench;

namespace {

DemoRequest tinyDemo(const QString& out) {
    DemoRequest request;
    request.out = out.toStdString();
    request.identities = 12;
    request.height = request.width = 32;
    request.updates = 2;
    return request;
}

int ran(const DemoRequest& request, std::string* message, const CancelToken& cancel = {}) {
    TrainListener nobody;
    return errorCodeOf(
        [&] { runDemo(posixFileSystem(), request, Progress::none(), nobody, cancel); }, message);
}

// Photos whose headers are fine: only decoding finds that their ends are missing.
QString cutPhotos(const QTemporaryDir& folder) {
    const auto manifest = folder.filePath("photos.csv");
    QFile list(manifest);
    if (list.open(QIODevice::WriteOnly)) {
        list.write("path,label,identity\n");
    }
    for (int i = 0; i < 12; ++i) {
        const auto name = QString("photo%1.png").arg(i);
        const auto shade = static_cast<std::uint8_t>(20 * i);
        writePng(folder.filePath(name).toStdString(),
                 {64, 64, std::vector<std::uint8_t>(64 * 64 * 3, shade)});
        QFile photo(folder.filePath(name));
        photo.resize(photo.size() - 20);
        list.write(
            QString("%1,%2,i%3\n").arg(name, i % 2 ? "blurred" : "readable").arg(i).toUtf8());
    }
    return manifest;
}

}  // namespace

class DemoTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void photosThatCannotBeDecoded() {
        QTemporaryDir folder;
        auto request = tinyDemo(folder.filePath("out"));
        request.data = cutPhotos(folder).toStdString();
        std::string message;
        for (int attempt = 0; attempt < 2; ++attempt) {  // the second finds the first's folder gone
            QCOMPARE(ran(request, &message), static_cast<int>(ErrorCode::Data));
            QVERIFY2(message.find("truncated") != std::string::npos, message.c_str());
        }
        QVERIFY(!QDir(folder.filePath("out")).exists());
    }

    void stoppedBeforeAnythingIsFrozen() {
        QTemporaryDir folder;
        const auto out = folder.filePath("out");
        QVERIFY(QDir().mkpath(out));  // one's own folder stays
        CancelToken stopped;
        stopped.finishUpdate();
        std::string message;
        QCOMPARE(ran(tinyDemo(out), &message, stopped), static_cast<int>(ErrorCode::Interrupted));
        QVERIFY2(message.find("--resume") == std::string::npos, message.c_str());
        QVERIFY(QDir(out).exists() &&
                QDir(out).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
    }
};

QTEST_APPLESS_MAIN(DemoTest)
#include "demo_test.moc"
