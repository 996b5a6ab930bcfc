#include "core/workbench/training.h"

#include <QtTest>

#include <QTemporaryDir>

#include "core/checkpoint/store.h"
#include "tests/workbench/tiny_project.h"

using namespace receiptbench;

namespace {

std::string pathIn(const QTemporaryDir& folder, const char* name) {
    return folder.filePath(name).toStdString();
}

std::string checkpointFolder(const Project& project, const std::string& run) {
    return joinPath(project.paths().run(run), "checkpoints");
}

}  // namespace

class TrainingTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void aRunLeavesItsWholeRecord() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        const auto outcome = train(project, tinyRun());
        QVERIFY(outcome.summary.finished);
        QVERIFY(outcome.check && outcome.check->passed());
        QVERIFY(outcome.metrics.has_value());
        QCOMPARE(outcome.metrics->examples, project.contract().contract.validationExamples);
        const auto history = readHistory(project.files(), outcome.folder);
        QCOMPARE(history.updates.size(), 6U);
        QCOMPARE(history.checkpoints.size(), 3U);
        QVERIFY(!history.memory.empty());
        QCOMPARE(history.end.at("state").get<std::string>(), std::string("finished"));
        QCOMPARE(history.end.at("attempted").get<int>(), 6);
        QVERIFY(history.end.at("metrics").is_object());
        QVERIFY(project.files().exists(joinPath(outcome.folder, "check.json")));
        QCOMPARE(baselineRun(project), std::string("fp32"));
        // Evaluating the newest checkpoint gives the stored logits again.
        const auto stored = predictionsOf(project, "fp32").logits;
        const auto evaluation = evaluateRun(project, "fp32");
        QCOMPARE(evaluation.checkpoint, std::string("ckpt-g0001-s000000000006.safetensors"));
        QCOMPARE(evaluation.update, 6);
        QVERIFY(predictionsOf(project, "fp32").logits == stored);
    }

    void resumingGoesOnBitForBit() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        auto half = tinyRun();
        half.name = "half";
        half.stopAfter = 3;
        const auto stopped = train(project, half);
        QCOMPARE(readHistory(project.files(), stopped.folder).end.at("state").get<std::string>(),
                 std::string("stopped"));
        ResumeRequest request;
        request.run = "half";
        const auto outcome = resume(project, request);
        QVERIFY(outcome.summary.finished);
        QVERIFY2(outcome.notBitExact.empty(), outcome.notBitExact.c_str());
        QCOMPARE(receipts(project, "half"), receipts(project, "fp32"));
        QVERIFY(predictionsOf(project, "half").logits == predictionsOf(project, "fp32").logits);
        QVERIFY(listCheckpoints(project.files(), checkpointFolder(project, "half"))
                    .front()
                    .generation == 2);
    }

    void anotherPlanIsLabelled() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        auto half = tinyRun();
        half.stopAfter = 2;
        train(project, half);
        ResumeRequest request;
        request.run = "fp32";
        request.microbatch = 3;
        const auto outcome = resume(project, request);
        QCOMPARE(outcome.notBitExact, std::string("microbatch 4 -> 3"));
        QVERIFY(outcome.check && outcome.check->passed());
    }

    void withoutAValidCheckpointNothingIsStartedAnew() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        const auto before = receipts(project, "fp32");
        for (const auto& name :
             listCheckpoints(project.files(), checkpointFolder(project, "fp32"))) {
            writeAtomically(project.files(),
                            joinPath(checkpointFolder(project, "fp32"), fileName(name)),
                            std::string_view("cut"));
        }
        ResumeRequest request;
        request.run = "fp32";
        std::string message;
        QCOMPARE(errorCodeOf([&] { resume(project, request); }, &message),
                 static_cast<int>(ErrorCode::NoCheckpoint));
        QVERIFY2(message.find("ckpt-g0001") != std::string::npos, message.c_str());
        QCOMPARE(receipts(project, "fp32"), before);
        request.checkpoint = "ckpt-g0009-s000000000009.safetensors";
        QCOMPARE(errorCodeOf([&] { resume(project, request); }, &message),
                 static_cast<int>(ErrorCode::NoCheckpoint));
        QVERIFY(message.find("g0009") != std::string::npos);
    }

    // Of a finished run only the last update's weights are its result.
    void anOlderCheckpointIsNotEvaluatedInItsPlace() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        const auto before = predictionsOf(project, "fp32");
        const auto newest =
            joinPath(checkpointFolder(project, "fp32"), "ckpt-g0001-s000000000006.safetensors");
        project.files().remove(newest);
        std::string message;
        const int none = static_cast<int>(ErrorCode::NoCheckpoint);
        QCOMPARE(errorCodeOf([&] { evaluateRun(project, "fp32"); }, &message), none);
        QVERIFY2(message.find("of update 4: no later one is there") != std::string::npos,
                 message.c_str());
        writeAtomically(project.files(), newest, std::string_view("cut"));
        QCOMPARE(errorCodeOf([&] { evaluateRun(project, "fp32"); }, &message), none);
        QVERIFY2(message.find("of update 4") != std::string::npos &&
                     message.find("s000000000006") != std::string::npos,
                 message.c_str());
        QCOMPARE(errorCodeOf([&] { selectRun(project, "fp32", true); }), none);
        QCOMPARE(predictionsOf(project, "fp32").logits, before.logits);
        // The remedy works.
        ResumeRequest request;
        request.run = "fp32";
        resume(project, request);
        evaluateRun(project, "fp32");
        QCOMPARE(predictionsOf(project, "fp32").logits, before.logits);
    }

    void aNamedCheckpointIsTaken() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        const auto before = receipts(project, "fp32");
        ResumeRequest request;
        request.run = "fp32";
        request.checkpoint = "ckpt-g0001-s000000000002.safetensors";
        const auto outcome = resume(project, request);
        QCOMPARE(outcome.resumedAtUpdate, 2);
        QCOMPARE(receipts(project, "fp32"), before);
    }

    void aCheckpointOfAnotherRunIsRefused() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        auto other = tinyRun(Precision::Bf16);
        other.stopAfter = 4;
        train(project, other);
        ResumeRequest request;
        request.run = "bf16";
        request.checkpoint =
            joinPath(checkpointFolder(project, "fp32"), "ckpt-g0001-s000000000004.safetensors");
        const auto before = receipts(project, "bf16");
        std::string message;
        const int data = static_cast<int>(ErrorCode::Data);
        QCOMPARE(errorCodeOf([&] { resume(project, request); }, &message), data);
        QVERIFY2(message.find("it is fp32, the run is bf16") != std::string::npos, message.c_str());
        // The same precision, but not the same weights on the way.
        other = tinyRun();
        other.name = "cut";
        other.microbatch = 3;
        other.stopAfter = 4;
        train(project, other);
        request.run = "cut";
        QCOMPARE(errorCodeOf([&] { resume(project, request); }, &message), data);
        QVERIFY2(message.find("receipt") != std::string::npos, message.c_str());
        request.checkpoint =
            joinPath(checkpointFolder(project, "fp32"), "ckpt-g0001-s000000000006.safetensors");
        QCOMPARE(errorCodeOf([&] { resume(project, request); }, &message), data);
        QVERIFY2(message.find("no update 6") != std::string::npos, message.c_str());
        QCOMPARE(receipts(project, "bf16"), before);
    }

    void aPrecisionRunNeedsItsBaseline() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        std::string message;
        QCOMPARE(errorCodeOf([&] { train(project, tinyRun(Precision::Bf16)); }, &message),
                 static_cast<int>(ErrorCode::Data));
        QVERIFY(message.find("fp32 baseline") != std::string::npos);
        auto half = tinyRun();
        half.stopAfter = 3;  // not finished: no baseline
        train(project, half);
        QCOMPARE(errorCodeOf([&] { train(project, tinyRun(Precision::Bf16)); }),
                 static_cast<int>(ErrorCode::Data));
    }

    void aCheckpointThatCannotBeWrittenDoesNotEndTheRun() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        class Vandal : public TrainListener {
         public:
            explicit Vandal(const Project& project) : project_(project) {}
            void onStart(const std::string& run, const RunPlan&) override {
                const auto path = checkpointFolder(project_, run);
                project_.files().remove(path);
                writeAtomically(project_.files(), path, std::string_view("a file, not a folder"));
            }
            void onMessage(const std::string& text) override { messages.push_back(text); }
            std::vector<std::string> messages;

         private:
            const Project& project_;
        } vandal(project);
        const CancelToken never;
        const auto outcome = trainRun(project, tinyRun(), vandal, never);
        QVERIFY(outcome.summary.finished);
        QVERIFY(!outcome.degraded.empty());
        const auto history = readHistory(project.files(), outcome.folder);
        QCOMPARE(history.checkpoints.size(), 0U);
        QCOMPARE(
            std::count_if(history.messages.begin(), history.messages.end(),
                          [](const auto& message) { return message.value("degraded", false); }),
            std::ptrdiff_t{3});
        QVERIFY(history.end.at("checkpointsDegraded").get<std::string>() == outcome.degraded);
    }

    void otherWeightsAreANewLabelledRun() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        auto weights = project.initialWeights();
        weights.front().bytes.front() ^= std::byte{1};
        const auto path = pathIn(folder, "weights.safetensors");
        writeSafetensors(project.files(), path, {weights, {}});
        auto request = tinyRun();
        request.weights = path;
        const auto outcome = train(project, request);
        QCOMPARE(outcome.run, std::string("fp32-2"));
        QVERIFY(gatherRunFacts(project, "fp32-2").startedFromWeights);
        QCOMPARE(baselineRun(project), std::string("fp32"));
    }

    void everyExceptionBecomesTheFinalEvent() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        class Thrower : public TrainListener {
         public:
            void onUpdate(const UpdateRecord& record) override {
                if (record.update == 2) {
                    throw std::runtime_error("thrown by the listener");
                }
            }
        } thrower;
        const CancelToken never;
        QVERIFY_EXCEPTION_THROWN(trainRun(project, tinyRun(), thrower, never), std::runtime_error);
        const auto end = readHistory(project.files(), project.paths().run("fp32")).end;
        QCOMPARE(end.at("state").get<std::string>(), std::string("failed"));
        QVERIFY(end.at("error").get<std::string>().find("thrown by the listener") !=
                std::string::npos);
    }

    void aStopLeavesACheckpointToGoOnFrom() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        CancelToken cancel;
        class Stopper : public TrainListener {
         public:
            explicit Stopper(CancelToken& token) : token_(token) {}
            void onUpdate(const UpdateRecord& record) override {
                if (record.update == 3) {
                    token_.finishUpdate();
                }
            }

         private:
            CancelToken& token_;
        } stopper(cancel);
        auto request = tinyRun();
        request.name = "stopped";
        const auto outcome = trainRun(project, request, stopper, cancel);
        QVERIFY(outcome.summary.cancelled);
        QCOMPARE(outcome.summary.attempted, 3);
        ResumeRequest again;
        again.run = "stopped";
        QCOMPARE(resume(project, again).resumedAtUpdate, 3);
        QCOMPARE(receipts(project, "stopped"), receipts(project, "fp32"));
    }

    void injectedOverflowsAreCountedAndLabelled() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        auto request = tinyRun(Precision::Fp16);
        request.kind = "overflow";
        request.injectOverflowAt = {2, 4};
        request.stopAfter = 5;
        const auto outcome = train(project, request);
        QCOMPARE(outcome.run, std::string("overflow"));
        QCOMPARE(outcome.summary.skipped, 2);
        QCOMPARE(outcome.summary.applied, 3);
        const auto updates = readHistory(project.files(), outcome.folder).updates;
        QVERIFY(!updates.at(1).wasApplied && !updates.at(1).overflowInjected.empty());
        QCOMPARE(updates.at(1).scaleAfter, updates.at(1).scaleBefore / 2);
        QCOMPARE(updates.at(4).scaleAfter, updates.at(0).scaleBefore / 4);
    }
};

QTEST_APPLESS_MAIN(TrainingTest)
#include "training_test.moc"
