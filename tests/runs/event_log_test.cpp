#include <QtTest>

#include <QTemporaryDir>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <thread>

#include <nlohmann/json.hpp>

#include "core/base/trace_file_system.h"
#include "core/runs/run_directory.h"

using namespace receiptbench;
using nlohmann::json;

namespace {

class FixedClock final : public Clock {
 public:
    double seconds() const override { return 0; }
    std::string utc() const override { return "2026-12-01T10:20:30.123Z"; }
};
const FixedClock kClock;

UpdateRecord record(std::int64_t update, double loss = 1) {
    UpdateRecord made;
    made.update = update;
    made.loss = loss;
    return made;
}

MemorySample sample(std::int64_t update) {
    MemorySample made;
    made.update = update;
    return made;
}

std::vector<std::int64_t> numbers(const RunHistory& history) {
    std::vector<std::int64_t> result;
    for (const UpdateRecord& update : history.updates) {
        result.push_back(update.update);
    }
    return result;
}

}  // namespace

class EventLogTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void oneLineAnEvent() {
        {
            EventLog log(files(), path(), kClock);
            log.append("message", {{"text", "two\nlines"}, {"type", "other"}});
            log.append("start", nullptr);
            log.sync();
        }
        QCOMPARE(text(),
                 std::string("{\"text\":\"two\\nlines\",\"time\":\"2026-12-01T10:20:30.123Z\","
                             "\"type\":\"message\"}\n"
                             "{\"time\":\"2026-12-01T10:20:30.123Z\",\"type\":\"start\"}\n"));
    }

    void numbersThatAreNotFiniteSurvive() {
        const double nan = std::numeric_limits<double>::quiet_NaN(),
                     infinity = std::numeric_limits<double>::infinity();
        {
            EventLog log(files(), path(), kClock);
            log.append("update", {{"record", record(1, nan)}});
            log.append("update", {{"record", record(2, -infinity)}});
            log.append("end",
                       {{"state", "failed"}, {"loss", {{"last", nan}, {"all", {1.5, infinity}}}}});
        }
        const RunHistory history = read();
        QVERIFY(std::isnan(history.updates.at(0).loss));
        QCOMPARE(history.updates.at(1).loss, -infinity);
        QVERIFY(history.end.at("loss") == json({{"last", "nan"}, {"all", {1.5, "inf"}}}));
        QCOMPARE(history.damagedLines, std::int64_t(0));
    }

    void everyKindIsKept() {
        {
            EventLog log(files(), path(), kClock);
            log.append("start", {{"plan", 1}});
            log.append("update", {{"record", record(1)}});
            log.append("memory", {{"samples", {sample(1), sample(2)}}});
            log.append("checkpoint", {{"file", "a"}});
            log.append("message", {{"text", "b"}});
            log.append("kind of a later version", {{"x", 1}});
            log.append("end", {{"state", "finished"}});
        }
        const RunHistory history = read();
        QCOMPARE(numbers(history), std::vector<std::int64_t>{1});
        QCOMPARE(history.memory.size(), std::size_t(2));
        QCOMPARE(history.checkpoints.at(0).at("file").get<std::string>(), std::string("a"));
        QCOMPARE(history.messages.size(), std::size_t(1));
        QCOMPARE(history.end.at("state").get<std::string>(), std::string("finished"));
        QCOMPARE(history.damagedLines, std::int64_t(0));
    }

    // Crashed after update 5, resumed from the checkpoint of 3: 4 and 5 happen again, once each in
    // the history.
    void resumeReplacesWhatItRepeats() {
        {
            EventLog log(files(), path(), kClock);
            for (int update = 1; update <= 5; ++update) {
                log.append("update", {{"record", record(update, 1.0)}});
                log.append("memory", {{"samples", {sample(update)}}});
            }
            log.append("end", {{"state", "stopped"}});
        }
        EventLog log(files(), path(), kClock);
        log.append("resume", {{"update", 3}, {"checkpoint", "c"}});
        log.append("update", {{"record", record(4, 2.0)}});
        const RunHistory history = read();
        QCOMPARE(numbers(history), (std::vector<std::int64_t>{1, 2, 3, 4}));
        QCOMPARE(history.updates.back().loss, 2.0);
        QCOMPARE(history.memory.size(), std::size_t(3));
        QVERIFY(history.end.is_null());
        QCOMPARE(history.resumes.size(), std::size_t(1));
    }

    void theLaterRecordWins() {
        EventLog log(files(), path(), kClock);
        log.append("update", {{"record", record(2, 1.0)}});
        log.append("update", {{"record", record(1, 1.0)}});
        log.append("update", {{"record", record(2, 3.0)}});
        const RunHistory history = read();
        QCOMPARE(numbers(history), (std::vector<std::int64_t>{1, 2}));
        QCOMPARE(history.updates.back().loss, 3.0);
    }

    // The crash may come after any byte.
    void aCutLineCostsOnlyItself() {
        {
            EventLog log(files(), path(), kClock);
            log.append("update", {{"record", record(1)}});
            log.append("update", {{"record", record(2)}});
        }
        const std::string whole = text();
        const std::size_t first = whole.find('\n') + 1;
        for (std::size_t length = 0; length <= whole.size(); ++length) {
            write(whole.substr(0, length));
            EventLog log(files(), path(), kClock);
            log.append("update", {{"record", record(3)}});
            const RunHistory history = read();
            std::vector<std::int64_t> expected;
            if (length + 1 >= first) {
                expected.push_back(1);
            }
            if (length + 1 >= whole.size()) {
                expected.push_back(2);
            }
            expected.push_back(3);
            QCOMPARE(numbers(history), expected);
            const bool cut =
                length > 0 && length + 1 != first && length != first && length + 1 < whole.size();
            QCOMPARE(history.damagedLines, std::int64_t(cut ? 1 : 0));
        }
    }

    void aLineCutByAFullDiskCostsOnlyItself() {
        bool full = false;
        TraceHooks hooks;
        hooks.splitWrite = [&](const FileCall&) { return full; };
        hooks.inside = [](const FileCall& call) {
            throw FileError(call.operation, call.path, ENOSPC);
        };
        const auto trace = traceFileSystem(files(), nullptr, hooks);
        EventLog log(*trace, path(), kClock);
        log.append("update", {{"record", record(1)}});
        full = true;
        QVERIFY_EXCEPTION_THROWN(log.append("update", {{"record", record(2)}}), FileError);
        full = false;
        log.append("update", {{"record", record(3)}});
        const RunHistory history = read();
        QCOMPARE(numbers(history), (std::vector<std::int64_t>{1, 3}));
        QCOMPARE(history.damagedLines, std::int64_t(1));
    }

    void garbageIsCountedNotObeyed() {
        write(std::string("\0\0\0\n", 4) +
              "[1]\n{\"type\":7}\n{\"type\":\"update\",\"record\":{\"update\":\"x\"}}\n" +
              "{\"type\":\"resume\"}\n{\"type\":\"memory\",\"samples\":3}\n{\"a\":1,\"a\":2}\n\n" +
              std::string(100, '[') + "\n\xff\xfe\n");
        const RunHistory history = read();
        QCOMPARE(history.damagedLines, std::int64_t(9));
        QVERIFY(history.updates.empty() && history.resumes.empty() && history.memory.empty());
    }

    void noFileIsAnEmptyHistory() {
        const RunHistory history = read();
        QVERIFY(history.updates.empty() && history.end.is_null());
    }

    void threadsDoNotMixLines() {
        {
            EventLog log(files(), path(), kClock);
            const auto many = [&] {
                for (int i = 0; i < 200; ++i) {
                    log.append("message", {{"text", std::string(100, 'x')}});
                }
            };
            std::thread other(many);
            many();
            other.join();
        }
        const RunHistory history = read();
        QCOMPARE(history.messages.size(), std::size_t(400));
        QCOMPARE(history.damagedLines, std::int64_t(0));
    }

 private:
    FileSystem& files() const { return posixFileSystem(); }
    std::string path() const { return joinPath(folder_->path().toStdString(), "events.jsonl"); }
    RunHistory read() const { return readHistory(files(), folder_->path().toStdString()); }
    std::string text() const {
        std::ifstream in(path(), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void write(const std::string& content) const {
        std::filesystem::remove(
            path());  // ext4 flushes a file that is truncated and written anew: slow
        std::ofstream(path(), std::ios::binary) << content;
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_APPLESS_MAIN(EventLogTest)
#include "event_log_test.moc"
