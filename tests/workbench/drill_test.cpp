#include "core/workbench/drill.h"

#include <QtTest>

#include <QTemporaryDir>

#include <csignal>

#include <nlohmann/json.hpp>

#include "tests/workbench/tiny_project.h"

using namespace receiptbench;

namespace {

DrillRequest drillOf(const std::string& run) {
    DrillRequest request;
    request.run = run;
    request.program = RECEIPTBENCH_PROGRAM;
    return request;
}

std::int64_t callOf(const std::vector<FileCall>& tape, const std::string& operation) {
    for (const auto& call : tape) {
        if (call.operation == operation) {
            return call.index;
        }
    }
    return 0;
}

}  // namespace

class DrillTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void initTestCase() {
        project_ = std::make_unique<Project>(tinyProject(folder_.filePath("p").toStdString()));
        train(*project_, tinyRun());
        before_ = listing();
    }

    void aDeathInsideTheWriteIsRecovered() {
        const auto result = runDrill(*project_, drillOf("fp32"));
        QCOMPARE(result.childSignal, SIGKILL);
        QCOMPARE(result.crashedAtUpdate, 4);
        QCOMPARE(result.before.size(), 1U);
        QCOMPARE(result.afterCrash.size(), 2U);  // a half-written temporary beside it
        QCOMPARE(result.afterRecovery.size(), 1U);
        QCOMPARE(result.removedTemporaries.size(), 1U);
        // The tape names the file that was being written.
        const auto& call = result.tape.at(static_cast<std::size_t>(result.crashedAtCall - 1));
        QCOMPARE(call.path, result.removedTemporaries.front());
        QCOMPARE(result.resumedAtUpdate, 2);
        QCOMPARE(result.comparedUpdates, 4);
        QCOMPARE(result.equalUpdates, 4);
        QVERIFY(result.firstUpdateEqual);
        QVERIFY(result.negativeControlDiffers);
        QVERIFY(result.proven);
        QVERIFY2(result.notBitExact.empty(), result.notBitExact.c_str());
        QCOMPARE(gatherRunFacts(*project_, "fp32").recoveryProven, std::optional<bool>(true));
        QCOMPARE(listing(), before_);  // the run itself was not touched
    }

    void aDeathAfterTheRenameKeepsTheNewOne() {
        auto request = drillOf("fp32");
        const auto tape = callTape(*project_, "fp32");
        request.call = callOf(tape, "rename");
        QVERIFY(*request.call > 0);
        request.when = CrashWhen::After;
        const auto result = runDrill(*project_, request);
        QCOMPARE(result.resumedAtUpdate, 4);
        QCOMPARE(result.comparedUpdates, 2);
        QVERIFY(result.proven);
        request.when = CrashWhen::Before;
        QCOMPARE(runDrill(*project_, request).resumedAtUpdate, 2);
    }

    void anotherPlanStatesToleranceAndDifference() {
        auto request = drillOf("fp32");
        request.resumeMicrobatch = 3;
        const auto result = runDrill(*project_, request);
        QCOMPARE(result.notBitExact, std::string("microbatch 4 -> 3"));
        QCOMPARE(result.tolerance, 1e-3);
        QVERIFY(result.measuredDifference <= result.tolerance);
        QVERIFY(result.proven);
    }

    void wrongPointsAreRefused() {
        std::string message;
        auto request = drillOf("fp32");
        request.call = 10000;
        QCOMPARE(errorCodeOf([&] { runDrill(*project_, request); }, &message),
                 static_cast<int>(ErrorCode::Usage));
        QVERIFY(message.find("10000") != std::string::npos);
        request.call = callOf(callTape(*project_, "fp32"), "rename");
        QCOMPARE(errorCodeOf([&] { runDrill(*project_, request); }, &message),
                 static_cast<int>(ErrorCode::Usage));
        request = drillOf("fp32");
        request.atUpdate = 3;
        QCOMPARE(errorCodeOf([&] { runDrill(*project_, request); }, &message),
                 static_cast<int>(ErrorCode::Usage));
        request.atUpdate = 2;
        QCOMPARE(errorCodeOf([&] { runDrill(*project_, request); }, &message),
                 static_cast<int>(ErrorCode::Data));
        QCOMPARE(errorCodeOf([&] { parseCrashPoint("4:2"); }), static_cast<int>(ErrorCode::Usage));
        QCOMPARE(errorCodeOf([&] { parseCrashPoint("4:2:never"); }),
                 static_cast<int>(ErrorCode::Usage));
    }

    void aChildThatDoesNotDieIsSaid() {
        auto request = drillOf("fp32");
        request.program = "/bin/true";
        std::string message;
        QCOMPARE(errorCodeOf([&] { runDrill(*project_, request); }, &message),
                 static_cast<int>(ErrorCode::Failed));
        QVERIFY(message.find("exit code 0") != std::string::npos);
    }

    void aResultReadsBackAsItWasWritten() {
        const auto drills = listDrills(*project_);
        QVERIFY(drills.size() >= 3);
        for (const auto& drill : drills) {
            const nlohmann::json once = drill;
            QVERIFY(nlohmann::json(once.get<DrillResult>()) == once);
        }
    }

 private:
    std::vector<std::string> listing() const {
        std::vector<std::string> names;
        for (const char* sub : {"", "checkpoints"}) {
            for (const auto& entry :
                 project_->files().list(joinPath(project_->paths().run("fp32"), sub))) {
                names.push_back(entry.name + " " + std::to_string(entry.size));
            }
        }
        return names;
    }

    QTemporaryDir folder_;
    std::unique_ptr<Project> project_;
    std::vector<std::string> before_;
};

QTEST_APPLESS_MAIN(DrillTest)
#include "drill_test.moc"
