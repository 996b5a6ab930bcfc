#include "ui/window/run_reader.h"

#include <QElapsedTimer>

#include <algorithm>

#include "core/base/text.h"
#include "core/checkpoint/store.h"
#include "ui/background.h"

namespace receiptbench {
namespace {

constexpr int kCalmMilliseconds = 3000;
constexpr int kCalmShare = 50;  // a long ledger is read the more seldom, the longer it takes

RunReading readRun(const RunOverview& overview) {
    RunReading reading;
    reading.run = overview.description.name;
    reading.overview = overview;
    auto& files = posixFileSystem();
    try {
        reading.history = readHistory(files, overview.folder);
        std::vector<std::string> kept;
        for (const auto& name : listCheckpoints(files, joinPath(overview.folder, "checkpoints"))) {
            kept.push_back(fileName(name));
        }
        reading.checkpoints = checkpointEntries(reading.history, kept);
    } catch (const std::exception& error) {
        reading.problem = QString::fromStdString(printable(error.what()));
    }
    return reading;
}

}  // namespace

RunReader::RunReader(Session& session, QObject* parent) : QObject(parent), session_(session) {
    calm_.setSingleShot(true);
    calm_.setInterval(kCalmMilliseconds);
    connect(&calm_, &QTimer::timeout, this, &RunReader::read);
    connect(&session, &Session::selectedRunChanged, this, &RunReader::read);
    connect(&session, &Session::runsChanged, this, &RunReader::read);
    connect(&session, &Session::liveUpdated, this, [this] {
        if (!calm_.isActive() && session_.selectedRun().toStdString() == session_.live().name) {
            calm_.start();
        }
    });
    read();
}

void RunReader::read() {
    const int row = session_.runIndex(session_.selectedRun());
    if (row < 0) {
        reading_.reset();
        Q_EMIT changed();
        return;
    }
    if (loading_) {
        again_ = true;
        return;
    }
    const auto overview = session_.runs()[static_cast<std::size_t>(row)];
    if (reading_ && reading_->run != overview.description.name) {
        reading_.reset();
    }
    loading_ = true;
    Q_EMIT changed();
    QElapsedTimer clock;
    clock.start();
    readInBackground<RunReading>(
        this, [overview] { return readRun(overview); },
        [this, clock](const RunReading& reading) {
            loading_ = false;
            calm_.setInterval(
                std::max<int>(kCalmMilliseconds, kCalmShare * static_cast<int>(clock.elapsed())));
            if (std::exchange(again_, false)) {
                read();
                return;
            }
            reading_ = reading;
            Q_EMIT changed();
        });
}

}  // namespace receiptbench
