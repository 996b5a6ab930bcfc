// What the plots cost: four of them with five long series each, first paint and each refresh.
#include <fmt/format.h>
#include <QApplication>
#include <QElapsedTimer>
#include <QGridLayout>
#include <algorithm>
#include <random>

#include "ui/plots/plot_group.h"
#include "ui/plots/plot_widget.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr int kPoints = 100000, kSeries = 5, kPlots = 4;
constexpr int kMeasuredMilliseconds = 6000;
const QSize kWindow(1440, 900);

double milliseconds(const QElapsedTimer& timer) {
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

// The first is a stack, as the memory's.
class Plots {
 public:
    Plots() {
        auto* grid = new QGridLayout(&window_);
        for (int i = 0; i < kPlots; ++i) {
            PlotSpec spec;
            spec.title = QStringLiteral("Plot %1").arg(i + 1);
            spec.fromZero = i == 0;
            auto* plot = new PlotWidget(spec, &window_);
            for (int s = 0; s < kSeries; ++s) {
                const SeriesSpec series{QStringLiteral("series %1").arg(s + 1), s};
                i == 0 ? plot->addArea(series) : plot->addSeries(series);
            }
            grid->addWidget(plot, i / 2, i % 2);
            group_.add(plot);
            plots_.push_back(plot);
        }
        plots_.front()->setLimit(12, QStringLiteral("limit"));
        window_.resize(kWindow);
    }

    void append(int x) {
        for (std::size_t i = 0; i < plots_.size(); ++i) {
            std::vector<double> values(kSeries);
            for (auto& value : values) {
                value = 1 + noise_(random_);
            }
            if (i == 0) {
                plots_[i]->appendStack(x, values);
                continue;
            }
            for (int s = 0; s < kSeries; ++s) {
                plots_[i]->append(s, x, s + values[static_cast<std::size_t>(s)]);
            }
        }
    }

    QWidget& window() { return window_; }
    PlotWidget& plot(std::size_t index) { return *plots_[index]; }
    PlotGroup& group() { return group_; }

 private:
    QWidget window_;
    PlotGroup group_{nullptr};
    std::vector<PlotWidget*> plots_;
    std::mt19937 random_{1};
    std::normal_distribution<double> noise_{0, 0.2};
};

// Every turn of the event loop that did something, while `act` is called ten times a second.
template <typename Act>
void measure(const char* what, Act act) {
    std::vector<double> turns;
    QElapsedTimer whole, since;
    whole.start();
    since.start();
    while (whole.elapsed() < kMeasuredMilliseconds) {
        if (since.elapsed() >= 100) {
            since.restart();
            act();
        }
        QElapsedTimer turn;
        turn.start();
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 1);
        QCoreApplication::processEvents();
        if (milliseconds(turn) > 0.5) {
            turns.push_back(milliseconds(turn));
        }
    }
    std::sort(turns.begin(), turns.end());
    if (!turns.empty()) {
        fmt::print("{}: {} turns, median {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms\n", what,
                   turns.size(), turns[turns.size() / 2], turns[turns.size() * 99 / 100],
                   turns.back());
    }
}

void measureAll() {
    Plots plots;
    QElapsedTimer timer;
    timer.start();
    int x = 0;
    while (x < kPoints) {
        plots.append(++x);
    }
    fmt::print("{} points appended in {:.0f} ms\n", kPoints * kSeries * kPlots,
               milliseconds(timer));
    timer.restart();
    plots.window().show();
    fmt::print("shown in {:.1f} ms\n", milliseconds(timer));
    measure("first paint", [] {});
    for (std::size_t i = 0; i < kPlots; ++i) {
        timer.restart();
        plots.plot(i).picture();
        fmt::print("plot {} alone in {:.1f} ms\n", i + 1, milliseconds(timer));
    }
    measure("a point arriving", [&] { plots.append(++x); });
    measure("the cursor moving", [&, at = 0]() mutable {
        at = at + 500 < kPoints ? at + 500 : 500;
        Q_EMIT plots.plot(0).cursorMoved(at);
    });
    plots.group().setFollow(false);
    measure("panning", [&, from = 0.0]() mutable {
        from += 500;
        for (std::size_t i = 0; i < kPlots; ++i) {
            plots.plot(i).setXRange({from, from + kPoints / 2.0});
        }
    });
}

}  // namespace
}  // namespace receiptbench

int main(int argc, char** argv) {
    const QApplication application(argc, argv);
    receiptbench::applyTheme(false);
    receiptbench::measureAll();
}
