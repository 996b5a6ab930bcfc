// What the window costs: start, open, first point, stalls, stop, and the training beside it.
// usage: window_bench PROGRAM FOLDER   (PROGRAM: the command line; FOLDER: new, for scratch
// projects)
#include <fmt/format.h>
#include <QApplication>
#include <QDateTime>
#include <QElapsedTimer>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/workbench/demo.h"
#include "ui/theme.h"
#include "ui/window/all_pages.h"
#include "ui/window/welcome_page.h"

namespace receiptbench {
namespace {

constexpr int kPatience = 300000;  // milliseconds
constexpr std::int64_t kUpdates = 120;
constexpr int kRounds = 7;

double milliseconds(const QElapsedTimer& timer) {
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

// How late a timer of one millisecond comes: what a click would have waited.
class StallWatch : public QObject {
 public:
    StallWatch() {
        connect(&timer_, &QTimer::timeout, this, [this] {
            late_.push_back(milliseconds(clock_));
            clock_.restart();
        });
        clock_.start();
        timer_.start(1);
    }
    void print(const char* during) {
        std::sort(late_.begin(), late_.end());
        if (!late_.empty()) {
            fmt::print("event loop during {}: p99 {:.1f} ms, longest {:.1f} ms\n", during,
                       late_[late_.size() * 99 / 100], late_.back());
        }
        late_.clear();
    }

 private:
    QTimer timer_;
    QElapsedTimer clock_;
    std::vector<double> late_;
};

Project freshProject(const std::string& folder, std::int64_t updates) {
    DemoRequest request;
    request.updates = updates;
    request.identities = 120;
    const auto plan = planDemo(request);
    auto project = Project::create(posixFileSystem(), folder, "embedded example");
    FreezeRequest freeze{plan.data, plan.contract, 0, false};
    freezeProject(project, freeze);
    return project;
}

TrainRequest usualRun(const std::string& name) {
    TrainRequest request;
    request.name = name;
    request.microbatch = 16;
    request.memoryFormat = MemoryFormat::Contiguous;
    return request;
}

double speedOf(const Project& project, const std::string& run) {
    double examples = 0, seconds = 0;
    for (const auto& update : readHistory(project.files(), project.paths().run(run)).updates) {
        examples += static_cast<double>(update.accepted);
        seconds += update.seconds.total();
    }
    return examples / seconds;
}

// When the log on disk says that the first update was.
QDateTime firstUpdate(const Project& project, const std::string& run) {
    for (const auto& line : split(
             readText(project.files(), joinPath(project.paths().run(run), "events.jsonl")), '\n')) {
        if (const auto event = nlohmann::json::parse(line, nullptr, false);
            event.is_object() && event.value("type", "") == "update") {
            return QDateTime::fromString(QString::fromStdString(event.value("time", "")),
                                         Qt::ISODateWithMs);
        }
    }
    return {};
}

void measureFirstPoint(Session& session, MainWindow& window, StallWatch& watch) {
    window.setMode(Mode::Run);
    QTest::qWait(500);
    watch.print("opening and idling");
    QDateTime shown;
    const auto seen = QObject::connect(&session, &Session::liveUpdated, [&] {
        if (!shown.isValid() && !session.live().updates.empty()) {
            shown = QDateTime::currentDateTimeUtc();
        }
    });
    session.startTraining(usualRun("window"));
    session.waitForIdle(kPatience);
    QObject::disconnect(seen);
    watch.print("training");
    fmt::print("first point {} ms after the first update\n",
               firstUpdate(*session.project(), "window").msecsTo(shown));
}

// In turn, since the machine's speed wanders more than the window costs.
void measureBeside(Session& session, const Project& project) {
    std::vector<double> ratios;
    for (int round = 0; round < kRounds; ++round) {
        TrainListener nobody;
        const CancelToken never;
        const auto name = std::to_string(round);
        trainRun(project, usualRun("alone-" + name), nobody, never);
        session.startTraining(usualRun("beside-" + name));
        session.waitForIdle(kPatience);
        const double alone = speedOf(project, "alone-" + name),
                     beside = speedOf(project, "beside-" + name);
        ratios.push_back(beside / alone);
        fmt::print("training: {:.0f} examples/s alone, {:.0f} beside the window ({:.1f} %)\n",
                   alone, beside, 100 * ratios.back());
    }
    std::sort(ratios.begin(), ratios.end());
    fmt::print("median: {:.1f} % of the speed without a window\n", 100 * ratios[ratios.size() / 2]);
}

void measureStop(Session& session) {
    session.startTraining(usualRun("stopped"));
    QTest::qWait(1500);
    QElapsedTimer timer;
    timer.start();
    session.stop();
    fmt::print("stop acknowledged in {:.1f} ms", milliseconds(timer));
    session.waitForIdle(kPatience);
    fmt::print(", ended in {:.1f} ms\n", milliseconds(timer));
}

void measure(const std::string& program, const std::string& folder) {
    QElapsedTimer timer;
    timer.start();
    Session session(program);
    MainWindow window(session, allPages());
    window.show();
    const bool exposed = QTest::qWaitForWindowExposed(&window);
    fmt::print("window {} in {:.0f} ms\n", exposed ? "on screen" : "not on screen",
               milliseconds(timer));
    QTest::qWait(3000);  // the rest of the pages, and the look at this computer
    const auto project = freshProject(joinPath(folder, "project"), kUpdates);
    timer.restart();
    window.welcome()->open(QString::fromStdString(project.paths().root));
    fmt::print("project opened in {:.0f} ms\n", milliseconds(timer));
    StallWatch watch;
    measureFirstPoint(session, window, watch);
    measureBeside(session, project);
    measureStop(session);
}

}  // namespace
}  // namespace receiptbench

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    if (argc != 3) {
        fmt::print(stderr, "usage: window_bench PROGRAM FOLDER\n");
        return 2;
    }
    receiptbench::applyTheme(false);
    receiptbench::measure(argv[1], argv[2]);
}
