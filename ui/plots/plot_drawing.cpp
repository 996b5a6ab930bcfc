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
constexpr int kAreaAlpha = 56, kLabelAlpha = 200, kSmallestHeight = 110;
constexpr int kDot = 5, kCross = 6, kFrame = 4;
constexpr double kCrossHeight = 0.03;  // of the axis

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
    layout->setContentsMargins(kFrame, kFrame, kFrame, kFrame);
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
    limitText->setPadding(QMargins(3, 0, 3, 0));
    cursorLine = new QCPItemStraightLine(canvas);
    cursorLine->setVisible(false);
    canvas->yAxis2->setRange(0, 1);
    missing = canvas->addGraph(canvas->xAxis, canvas->yAxis2);
    missing->setLineStyle(QCPGraph::lsNone);
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
    // As wide for short numbers: plots below each other have their cursors in one line.
    const auto metrics = widget.fontMetrics();
    canvas->axisRect()->setMinimumMargins(QMargins(
        2 * metrics.height() + metrics.horizontalAdvance(QStringLiteral("0.0000")), 15, 15, 15));
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
    auto behind = ground;
    behind.setAlpha(kLabelAlpha);
    limitText->setBrush(behind);
    const auto caution = meaningColour(Meaning::Caution);
    missing->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCross, caution, kCross));
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
    // Level lines look dotted with it.
    graph->setAntialiased(!series[index].area && !series[index].spec.steps);
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
    }
    lone[index]->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssDisc, graphs[index]->pen().color(), kDot));
}

int PlotWidget::Private::add(const SeriesSpec& seriesSpec, bool area) {
    PlottedSeries added;
    added.spec = seriesSpec;
    added.area = area;
    series.push_back(std::move(added));
    graphs.push_back(area ? new AreaGraph(canvas->xAxis, canvas->yAxis) : canvas->addGraph());
    lone.push_back(canvas->addGraph());
    lone.back()->setLineStyle(QCPGraph::lsNone);
    styleGraph(graphs.size() - 1);
    return static_cast<int>(graphs.size()) - 1;
}

void PlotWidget::Private::put(std::size_t index, double x, double shown) {
    if (!isDrawable(x)) {
        return;
    }
    xBounds.add(x);
    yBounds.add(shown);
    const auto line = graphs[index]->data(), dots = lone[index]->data();
    if (!isDrawable(shown)) {
        missing->addData(x, kCrossHeight);
        ++notDrawn;
        graphs[index]->addData(x, kNoValue);
        return;
    }
    // A point that has no neighbour has no line.
    if (line->isEmpty() || std::isnan((line->constEnd() - 1)->value)) {
        lone[index]->addData(x, shown);
    } else if (!dots->isEmpty() && (line->constEnd() - 1)->key != x &&
               (dots->constEnd() - 1)->key == (line->constEnd() - 1)->key) {
        dots->remove((dots->constEnd() - 1)->key);
    }
    graphs[index]->addData(x, shown);
}

void PlotWidget::Private::fit() {
    auto bounds = yBounds;
    if (limit && (spec.fromZero || !bounds.empty())) {
        bounds.add(*limit);
    }
    const auto x = xRangeOf(xBounds);
    auto y = yRangeOf(bounds, spec.fromZero, logarithmic);
    if (bounds.empty()) {
        y = {y.low * spec.yUnit, y.high * spec.yUnit};
    }
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
    limitText->setVisible(limit && canvas->yAxis->range().contains(*limit));
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

// The cursor stays, and the read-out until the next replot: new data are no new view.
void PlotWidget::Private::clear() {
    for (const auto& owned : {graphs, lone}) {
        for (auto* graph : owned) {
            canvas->removeGraph(graph);
        }
    }
    series.clear();
    graphs.clear();
    lone.clear();
    missing->data()->clear();
    notDrawn = 0;
    xBounds = yBounds = {};
    ask();
}

void PlotWidget::Private::zoom(double factor) {
    canvas->xAxis->scaleRange(factor, cursor.value_or(canvas->xAxis->range().center()));
}

void PlotWidget::Private::pan(double share) {
    canvas->xAxis->moveRange(share * canvas->xAxis->range().size());
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
