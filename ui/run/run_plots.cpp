#include "ui/run/run_plots.h"

#include <QGridLayout>

#include <cmath>
#include <limits>

#include "ui/plots/plot_group.h"
#include "ui/run/run_text.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

PlotSpec specOf(const QString& title, const QString& yLabel) {
    PlotSpec spec;
    spec.title = title;
    spec.xLabel = RunPlots::tr("update");
    spec.yLabel = yLabel;
    return spec;
}

PlotSpec memorySpec() {
    auto spec = specOf(RunPlots::tr("Peak memory"), RunPlots::tr("MiB"));
    spec.yUnit = kMebibyte;
    spec.fromZero = true;
    spec.valueText = [](double bytes) {
        return std::isfinite(bytes) ? bytesText(std::llround(bytes)) : numberText(bytes, 0);
    };
    return spec;
}

PlotSpec speedSpec() {
    auto spec = specOf(RunPlots::tr("Accepted examples/s"), RunPlots::tr("examples/s"));
    spec.fromZero = true;
    spec.valueText = [](double value) { return numberText(value, 1); };
    return spec;
}

PlotSpec skipsSpec() {
    auto spec = specOf(RunPlots::tr("Skipped updates, loss scale"), RunPlots::tr("count, log2"));
    spec.wholeY = true;
    spec.fromZero = true;
    return spec;
}

}  // namespace

RunPlots::RunPlots(QWidget* parent)
    : QWidget(parent),
      memory(new PlotWidget(memorySpec(), this)),
      speed(new PlotWidget(speedSpec(), this)),
      loss(new PlotWidget(specOf(tr("Loss"), tr("mean loss")), this)),
      skips(new PlotWidget(skipsSpec(), this)),
      group_(new PlotGroup(this)) {
    memory->setObjectName(QStringLiteral("memoryPlot"));
    speed->setObjectName(QStringLiteral("speedPlot"));
    loss->setObjectName(QStringLiteral("lossPlot"));
    skips->setObjectName(QStringLiteral("skipsPlot"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(18);
    grid->setVerticalSpacing(12);
    int place = 0;
    for (auto* plot : {memory, speed, loss, skips}) {
        group_->add(plot);
        grid->addWidget(plot, place / 2, place % 2);
        ++place;
    }
    for (int i = 0; i < 2; ++i) {
        grid->setColumnStretch(i, 1);
        grid->setRowStretch(i, 1);
    }
    connect(group_, &PlotGroup::followChanged, this, &RunPlots::followChanged);
}

bool RunPlots::follows() const {
    return group_->follows();
}

void RunPlots::setFollow(bool on) {
    group_->setFollow(on);
}

void RunPlots::draw(const std::vector<DrawnRun>& runs, std::int64_t limit) {
    for (auto* plot : {memory, speed, loss, skips}) {
        plot->clear();
    }
    lines_.clear();
    memory->setLimit(limit > 0 ? std::optional<double>(static_cast<double>(limit)) : std::nullopt,
                     tr("budget"));
    for (int category = 0; category < kMemoryCategories; ++category) {
        const bool known = category + 1 < kMemoryCategories;  // the last is "other"
        memory->addArea(
            {memoryCategoryName(static_cast<MemoryCategory>(category)), known ? category : -1});
    }
    skipped_ = skips->addSeries({tr("skipped"), 1, true});
    scale_ = skips->addSeries({tr("log2 of the scale"), 0, true});
    for (const auto& run : runs) {
        Line line;
        line.run = run.name;
        line.first = lines_.empty();
        line.speed = speed->addSeries({run.name, run.look});
        line.loss = loss->addSeries({run.name, run.look});
        addTo(line, *run.updates);
        lines_.push_back(line);
    }
}

void RunPlots::grow(const DrawnRun& run) {
    for (auto& line : lines_) {
        if (line.run == run.name) {
            addTo(line, *run.updates);
        }
    }
}

void RunPlots::addTo(Line& line, const std::vector<UpdateRecord>& updates) {
    for (; line.drawn < updates.size(); ++line.drawn) {
        const auto& record = updates[line.drawn];
        const auto x = static_cast<double>(record.update);
        speed->append(line.speed, x,
                      examplesPerSecond(record).value_or(std::numeric_limits<double>::quiet_NaN()));
        loss->append(line.loss, x, record.loss);
        if (!line.first) {
            continue;
        }
        memory->appendStack(x, {record.memory.atPeak.begin(), record.memory.atPeak.end()});
        skips->append(skipped_, x, static_cast<double>(record.skipped));
        skips->append(scale_, x, std::log2(record.scaleAfter));
    }
}

}  // namespace receiptbench
