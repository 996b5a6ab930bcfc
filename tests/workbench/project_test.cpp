#include "tests/workbench/tiny_project.h"

#include <QtTest>

#include <QTemporaryDir>

#include "core/base/trace_file_system.h"

using namespace receiptbench;

namespace {

constexpr int kFailed = static_cast<int>(ErrorCode::Failed),
              kData = static_cast<int>(ErrorCode::Data),
              kOverBudget = static_cast<int>(ErrorCode::OverBudget),
              kUsage = static_cast<int>(ErrorCode::Usage);

std::string pathIn(const QTemporaryDir& folder, const char* name) {
    return folder.filePath(name).toStdString();
}

}  // namespace

class ProjectTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void createsAndOpens() {
        QTemporaryDir folder;
        const auto root = pathIn(folder, "p");
        Project::create(posixFileSystem(), root, "somewhere");
        QCOMPARE(Project::open(posixFileSystem(), root + "/").paths().root, root);
        QVERIFY(!Project::open(posixFileSystem(), root).isFrozen());
    }

    void refusesAUsedFolder() {
        QTemporaryDir folder;
        const auto root = pathIn(folder, "p");
        Project::create(posixFileSystem(), root, "");
        std::string message;
        QCOMPARE(errorCodeOf([&] { Project::create(posixFileSystem(), root, ""); }, &message),
                 kFailed);
        QVERIFY(message.find("already holds a project") != std::string::npos);
        posixFileSystem().makeDirectories(pathIn(folder, "q/keep"));
        QCOMPARE(errorCodeOf([&] { Project::create(posixFileSystem(), pathIn(folder, "q"), ""); },
                             &message),
                 kFailed);
        QVERIFY(message.find("keep") != std::string::npos);
    }

    // Seen as free by both, taken by the other.
    void ofTwoThatCreateAtOnceTheSecondIsToldSo() {
        QTemporaryDir folder;
        const auto root = pathIn(folder, "p");
        TraceHooks hooks;
        hooks.before = [&](const FileCall& call) {
            if (call.operation == "rename") {
                writeAtomically(posixFileSystem(), joinPath(root, "project.json"),
                                std::string_view("the other's"));
            }
        };
        const auto files = traceFileSystem(posixFileSystem(), nullptr, hooks);
        posixFileSystem().makeDirectories(root);
        std::string message;
        QCOMPARE(errorCodeOf([&] { Project::create(*files, root, ""); }, &message), kFailed);
        QVERIFY2(message.find("already holds a project") != std::string::npos, message.c_str());
    }

    void refusesWhatIsNoProject() {
        QTemporaryDir folder;
        std::string message;
        const auto root = folder.path().toStdString();
        QCOMPARE(errorCodeOf([&] { Project::open(posixFileSystem(), root); }, &message), kData);
        QVERIFY(message.find(root) != std::string::npos);
        writeAtomically(posixFileSystem(), joinPath(root, "project.json"),
                        std::string_view("{\"format\":2}"));
        QCOMPARE(errorCodeOf([&] { Project::open(posixFileSystem(), root); }, &message), kData);
        QVERIFY(message.find("format 2") != std::string::npos);
    }

    void aFolderThatCannotBeWrittenIsNamed() {
        QTemporaryDir folder;
        writeAtomically(posixFileSystem(), pathIn(folder, "file"), std::string_view("x"));
        std::string message;
        QCOMPARE(
            errorCodeOf([&] { Project::create(posixFileSystem(), pathIn(folder, "file/p"), ""); },
                        &message),
            kFailed);
        QVERIFY(message.find("file") != std::string::npos);
    }

    void aChangedPixelIsNoticedBeforeItIsUsed() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        for (const char* name : {"val.pixels", "train.pixels"}) {
            const auto path = joinPath(project.paths().frozen(), name);
            const auto before = readText(project.files(), path);
            auto changed = before;
            changed[5000] = static_cast<char>(changed[5000] ^ 1);
            project.files().remove(path);
            writeAtomically(project.files(), path, changed);
            std::string message;
            const bool validation = name[0] == 'v';
            QCOMPARE(errorCodeOf(
                         [&] {
                             if (validation) {
                                 evaluateRun(project, "fp32");
                             } else {
                                 train(project, tinyRun());
                             }
                         },
                         &message),
                     kData);
            QVERIFY2(message.find(name) != std::string::npos &&
                         message.find("have changed") != std::string::npos,
                     message.c_str());
            project.files().remove(path);
            writeAtomically(project.files(), path, before);
        }
        evaluateRun(project, "fp32");
    }

    void freezesOnceAndReadsBack() {
        QTemporaryDir folder;
        auto project = tinyProject(pathIn(folder, "p"));
        const auto loaded = project.contract();
        QCOMPARE(loaded.contract.trainExamples + loaded.contract.validationExamples, 48);
        QCOMPARE(project.trainSource()->size(), loaded.contract.trainExamples);
        QCOMPARE(digestOfTensors(project.initialWeights()), loaded.contract.model.revision);
        project.frozen(true);
        std::string message;
        QCOMPARE(errorCodeOf([&] { freezeProject(project, tinyRequest()); }, &message), kFailed);
        QVERIFY(message.find("frozen already") != std::string::npos);
    }

    void theSameRequestGivesTheSameContract() {
        QTemporaryDir folder;
        QCOMPARE(tinyProject(pathIn(folder, "p")).contract().hash,
                 tinyProject(pathIn(folder, "q")).contract().hash);
    }

    void anEditedContractIsRefused() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        auto text = readText(posixFileSystem(), project.paths().contract());
        const auto at = text.find("\"updates\":6");
        QVERIFY(at != std::string::npos || text.find("\"updates\": 6") != std::string::npos);
        text.replace(text.find('6', text.find("\"updates\"")), 1, "7");
        writeAtomically(posixFileSystem(), project.paths().contract(), text);
        QCOMPARE(errorCodeOf([&] { project.contract(); }), kData);
    }

    void changedPixelsAreFound() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        const auto path = joinPath(project.paths().frozen(), "val.pixels");
        auto bytes = readBytes(posixFileSystem(), path);
        bytes.back() ^= std::byte{1};
        writeAtomically(posixFileSystem(), path, bytes);
        std::string message;
        QCOMPARE(errorCodeOf([&] { project.frozen(true); }, &message), kData);
        QVERIFY(message.find("val.pixels") != std::string::npos);
    }

    void wrongValuesAreSaidBeforeAnythingIsDrawn() {
        QTemporaryDir folder;
        auto project = Project::create(posixFileSystem(), pathIn(folder, "p"), "");
        auto request = tinyRequest();
        request.contract.acceptanceThreshold = 1.5;
        std::string message;
        const int code = errorCodeOf([&] { freezeProject(project, request); }, &message);
        QVERIFY(code == kUsage || code == kData);
        QVERIFY(message.find("1.5") != std::string::npos);
        QVERIFY(!posixFileSystem().exists(project.paths().frozen()));
    }

    void aBudgetTooSmallForOneExampleSaysWhatOneNeeds() {
        QTemporaryDir folder;
        auto project = Project::create(posixFileSystem(), pathIn(folder, "p"), "");
        auto request = tinyRequest();
        request.memoryLimit = 100000;
        std::string message;
        QCOMPARE(errorCodeOf([&] { freezeProject(project, request); }, &message), kOverBudget);
        QVERIFY2(message.find("bytes)") != std::string::npos, message.c_str());
        // No advice that it knows to be of no use.
        QVERIFY2(message.ends_with("raise --budget to that: no smaller image or model fits either"),
                 message.c_str());
        QVERIFY(!project.isFrozen());
        // What it says is enough, also for the run.
        const auto open = message.find('(');
        request.memoryLimit = std::stoll(message.substr(open + 1));
        freezeProject(project, request);
        QVERIFY(project.isFrozen());
        TrainRequest run;
        run.stopAfter = 2;
        QCOMPARE(train(project, run).summary.attempted, 2);
    }

    // The check before a run holds the full batch, at 16x16 if need be: freezing counts it in.
    void aBudgetThatTheCheckDoesNotFitIsRefused() {
        QTemporaryDir folder;
        auto project = Project::create(posixFileSystem(), pathIn(folder, "p"), "");
        auto request = tinyRequest();
        request.contract.examplesPerUpdate = 47;
        request.memoryLimit = 900 << 10;
        std::string message;
        QCOMPARE(errorCodeOf([&] { freezeProject(project, request); }, &message), kOverBudget);
        QVERIFY2(message.find("gradient check of 47") != std::string::npos, message.c_str());
        request.memoryLimit = std::stoll(message.substr(message.find('(') + 1));
        freezeProject(project, request);
        TrainRequest run;
        run.stopAfter = 2;
        QCOMPARE(train(project, run).summary.attempted, 2);
    }

    void onlyOneProcessImportsOrFreezes() {
        QTemporaryDir folder;
        auto project = Project::create(posixFileSystem(), pathIn(folder, "p"), "");
        auto held = posixFileSystem().tryLock(joinPath(project.paths().root, "project.lock"));
        QVERIFY(held != nullptr);
        std::string message;
        QCOMPARE(errorCodeOf([&] { freezeProject(project, tinyRequest()); }, &message), kFailed);
        QVERIFY2(message.find("another process") != std::string::npos, message.c_str());
        QCOMPARE(errorCodeOf([&] { importInto(project, {}); }, &message), kFailed);
        held.reset();
        freezeProject(project, tinyRequest());
    }

    void suggestedBudgetBites() {
        auto request = tinyRequest();
        request.contract.examplesPerUpdate = 47;
        request.contract.height = request.contract.width = 64;
        const auto bytes = suggestBudget(request.contract, 3);
        QVERIFY(bytes > 0);
        QTemporaryDir folder;
        request.data.height = request.data.width = 64;
        request.memoryLimit = bytes;
        const auto project = tinyProject(pathIn(folder, "p"), request);
        PlanOptions options;
        options.memoryLimit = bytes;
        options.microbatch = 16;
        options.secondsPerProbe = 0.001;
        QVERIFY(planProject(project, options).chosen.has_value());
        QVERIFY(storedPlan(project, Precision::Fp32).has_value());
        QVERIFY(!storedPlan(project, Precision::Bf16).has_value());
    }
};

QTEST_APPLESS_MAIN(ProjectTest)
#include "project_test.moc"
