#include "ui/plots/plot_group.h"

namespace receiptbench {

void PlotGroup::add(PlotWidget* plot) {
    plots_.push_back(plot);
    connect(plot, &PlotWidget::cursorMoved, this, [this](std::optional<double> x) {
        for (auto* each : plots_) {
            each->setCursor(x);
        }
    });
    connect(plot, &PlotWidget::followChanged, this, &PlotGroup::setFollow);
    connect(plot, &PlotWidget::xRangeChanged, this, [this, plot](const PlotRange& range) {
        for (auto* each : plots_) {
            if (each != plot) {
                each->setXRange(range);
            }
        }
    });
}

void PlotGroup::setFollow(bool on) {
    if (on == follows_) {
        return;
    }
    follows_ = on;
    for (auto* each : plots_) {
        each->setFollow(on);
    }
    Q_EMIT followChanged(on);
}

}  // namespace receiptbench
