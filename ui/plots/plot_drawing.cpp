// A plot's canvas: axes, graphs, items, ranges.
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

#include <qcustomplot.h>

#include "ui/plots/plot_private.h"
#include "ui/plots/plot_ticks.h"
#include "ui/plots/replot_queue.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr int kAreaAlpha = 90, kSmallestHeight = 110;

QString mixed(const QColor& front, const QColor& back, double share) {
    const auto mix = [share](int a, int b) {
        return static_cast<int>(share * a + (1 - share) * b);
    };
    return QColor(mix(front.red(), back.red()), mix(front.green(), back.green()),
                  mix(front.blue(), back.blue()))
        .name();
}

// Draws of many points in one column of pixels only the highest: filled, thousands of ups and downs
// take half a second.
class AreaGraph : public QCPGraph {
 public:
    using QCPGraph::QCPGraph;

 protected:
    void getOptimizedLineData(QVector<QCPGraphData>* line,
                              const QCPGraphDataContainer::const_iterator& begin,
                              const QCPGraphDataContainer::const_iterator& end) const override {
        const double pixel = std::abs(keyAxis()->pixelToCoord(1) - keyAxis()->pixelToCoord(0));
        double column = kNoValue;
        for (auto point = begin; point != end; ++point) {
            const double here = std::floor(point->key / pixel);
            if (here != column) {
                column = here;
                line->append(*point);  // all areas of a stack have it here
            } else if (!(point->value <= line->last().value)) {
                line->last().value = std::isnan(point->value) ? line->last().value : point->value;
            }
        }
    }
};

}  // namespace

PlotWidget::Private::Private(PlotWidget& its, const PlotSpec& wanted)
    : widget(its), spec(wanted), canvas(new QCustomPlot(&its)), readOut(new ReadOut(&its)) {}

void PlotWidget::Private::build() {
    auto* title = new QLabel(spec.title, &widget);
    auto bold = title->font();
    bold.setBold(true);
    title->setFont(bold);
    auto* layout = new QVBoxLayout(&widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(title);
    layout->addWidget(readOut);
    layout->addWidget(canvas, 1);
    canvas->setMinimumHeight(kSmallestHeight);
    canvas->setFocusPolicy(Qt::NoFocus);  // keys are the widget's
    canvas->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    canvas->setNoAntialiasingOnDrag(true);
    canvas->setPlottingHint(QCP::phFastPolylines, true);
    canvas->xAxis->setTicker(makeLinearTicks(1, spec.wholeX));
    canvas->xAxis->setLabel(spec.xLabel);
    canvas->yAxis->setLabel(spec.yLabel);
    limitLine = new QCPItemStraightLine(canvas);
    limitLine->setVisible(false);
    limitText = new QCPItemText(canvas);
    limitText->setVisible(false);
    limitText->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    limitText->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    limitText->setClipToAxisRect(false);
    cursorLine = new QCPItemStraightLine(canvas);
    cursorLine->setVisible(false);
    scales();
    style();
    const auto moved = [this](const QCPRange&) {
        if (!ours) {
            userMoved();
        }
    };
    QObject::connect(canvas->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), &widget,
                     moved);
    QObject::connect(canvas->yAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), &widget,
                     moved);
    QObject::connect(canvas, &QCustomPlot::mouseMove, &widget, [this](QMouseEvent* event) {
        if (event->buttons() == Qt::NoButton) {
            const auto x = nearestX(canvas->xAxis->pixelToCoord(event->position().x()));
            widget.setCursor(x);
            Q_EMIT widget.cursorMoved(x);
        }
    });
    QObject::connect(canvas, &QCustomPlot::mouseDoubleClick, &widget,
                     [this] { widget.setFollow(true); });
}

void PlotWidget::Private::userMoved() {
    if (follow) {
        follow = false;
        Q_EMIT widget.followChanged(false);
    }
    Q_EMIT widget.xRangeChanged(widget.xRange());
    ask();
}

void PlotWidget::Private::scales() {
    ours = true;
    canvas->yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    canvas->yAxis->setTicker(logarithmic ? makeLogarithmicTicks(spec.yUnit)
                                         : makeLinearTicks(spec.yUnit, spec.wholeY));
    ours = false;
}

void PlotWidget::Private::style() {
    const auto palette = widget.palette();
    const QColor ground = palette.color(QPalette::Base), ink = palette.color(QPalette::Text);
    const QColor quiet(mixed(ink, ground, 0.6)), grid(mixed(ink, ground, 0.12));
    canvas->setBackground(QBrush(ground));
    for (auto* axis : {canvas->xAxis, canvas->yAxis}) {
        axis->setBasePen(QPen(quiet));
        axis->setTickPen(QPen(quiet));
        axis->setSubTickPen(QPen(Qt::NoPen));
        axis->setTickLabelColor(ink);
        axis->setLabelColor(ink);
        axis->setTickLabelFont(widget.font());
        axis->setLabelFont(widget.font());
        axis->grid()->setPen(QPen(grid));
        axis->grid()->setZeroLinePen(QPen(grid));
    }
    limitLine->setPen(QPen(meaningColour(Meaning::Bad), 1, Qt::DashLine));
    limitText->setColor(meaningColour(Meaning::Bad));
    limitText->setFont(widget.font());
    cursorLine->setPen(QPen(quiet, 1));
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        styleGraph(i);
    }
    showReadOut();
    ask();
}

// Pens of one pixel: with two, a long curve takes a hundred times as long.
void PlotWidget::Private::styleGraph(std::size_t index) {
    auto colour = seriesColour(series[index].spec.look);
    auto* graph = graphs[index];
    graph->setPen(QPen(colour, 1));
    graph->setLineStyle(series[index].spec.steps ? QCPGraph::lsStepLeft : QCPGraph::lsLine);
    if (series[index].area) {
        graph->setAntialiasedFill(false);  // half the time
        colour.setAlpha(kAreaAlpha);
        graph->setBrush(colour);
        for (std::size_t below = index; below-- > 0;) {
            if (series[below].area) {
                graph->setChannelFillGraph(graphs[below]);
                break;
            }
        }
    } else {
        // A lone point has no line.
        graph->setScatterStyle(series[index].x.size() < 2
                                   ? QCPScatterStyle(QCPScatterStyle::ssDisc, colour, colour, 5)
                                   : QCPScatterStyle(QCPScatterStyle::ssNone));
    }
}

int PlotWidget::Private::add(const SeriesSpec& seriesSpec, bool area) {
    PlottedSeries added;
    added.spec = seriesSpec;
    added.area = area;
    series.push_back(std::move(added));
    graphs.push_back(area ? new AreaGraph(canvas->xAxis, canvas->yAxis) : canvas->addGraph());
    styleGraph(graphs.size() - 1);
    return static_cast<int>(graphs.size()) - 1;
}

void PlotWidget::Private::put(std::size_t index, double x, double shown) {
    xBounds.add(x);
    yBounds.add(shown);
    graphs[index]->addData(x, isDrawable(shown) ? shown : kNoValue);
    if (series[index].x.size() <= 2) {
        styleGraph(index);
    }
}

void PlotWidget::Private::fit() {
    auto bounds = yBounds;
    if (limit && (spec.fromZero || !bounds.empty())) {
        bounds.add(*limit);
    }
    const auto x = xRangeOf(xBounds);
    const auto y = yRangeOf(bounds, spec.fromZero, logarithmic);
    ours = true;
    canvas->xAxis->setRange(x.low, x.high);
    canvas->yAxis->setRange(y.low, y.high);
    ours = false;
}

void PlotWidget::Private::replot(bool atOnce) {
    if (follow) {
        fit();
    }
    limitLine->setVisible(limit.has_value());
    limitText->setVisible(limit.has_value());
    if (limit) {
        limitLine->point1->setCoords(0, *limit);
        limitLine->point2->setCoords(1, *limit);
        limitText->setText(QStringLiteral("%1 %2").arg(limitName, valueText(*limit)));
        limitText->position->setCoords(0.995, *limit);
    }
    cursorLine->setVisible(cursor.has_value());
    if (cursor) {
        cursorLine->point1->setCoords(*cursor, 0);
        cursorLine->point2->setCoords(*cursor, logarithmic ? 10 : 1);
    }
    showReadOut();
    canvas->replot(atOnce ? QCustomPlot::rpImmediateRefresh : QCustomPlot::rpQueuedReplot);
}

void PlotWidget::Private::ask() {
    ReplotQueue::instance().ask(&widget);
}

// The cursor stays: new data are no new view.
void PlotWidget::Private::clear() {
    series.clear();
    graphs.clear();
    canvas->clearGraphs();
    xBounds = yBounds = {};
    ask();
}

void PlotWidget::Private::zoom(double factor) {
    canvas->xAxis->scaleRange(factor, cursor.value_or(canvas->xAxis->range().center()));
}

PlotRange PlotWidget::Private::xRange() const {
    return {canvas->xAxis->range().lower, canvas->xAxis->range().upper};
}
PlotRange PlotWidget::Private::yRange() const {
    return {canvas->yAxis->range().lower, canvas->yAxis->range().upper};
}

void PlotWidget::Private::setXRange(const PlotRange& range) {
    ours = true;
    canvas->xAxis->setRange(range.low, range.high);
    ours = false;
    ask();
}

}  // namespace receiptbench
