// What leaves a project comes back as it was: exported pictures freeze to the same bytes.
#include "core/workbench/exporting.h"

#include <QtTest>

#include <QTemporaryDir>

#include "core/data/decode.h"
#include "tests/workbench/tiny_project.h"

using namespace receiptbench;

class ExportingTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void exportedPicturesFreezeToTheSamePixels() {
        QTemporaryDir folder;
        const auto project = tinyProject(folder.filePath("p").toStdString());
        const auto written = exportDataset(project, folder.filePath("out").toStdString());
        const auto contract = project.contract().contract;
        QCOMPARE(written.train, contract.trainExamples);
        QCOMPARE(written.validation, contract.validationExamples);
        auto again =
            Project::create(posixFileSystem(), folder.filePath("q").toStdString(), "export");
        ImportOptions options;
        options.source = written.manifest;
        const auto catalogue = importInto(again, options);
        QVERIFY2(catalogue.rejects.empty(), rejectsCsv(catalogue.rejects).c_str());
        auto request = tinyRequest();
        request.data.syntheticIdentities = 0;
        request.data.derive = false;
        freezeProject(again, request);
        for (const char* name : {"train.pixels", "val.pixels"}) {
            QCOMPARE(PixelCache(joinPath(again.paths().frozen(), name)).digest(),
                     PixelCache(joinPath(project.paths().frozen(), name)).digest());
        }
        const auto before = project.frozen(), after = again.frozen();
        for (std::size_t i = 0; i < before.validation.size(); ++i) {
            QCOMPARE(after.validation[i].label, before.validation[i].label);
            QCOMPARE(after.validation[i].identity, before.validation[i].identity);
        }
    }

    void aUsedFolderAndChangedPixelsAreRefused() {
        QTemporaryDir folder;
        const auto project = tinyProject(folder.filePath("p").toStdString());
        std::string message;
        QCOMPARE(
            errorCodeOf([&] { exportDataset(project, folder.path().toStdString()); }, &message),
            static_cast<int>(ErrorCode::Failed));
        const auto path = joinPath(project.paths().frozen(), "val.pixels");
        auto bytes = readText(project.files(), path);
        bytes[6000] = static_cast<char>(bytes[6000] ^ 4);
        project.files().remove(path);
        writeAtomically(project.files(), path, bytes);
        const auto out = folder.filePath("out").toStdString();
        QCOMPARE(errorCodeOf([&] { exportDataset(project, out); }, &message),
                 static_cast<int>(ErrorCode::Data));
        QVERIFY(!project.files().exists(joinPath(out, "manifest.csv")));
    }
};

QTEST_APPLESS_MAIN(ExportingTest)
#include "exporting_test.moc"
