// Case D06: the process dies at every call of a save; what is left must always be enough.
#include <QtTest>

#include <algorithm>
#include <cerrno>
#include <functional>

#include "core/base/trace_file_system.h"
#include "core/checkpoint/retention.h"
#include "core/checkpoint/store.h"
#include "tests/checkpoint/sample_state.h"

using namespace receiptbench;

namespace {

struct Died {};  // no Error: nothing on the way may handle it
enum class When { Before, Inside, After };

// From the crash on nothing reaches the disk: a dead process does not clean up.
TraceHooks dyingAt(std::int64_t call, When when, bool* dead) {
    TraceHooks hooks;
    const auto die = [dead] {
        *dead = true;
        throw Died();
    };
    hooks.before = [=](const FileCall& made) {
        if (*dead || (when == When::Before && made.index == call)) {
            die();
        }
    };
    hooks.inside = [=](const FileCall&) { die(); };
    hooks.after = [=](const FileCall& made) {
        if (*dead || (when == When::After && made.index == call)) {
            die();
        }
    };
    hooks.splitWrite = [=](const FileCall& made) {
        return when == When::Inside && made.index == call;
    };
    return hooks;
}

// A call that fails with this error; a write puts half its bytes down first.
TraceHooks failingAt(std::int64_t call, int errorNumber, bool* failed) {
    TraceHooks hooks;
    const auto fail = [=](const FileCall& made) {
        *failed = true;
        throw FileError(made.operation, made.path, errorNumber);
    };
    hooks.before = [=](const FileCall& made) {
        if (made.index == call && made.operation != "write") {
            fail(made);
        }
    };
    hooks.inside = fail;
    hooks.splitWrite = [=](const FileCall& made) { return made.index == call; };
    return hooks;
}

std::vector<FileCall> tapeOfThirdSave() {
    sample::Folder folder;
    folder.save(1);
    folder.save(2);
    std::vector<FileCall> tape;
    saveCheckpoint(*traceFileSystem(posixFileSystem(), &tape), folder.path(), sample::state(3),
                   sample::options());
    return tape;
}

std::int64_t countTemporaries(const sample::Folder& folder) {
    const auto names = folder.names();
    return std::count_if(names.begin(), names.end(), isTemporaryCheckpoint);
}

void checkRecovery(const sample::Folder& folder, const std::vector<std::string>& digests,
                   bool announced) {
    std::vector<std::string> leftovers;
    for (const std::string& name : folder.names()) {
        if (isTemporaryCheckpoint(name)) {
            leftovers.push_back(name);
        }
    }
    QVERIFY(leftovers.size() <= 1);
    const Recovery recovery = folder.recover();
    QVERIFY(recovery.chosen.has_value());
    const std::int64_t step = recovery.chosen->name.step;
    QVERIFY(step == 3 || (step == 2 && !announced));
    QCOMPARE(recovery.chosen->digest, digests.at(static_cast<std::size_t>(step)));
    QVERIFY(sample::equal(recovery.state.tensors, sample::state(step).tensors));
    QVERIFY(recovery.rejected.empty());  // no half file under a final name
    QCOMPARE(recovery.removedTemporaries, leftovers);
    const auto after = folder.names();
    const Recovery again = folder.recover();
    QCOMPARE(again.chosen->digest, recovery.chosen->digest);
    QVERIFY(again.removedTemporaries.empty());
    QCOMPARE(folder.names(), after);
}

}  // namespace

class CrashTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void initTestCase() {
        tape_ = tapeOfThirdSave();
        sample::Folder folder;
        digests_ = {"", folder.save(1).digest, folder.save(2).digest, folder.save(3).digest};
    }

    void callsComeInTheSafeOrder() {
        std::vector<std::string> steps;
        for (const FileCall& call : tape_) {
            if (steps.empty() || steps.back() != call.operation) {
                steps.push_back(call.operation);
            }
        }
        steps.resize(std::min<std::size_t>(steps.size(), 6));
        QCOMPARE(steps, (std::vector<std::string>{"create", "write", "sync", "close", "rename",
                                                  "sync-directory"}));
    }

    void dyingAnywhereLeavesTheSecondOrThird() {
        int crashes = 0;
        for (const FileCall& call : tape_) {
            for (const When when : {When::Before, When::Inside, When::After}) {
                if (when == When::Inside && call.operation != "write") {
                    continue;
                }
                sample::Folder folder;
                folder.save(1);
                folder.save(2);
                bool dead = false, announced = true;
                const auto files =
                    traceFileSystem(posixFileSystem(), nullptr, dyingAt(call.index, when, &dead));
                try {
                    saveCheckpoint(*files, folder.path(), sample::state(3), sample::options());
                } catch (const Died&) {
                    announced = false;
                }
                QVERIFY2(dead, call.operation.c_str());
                ++crashes;
                checkRecovery(folder, digests_, announced);
                folder.save(4, nextGeneration(posixFileSystem(), folder.path()));
                QCOMPARE(countTemporaries(folder), 0);
                QCOMPARE(folder.recover().chosen->name.step, std::int64_t(4));
            }
        }
        QVERIFY(crashes >= 20);
    }

    // Only recovery cleans up here, not a later save.
    void dyingDuringRecoveryIsHarmless() {
        const std::string orphan = fileName({1, 3}) + ".tmp";
        for (std::int64_t call = 1;; ++call) {
            sample::Folder folder;
            folder.save(1);
            folder.save(2);
            sample::writeFile(folder.file(orphan), {'h', 'a', 'l', 'f'});
            bool dead = false;
            const auto files =
                traceFileSystem(posixFileSystem(), nullptr, dyingAt(call, When::Before, &dead));
            try {
                recoverCheckpoint(*files, folder.path(), sample::kContract);
            } catch (const Died&) {
            }
            const Recovery recovery = folder.recover();
            QCOMPARE(recovery.chosen->digest, digests_[2]);
            QCOMPARE(countTemporaries(folder), 0);
            if (!dead) {
                QVERIFY(call > 5);
                return;
            }
        }
    }

    void errorsRemoveTheTemporaryAndKeepThePrevious_data() {
        QTest::addColumn<int>("errorNumber");
        QTest::newRow("disk full") << ENOSPC;
        QTest::newRow("I/O error") << EIO;
        QTest::newRow("read-only") << EROFS;
    }
    void errorsRemoveTheTemporaryAndKeepThePrevious() {
        QFETCH(int, errorNumber);
        int refused = 0;
        for (const FileCall& call : tape_) {
            sample::Folder folder;
            folder.save(1);
            folder.save(2);
            bool failed = false, announced = true;
            const auto files = traceFileSystem(posixFileSystem(), nullptr,
                                               failingAt(call.index, errorNumber, &failed));
            try {
                saveCheckpoint(*files, folder.path(), sample::state(3), sample::options());
            } catch (const FileError& error) {
                announced = false;
                ++refused;
                QCOMPARE(error.errorNumber(), errorNumber);
                QVERIFY(errorNumber != ENOSPC || QString(error.what()).contains("are free"));
            }
            QVERIFY2(failed, call.operation.c_str());
            QCOMPARE(countTemporaries(folder), 0);
            checkRecovery(folder, digests_, announced);
            QCOMPARE(folder.save(4).name.step, std::int64_t(4));  // the next boundary tries anew
        }
        QVERIFY(refused >= 8);
    }

    // After a failed sync of the file nothing syncs it again: the kernel may have marked the lost
    // pages clean.
    void aFailedSyncIsNotRetried() {
        sample::Folder folder;
        std::vector<FileCall> tape;
        bool failed = false;
        TraceHooks hooks;
        hooks.before = [&](const FileCall& call) {
            if (call.operation == "sync") {
                failed = true;
                throw FileError(call.operation, call.path, EIO);
            }
        };
        QVERIFY_EXCEPTION_THROWN(saveCheckpoint(*traceFileSystem(posixFileSystem(), &tape, hooks),
                                                folder.path(), sample::state(1), sample::options()),
                                 FileError);
        QVERIFY(failed);
        QCOMPARE(std::count_if(tape.begin(), tape.end(),
                               [](const auto& call) { return call.operation == "sync"; }),
                 1);
        QVERIFY(folder.names().empty());
    }

 private:
    std::vector<FileCall> tape_;
    std::vector<std::string> digests_;
};

QTEST_APPLESS_MAIN(CrashTest)
#include "crash_test.moc"
