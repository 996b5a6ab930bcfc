#include "core/runs/run_directory.h"

#include <QtTest>

#include <QTemporaryDir>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <nlohmann/json.hpp>

using namespace receiptbench;
namespace fs = std::filesystem;

namespace {

RunDescription described() {
    RunDescription run;
    run.kind = "wrong";
    run.contractHash = "hash";
    run.splitDigest = "split";
    run.datasetDigest = "dataset";
    run.plan = {Precision::Fp16, 12, MemoryFormat::ChannelsLast, 3};
    run.memoryLimit = 64 << 20;
    run.normalisation = Normalisation::MeanOfMeans;
    run.environment = {"2.13.0", "AVX512", "cpu", 3, false, true};
    run.created = "2026-12-01T10:20:30.123Z";
    run.startedFromWeights = "../w.safetensors";
    return run;
}

void writeText(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

class RunDirectoryTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void descriptionComesBack() {
        const std::string run = createRun(files(), project(), "fp16", described());
        QCOMPARE(run, joinPath(joinPath(project(), "runs"), "fp16"));
        QVERIFY(fs::is_directory(run + "/checkpoints"));
        const RunDescription loaded = loadRun(files(), run);
        const RunDescription expected = described();
        QCOMPARE(loaded.name, std::string("fp16"));
        QCOMPARE(loaded.kind, expected.kind);
        QCOMPARE(loaded.contractHash, expected.contractHash);
        QCOMPARE(loaded.splitDigest, expected.splitDigest);
        QCOMPARE(loaded.datasetDigest, expected.datasetDigest);
        QVERIFY(loaded.plan == expected.plan);
        QCOMPARE(loaded.memoryLimit, expected.memoryLimit);
        QVERIFY(loaded.normalisation == expected.normalisation);
        QVERIFY(loaded.environment == expected.environment);
        QCOMPARE(loaded.created, expected.created);
        QCOMPARE(loaded.startedFromWeights, expected.startedFromWeights);
    }

    void fiveRunsAtOnceAreFiveFolders() {
        std::vector<std::string> made(5);
        std::vector<std::thread> threads;
        for (std::string& folder : made) {
            threads.emplace_back(
                [this, &folder] { folder = createRun(files(), project(), "fp32", described()); });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        QCOMPARE(std::set<std::string>(made.begin(), made.end()).size(), std::size_t(5));
        for (const std::string& folder : made) {
            QCOMPARE(loadRun(files(), folder).name, baseName(folder));
        }
        std::size_t temporaries = 0;
        for (const auto& entry : fs::recursive_directory_iterator(project())) {
            temporaries +=
                entry.path().filename().string().find(".tmp") != std::string::npos ? 1 : 0;
        }
        QCOMPARE(temporaries, std::size_t(0));
    }

    void namesCountUpAndSkipStrangers() {
        fs::create_directories(project() + "/runs/fp32-2");
        QCOMPARE(baseName(createRun(files(), project(), "fp32", described())), std::string("fp32"));
        QCOMPARE(baseName(createRun(files(), project(), "fp32", described())),
                 std::string("fp32-3"));
        QVERIFY(fs::is_empty(project() + "/runs/fp32-2"));
    }

    void badNamesAreRefused() {
        for (const std::string& name :
             {std::string(), std::string(".."), std::string("a/b"), std::string("a b"),
              std::string("-rf"), std::string(".hidden"), std::string("\xc3\xa4"),
              std::string("a\0b", 3), std::string("a\n"), std::string(101, 'a')}) {
            try {
                createRun(files(), project(), name, described());
                QFAIL(name.c_str());
            } catch (const Error& error) {
                QVERIFY(error.code() == ErrorCode::Usage);
                QVERIFY(!error.hint().empty());
            }
        }
        QVERIFY(!fs::exists(project() + "/runs"));
    }

    void theNameIsTheFoldersWhateverTheFileSays() {
        const std::string run = createRun(files(), project(), "fp32", described());
        fs::rename(run, run + "-copy");
        QCOMPARE(loadRun(files(), run + "-copy").name, std::string("fp32-copy"));
    }

    void whatIsWrongWithARunIsNamed() {
        const std::string run = createRun(files(), project(), "fp32", described());
        const std::string path = run + "/run.json";
        const nlohmann::json whole = nlohmann::json::parse(std::ifstream(path));
        const auto expect = [&](const std::string& text, const char* named) {
            writeText(path, text);
            try {
                loadRun(files(), run);
                QFAIL(named);
            } catch (const Error& error) {
                QVERIFY(error.code() == ErrorCode::Data);
                QVERIFY2(QString(error.what()).contains(named) &&
                             QString(error.what()).contains("run.json"),
                         error.what());
            }
        };
        for (const auto& [key, value] : whole.items()) {
            auto without = whole;
            without.erase(key);
            expect(without.dump(), key.c_str());
        }
        auto changed = whole;
        changed["plan"]["precision"] = "fp7";
        expect(changed.dump(), "fp7");
        changed = whole;
        changed["normalisation"] = "none";
        expect(changed.dump(), "normalisation");
        changed = whole;
        changed["format"] = 2;
        expect(changed.dump(), "format");
        expect("{", "JSON");
        fs::remove(path);
        expect("", "JSON");
    }

    void theLockIsExclusiveAndFreesItself() {
        const std::string run = createRun(files(), project(), "fp32", described());
        {
            const auto lock = lockRun(files(), run);
            try {
                lockRun(files(), run);
                QFAIL("locked twice");
            } catch (const Error& error) {
                QVERIFY(error.code() == ErrorCode::Failed);
                QVERIFY(QString(error.what()).contains("fp32"));
            }
        }
        QVERIFY(lockRun(files(), run) != nullptr);
    }

    void statesComeFromLockAndEnd() {
        const auto make = [&](const std::string& name, const char* end) {
            const std::string run = createRun(files(), project(), name, described());
            EventLog log(files(), run + "/events.jsonl");
            UpdateRecord update;
            update.update = 7;
            update.loss = 0.25;
            update.memory.total = 123;
            log.append("update", {{"record", update}});
            if (end != nullptr) {
                log.append("end", {{"state", end}});
            }
            return run;
        };
        make("a", "finished");
        make("b", "stopped");
        make("c", "failed");
        make("d", nullptr);
        const auto lock = lockRun(files(), make("e", nullptr));
        lockRun(files(), make("f", "finished")).reset();  // locked once, long ago
        QCOMPARE(states(), (std::vector<std::string>{"a finished", "b stopped", "c failed",
                                                     "d interrupted", "e running", "f finished"}));
        const RunOverview first = listRuns(files(), project()).at(0);
        QCOMPARE(first.updates, std::int64_t(7));
        QCOMPARE(first.lastLoss, 0.25);
        QCOMPARE(first.peakBytes, std::int64_t(123));
        QVERIFY(!fs::exists(first.folder + "/run.lock"));  // listing changes nothing
    }

    void olderRunsComeFirst() {
        RunDescription run = described();
        createRun(files(), project(), "z", run);
        run.created = "2026-12-02T00:00:00.000Z";
        createRun(files(), project(), "a", run);
        QCOMPARE(listRuns(files(), project()).front().description.name, std::string("z"));
    }

    void damagedRunsAreListedAsSuch() {
        createRun(files(), project(), "good", described());
        fs::create_directories(project() + "/runs/empty");
        fs::create_directories(project() + "/runs/broken");
        writeText(project() + "/runs/broken/run.json", "{\"format\":1");
        writeText(project() + "/runs/a file", "x");
        const std::string odd = createRun(files(), project(), "odd", described());
        fs::create_directories(odd + "/events.jsonl");
        QCOMPARE(states(), (std::vector<std::string>{"broken failed", "empty failed", "odd failed",
                                                     "good interrupted"}));
        for (const RunOverview& run : listRuns(files(), project())) {
            QCOMPARE(run.problem.empty(), run.description.name == "good");
            QCOMPARE(run.description.kind == "damaged", run.description.name != "good");
        }
    }

    void aProjectWithoutRunsHasNone() { QVERIFY(listRuns(files(), project()).empty()); }

 private:
    FileSystem& files() const { return posixFileSystem(); }
    std::string project() const { return folder_->path().toStdString(); }
    std::vector<std::string> states() const {
        std::vector<std::string> result;
        for (const RunOverview& run : listRuns(files(), project())) {
            result.push_back(run.description.name + " " + toString(run.state));
        }
        return result;
    }
    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_APPLESS_MAIN(RunDirectoryTest)
#include "run_directory_test.moc"
