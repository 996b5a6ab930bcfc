// Whatever is changed in a project is found and named.
#include "core/workbench/verification.h"

#include <QtTest>

#include <QTemporaryDir>

#include "core/checkpoint/store.h"
#include "tests/workbench/tiny_project.h"

using namespace receiptbench;

class VerificationTest : public QObject {
    Q_OBJECT

 private:
    QTemporaryDir folder_;
    std::unique_ptr<Project> project_;

    // what: problem, of those that have one
    std::map<std::string, std::string> problems() {
        std::map<std::string, std::string> found;
        for (const auto& one : verifyProject(*project_)) {
            if (!one.problem.empty()) {
                found[one.what] = one.problem + " | " + one.remedy;
            }
        }
        return found;
    }

 private Q_SLOTS:
    void initTestCase() {
        project_ = std::make_unique<Project>(tinyProject(folder_.filePath("p").toStdString()));
        train(*project_, tinyRun());
    }

    void anIntactProjectHasNoProblem() {
        const auto all = verifyProject(*project_);
        QCOMPARE(all.size(), 4U);
        QCOMPARE(all.back().what, std::string("run fp32"));
        QVERIFY(problems().empty());
    }

    void everyChangeIsNamed_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("at");  // of the byte that is flipped
        QTest::addColumn<QString>("what");
        QTest::newRow("contract") << "frozen/contract.json" << 40 << "contract";
        QTest::newRow("split") << "frozen/split.csv" << 60 << "split and pictures";
        QTest::newRow("training pixels") << "frozen/train.pixels" << 9000 << "split and pictures";
        QTest::newRow("validation pixels") << "frozen/val.pixels" << 9000 << "split and pictures";
        QTest::newRow("weights") << "frozen/initial.safetensors" << -5 << "initial weights";
        QTest::newRow("run") << "runs/fp32/run.json" << 1 << "run fp32";
        QTest::newRow("checkpoint")
            << "runs/fp32/checkpoints/ckpt-g0001-s000000000006.safetensors" << -500 << "run fp32";
    }
    void everyChangeIsNamed() {
        QFETCH(QString, file);
        QFETCH(int, at);
        QFETCH(QString, what);
        auto& files = project_->files();
        const auto path = joinPath(project_->paths().root, file.toStdString());
        const auto before = readText(files, path);
        auto changed = before;
        auto& byte = changed.at(at < 0 ? changed.size() - static_cast<std::size_t>(-at)
                                       : static_cast<std::size_t>(at));
        byte = static_cast<char>(byte ^ 1);
        const auto replace = [&](const std::string& content) {
            files.remove(path);
            writeAtomically(files, path, content);
        };
        replace(changed);
        const auto found = problems();
        replace(before);
        QVERIFY2(found.contains(what.toStdString()), file.toUtf8().constData());
        QVERIFY(found.at(what.toStdString()).find(" | ") != std::string::npos);
        QVERIFY(problems().empty());
    }
};

QTEST_APPLESS_MAIN(VerificationTest)
#include "verification_test.moc"
