#include "ui/pdf/plot_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <qcustomplot.h>

#include "ui/pdf/finite_range.h"
#include "ui/pdf/report_style.h"

namespace receiptbench {

using namespace Qt::StringLiterals;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmall = 7.5;               // points: ticks, legend
constexpr double kCurve = 1.0, kThin = 0.5;  // points: pens
// Beyond this many points a curve is drawn as its smallest and largest value per column: no spike
// is lost.
constexpr std::size_t kEveryPoint = 4000;

struct Look {
    QColor colour;
    Qt::PenStyle dash;
    QCPScatterStyle::ScatterShape marker;
};
Look lookOf(int style) {
    static const std::array<Look, 6> kLooks{
        {{kBlue, Qt::SolidLine, QCPScatterStyle::ssDisc},
         {kVermillion, Qt::DashLine, QCPScatterStyle::ssSquare},
         {kGreen, Qt::DashDotLine, QCPScatterStyle::ssTriangle},
         {kPurple, Qt::DotLine, QCPScatterStyle::ssDiamond},
         {kBlack, Qt::DashDotDotLine, QCPScatterStyle::ssTriangleInverted},
         {kSky.darker(130), Qt::SolidLine, QCPScatterStyle::ssCircle}}};
    return kLooks[static_cast<std::size_t>(style < 0 ? 0 : style) % kLooks.size()];
}

QPen penOf(const QColor& colour, double width, Qt::PenStyle dash = Qt::SolidLine) {
    return QPen(QBrush(colour), points(width), dash,
                dash == Qt::SolidLine ? Qt::RoundCap : Qt::FlatCap, Qt::RoundJoin);
}

QCPScatterStyle scatterOf(const Look& look, double size) {
    const bool hollow = look.marker == QCPScatterStyle::ssCircle;
    return QCPScatterStyle(look.marker, penOf(look.colour, 0.8),
                           hollow ? QBrush(Qt::white) : QBrush(look.colour), points(size));
}

QCPRange rangeOf(const AxisBounds& bounds) {
    return {bounds.low, bounds.high};
}

double usable(double value, bool logarithmic) {
    return std::isfinite(value) && (!logarithmic || value > 0) ? value : kNaN;
}

QVector<double> usable(const std::vector<double>& values, bool logarithmic = false) {
    QVector<double> out;
    out.reserve(static_cast<int>(values.size()));
    for (const double value : values) {
        out.push_back(usable(value, logarithmic));
    }
    return out;
}

// One plot being built. QCustomPlot is made for pixels of a screen; here a pixel is a layout unit.
class Canvas {
 public:
    Canvas(const QString& title, QSizeF size) : size_(size) {
        plot_.setLocale(QLocale::c());  // of the numbers at the ticks
        plot_.setBackground(Qt::NoBrush);
        plot_.setAntialiasedElements(QCP::aeAll);
        plot_.plotLayout()->setRowSpacing(static_cast<int>(points(3)));
        auto* rect = plot_.axisRect();
        rect->setMinimumMargins(QMargins(static_cast<int>(points(8)), static_cast<int>(points(4)),
                                         static_cast<int>(points(10)),
                                         static_cast<int>(points(4))));
        rect->setupFullAxesBox(false);
        for (auto* axis : {x(), y(), plot_.xAxis2, plot_.yAxis2}) {
            styleAxis(*axis);
        }
        for (auto* axis : {plot_.xAxis2, plot_.yAxis2}) {
            axis->setVisible(false);
        }
        plot_.legend->setVisible(false);
        if (!title.isEmpty()) {
            plot_.plotLayout()->insertRow(0);
            auto* text = new QCPTextElement(&plot_, title, reportFont(8.5, true));
            text->setTextColor(kInk);
            text->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
            plot_.plotLayout()->addElement(0, 0, text);
        }
    }

    QCPAxis* x() const { return plot_.xAxis; }
    QCPAxis* y() const { return plot_.yAxis; }
    QCustomPlot& plot() { return plot_; }

    void label(QCPAxis* axis, const QString& text) { axis->setLabel(text); }

    void logarithmic(QCPAxis* axis, const QCPRange& range) {
        axis->setRange(range);
        axis->setScaleType(QCPAxis::stLogarithmic);
        auto ticker = QSharedPointer<QCPAxisTickerLog>::create();
        axis->setTicker(ticker);
        if (range.upper / range.lower < 60) {  // powers of ten would be too few
            ticker->setLogBase(2);
            axis->setNumberFormat(u"g"_s);
            axis->setNumberPrecision(7);
        } else {
            axis->setNumberFormat(u"ebc"_s);
            axis->setNumberPrecision(0);
        }
    }

    // above: room for words over the first row, in rows.
    void rowNames(const std::vector<QString>& rows, double above) {
        auto names = QSharedPointer<QCPAxisTickerText>::create();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            names->addTick(static_cast<double>(i), rows[i]);
        }
        y()->setTicker(names);
        y()->setSubTicks(false);
        y()->setTickLength(0, 0);
        y()->grid()->setVisible(false);
        y()->setRange(-0.6 - above, std::max(0.6, static_cast<double>(rows.size()) - 0.4));
        y()->setRangeReversed(true);
    }

    // There is no update 2.5.
    void wholeTicks(QCPAxis* axis, const QCPRange& range) {
        axis->setRange(range);
        double step = 1;
        for (int i = 0; range.size() / step > 8 && i < 1000; ++i) {
            step *= i % 3 == 1 ? 2.5 : 2;  // 1, 2, 5, 10, 20, ...
        }
        auto ticker = QSharedPointer<QCPAxisTickerFixed>::create();
        ticker->setTickStep(step);
        axis->setTicker(ticker);
    }

    // Above the axes, in one or more lines.
    void legend(int perLine) {
        auto* legend = plot_.legend;
        plot_.axisRect()->insetLayout()->take(legend);
        const int row = plot_.plotLayout()->rowCount() > 1 ? 1 : 0;
        plot_.plotLayout()->insertRow(row);
        plot_.plotLayout()->addElement(row, 0, legend);
        plot_.plotLayout()->setRowStretchFactor(row, 0.001);
        legend->setVisible(true);
        legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
        legend->setWrap(perLine);
        legend->setBorderPen(Qt::NoPen);
        legend->setBrush(Qt::NoBrush);
        legend->setFont(reportFont(kSmall));
        legend->setTextColor(kInk);
        legend->setIconSize(static_cast<int>(points(18)), static_cast<int>(points(8)));
        legend->setIconTextPadding(static_cast<int>(points(4)));
        legend->setIconBorderPen(Qt::NoPen);
        legend->setMargins(QMargins(static_cast<int>(points(2)), 0, 0, 0));
        legend->setRowSpacing(static_cast<int>(points(2)));
        legend->setColumnSpacing(static_cast<int>(points(10)));
        for (int i = 0; i < legend->itemCount(); ++i) {
            legend->item(i)->setMargins(QMargins(0, 0, 0, 0));
            legend->item(i)->setMinimumMargins(QMargins(0, 0, 0, 0));
        }
    }

    void horizontalLimit(const LimitLine& limit) { drawLimit(limit, true); }
    void verticalLimit(const LimitLine& limit) { drawLimit(limit, false); }

    void sayEmpty() {
        auto* text = itemText(u"no finite values"_s, Qt::AlignCenter);
        text->position->setType(QCPItemPosition::ptAxisRectRatio);
        text->position->setCoords(0.5, 0.5);
    }

    QCPItemText* itemText(const QString& words, Qt::Alignment alignment,
                          const QColor& colour = kQuiet) {
        auto* text = new QCPItemText(&plot_);
        text->setText(words);
        text->setFont(reportFont(kSmall));
        text->setColor(colour);
        text->setPositionAlignment(alignment);
        text->setClipToAxisRect(false);
        return text;
    }

    PlotPicture record() {
        PlotPicture result;
        result.size = size_;
        const int width = static_cast<int>(size_.width()),
                  height = static_cast<int>(size_.height());
        QCPPainter painter;
        painter.begin(&result.picture);
        painter.setMode(QCPPainter::pmVectorized);
        painter.setMode(QCPPainter::pmNoCaching);
        painter.setMode(QCPPainter::pmNonCosmetic);
        plot_.toPainter(&painter, width, height);
        painter.end();
        return result;
    }

 private:
    void styleAxis(QCPAxis& axis) {
        axis.setBasePen(penOf(kQuiet, kThin));
        axis.setTickPen(penOf(kQuiet, kThin));
        axis.setSubTickPen(penOf(kRule, kThin));
        axis.setTickLength(0, static_cast<int>(points(2.5)));
        axis.setSubTickLength(0, 0);
        axis.setTickLabelPadding(static_cast<int>(points(2.5)));
        axis.setLabelPadding(static_cast<int>(points(3)));
        axis.setPadding(static_cast<int>(points(1)));
        axis.setTickLabelFont(reportFont(kSmall));
        axis.setTickLabelColor(kInk);
        axis.setLabelFont(reportFont(kSmall));
        axis.setLabelColor(kQuiet);
        axis.grid()->setPen(penOf(kFaintRule, kThin));
        axis.grid()->setZeroLinePen(penOf(kRule, kThin));
        axis.ticker()->setTickCount(5);
    }

    void drawLimit(const LimitLine& limit, bool horizontal) {
        if (!std::isfinite(limit.value)) {
            return;
        }
        auto* line = new QCPItemLine(&plot_);
        line->setPen(penOf(kBadInk, 0.9, Qt::DashLine));
        for (auto* end : {line->start, line->end}) {
            end->setTypeX(horizontal ? QCPItemPosition::ptAxisRectRatio
                                     : QCPItemPosition::ptPlotCoords);
            end->setTypeY(horizontal ? QCPItemPosition::ptPlotCoords
                                     : QCPItemPosition::ptAxisRectRatio);
        }
        auto* words = itemText(
            limit.label,
            horizontal ? Qt::AlignRight | Qt::AlignBottom : Qt::AlignLeft | Qt::AlignTop, kBadInk);
        words->setPadding(QMargins(static_cast<int>(points(2)), 0, static_cast<int>(points(2)),
                                   static_cast<int>(points(1))));
        words->position->setTypeX(horizontal ? QCPItemPosition::ptAxisRectRatio
                                             : QCPItemPosition::ptPlotCoords);
        words->position->setTypeY(horizontal ? QCPItemPosition::ptPlotCoords
                                             : QCPItemPosition::ptAxisRectRatio);
        if (horizontal) {
            line->start->setCoords(0, limit.value);
            line->end->setCoords(1, limit.value);
            words->position->setCoords(1, limit.value);
        } else {
            line->start->setCoords(limit.value, 0);
            line->end->setCoords(limit.value, 1);
            words->position->setCoords(limit.value, 0);
        }
    }

    QCustomPlot plot_;
    QSizeF size_;
};

void addCurve(Canvas& canvas, const PlotLine& line, bool logarithmic) {
    const auto look = lookOf(line.style);
    auto* graph = canvas.plot().addGraph();
    graph->setName(line.name);
    graph->setData(usable(line.x), usable(line.y, logarithmic), true);
    graph->setPen(penOf(look.colour, kCurve, look.dash));
    graph->setLineStyle(line.steps ? QCPGraph::lsStepLeft : QCPGraph::lsLine);
    graph->setAdaptiveSampling(line.x.size() > kEveryPoint);
    graph->setScatterStyle(scatterOf(look, 3.6));
    graph->setScatterSkip(
        static_cast<int>(line.x.size() / 8));  // a few, to tell curves apart without colour
}

void addMarks(Canvas& canvas, const PlotLine& line, bool logarithmic) {
    if (line.markedX.empty()) {
        return;
    }
    auto* marks = canvas.plot().addGraph();
    marks->setName(line.markedName);
    marks->setData(usable(line.markedX), usable(line.markedY, logarithmic));
    marks->setLineStyle(QCPGraph::lsNone);
    marks->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCrossSquare, penOf(kBadInk, 0.9),
                                           QBrush(Qt::white), points(6)));
}

// Crosses on the axis where a value is not finite (or has no place on a logarithmic axis).
void addMissing(Canvas& canvas, const PlotLine& line, bool logarithmic) {
    QVector<double> where;
    for (std::size_t i = 0; i < line.x.size(); ++i) {
        if (std::isfinite(line.x[i]) && std::isnan(usable(line.y[i], logarithmic))) {
            where.push_back(line.x[i]);
        }
    }
    if (where.isEmpty()) {
        return;
    }
    auto* crosses = canvas.plot().addGraph();
    crosses->setName(line.name + u": not finite"_s);
    crosses->setData(where, QVector<double>(where.size(), canvas.y()->range().lower));
    crosses->setLineStyle(QCPGraph::lsNone);
    crosses->setScatterStyle(QCPScatterStyle(
        QCPScatterStyle::ssCross, penOf(lookOf(line.style).colour, 1.2), Qt::NoBrush, points(5)));
}

int legendColumns(QSizeF size, int longestName) {
    const double each = points(34 + 4.2 * longestName);
    return std::max(1, static_cast<int>(size.width() / each));
}

template <typename List>
int longestName(const List& list) {
    int longest = 0;
    for (const auto& one : list) {
        longest = std::max(longest, static_cast<int>(one.name.size()));
    }
    return longest;
}

template <typename Plot>
void addLimits(Canvas& canvas, const Plot& plot, bool horizontal) {
    for (const auto& limit : plot.limits) {
        horizontal ? canvas.horizontalLimit(limit) : canvas.verticalLimit(limit);
    }
}

std::vector<double> runningSum(const StackPlot& plot, std::size_t parts) {
    std::vector<double> sum(plot.x.size(), 0);
    for (std::size_t p = 0; p < parts; ++p) {
        for (std::size_t i = 0; i < sum.size() && i < plot.parts[p].values.size(); ++i) {
            sum[i] += plot.parts[p].values[i];
        }
    }
    return sum;
}

void addBarLabels(Canvas& canvas, const BarPlot& plot, double span) {
    for (std::size_t row = 0; row < plot.rows.size(); ++row) {
        double start = 0;
        for (const auto& part : plot.parts) {
            const double value = row < part.values.size() ? usable(part.values[row], false) : kNaN;
            if (std::isnan(value)) {
                continue;
            }
            const auto words = QString::number(value, 'f', span < 1 ? 3 : span < 100 ? 1 : 0);
            if (value > span * 0.011 * static_cast<double>(words.size() + 1)) {
                const bool dark = qGray(part.fill.rgb()) < 140;
                auto* text =
                    canvas.itemText(words, Qt::AlignCenter, dark ? QColor(Qt::white) : kInk);
                text->position->setCoords(start + value / 2, static_cast<double>(row));
            }
            start += value;
        }
    }
}

void addDots(Canvas& canvas, const DotPlot& plot, const DotSeries& series, double shift,
             FiniteRange& across) {
    auto* dots = canvas.plot().addGraph(canvas.y(), canvas.x());
    dots->setName(series.name);
    dots->setLineStyle(QCPGraph::lsNone);
    dots->setScatterStyle(scatterOf(lookOf(series.style), 5));
    QVector<double> keys, values, below, above;
    for (std::size_t row = 0; row < plot.rows.size() && row < series.values.size(); ++row) {
        const double value = usable(series.values[row], plot.logarithmic);
        keys.push_back(static_cast<double>(row) + shift);
        values.push_back(value);
        across.add(value);
        if (row < series.low.size() && row < series.high.size()) {
            across.add(series.low[row]);
            across.add(series.high[row]);
            below.push_back(value - series.low[row]);
            above.push_back(series.high[row] - value);
        }
    }
    dots->setData(keys, values, true);
    if (below.isEmpty()) {
        return;
    }
    auto* errors = new QCPErrorBars(canvas.y(), canvas.x());
    errors->removeFromLegend();
    errors->setDataPlottable(dots);
    errors->setErrorType(QCPErrorBars::etValueError);
    errors->setData(below, above);
    errors->setPen(penOf(lookOf(series.style).colour, 1));
    errors->setWhiskerWidth(points(5));
    errors->setSymbolGap(0);
}

}  // namespace

PlotPicture drawPlot(const LinePlot& plot, QSizeF size) {
    Canvas canvas(plot.title, size);
    canvas.label(canvas.x(), plot.xLabel);
    canvas.label(canvas.y(), plot.yLabel);
    FiniteRange across, up;
    for (const auto& line : plot.lines) {
        across.addAll(line.x);
        up.addAll(usable(line.y, plot.logarithmic));
        up.addAll(usable(line.markedY, plot.logarithmic));
    }
    const bool empty = up.empty();
    for (const auto& limit : plot.limits) {
        up.add(usable(limit.value, plot.logarithmic));
    }
    if (plot.fromZero) {
        up.add(0);
    }
    canvas.wholeTicks(canvas.x(), rangeOf(across.linear(0.01, 0.01)));
    if (plot.logarithmic) {
        canvas.logarithmic(canvas.y(), rangeOf(up.logarithmic()));
    } else {
        canvas.y()->setRange(rangeOf(up.linear(plot.fromZero ? 0 : 0.06, 0.08)));
    }
    for (const auto& line : plot.lines) {
        addCurve(canvas, line, plot.logarithmic);
        addMarks(canvas, line, plot.logarithmic);
        addMissing(canvas, line, plot.logarithmic);
    }
    addLimits(canvas, plot, true);
    if (canvas.plot().graphCount() > 1) {
        canvas.legend(legendColumns(size, longestName(plot.lines)));
    }
    if (empty) {
        canvas.sayEmpty();
    }
    return canvas.record();
}

PlotPicture drawPlot(const StackPlot& plot, QSizeF size) {
    Canvas canvas(plot.title, size);
    canvas.label(canvas.x(), plot.xLabel);
    canvas.label(canvas.y(), plot.yLabel);
    FiniteRange across, up;
    across.addAll(plot.x);
    up.addAll(runningSum(plot, plot.parts.size()));
    const bool empty = up.empty();
    for (const auto& limit : plot.limits) {
        up.add(limit.value);
    }
    up.add(0);
    canvas.x()->setRange(rangeOf(across.linear(0, 0)));
    canvas.y()->setRange(rangeOf(up.linear(0, 0.12)));
    // The whole stack first and then ever smaller ones on top of it: each fills down to zero.
    for (std::size_t parts = plot.parts.size(); parts > 0; --parts) {
        auto* graph = canvas.plot().addGraph();
        graph->setName(plot.parts[parts - 1].name);
        graph->setData(usable(plot.x), usable(runningSum(plot, parts)), true);
        graph->setAdaptiveSampling(plot.x.size() > kEveryPoint);
        graph->setPen(penOf(plot.parts[parts - 1].fill, 0.2));
        graph->setBrush(plot.parts[parts - 1].fill);
    }
    addLimits(canvas, plot, true);
    if (plot.legend) {
        canvas.legend(legendColumns(size, longestName(plot.parts)));
    }
    if (empty) {
        canvas.sayEmpty();
    }
    return canvas.record();
}

PlotPicture drawPlot(const BarPlot& plot, QSizeF size) {
    Canvas canvas(plot.title, size);
    canvas.label(canvas.x(), plot.xLabel);
    canvas.rowNames(plot.rows, plot.limits.empty() ? 0 : 0.6);
    QVector<double> keys;
    std::vector<double> sums(plot.rows.size(), 0);
    for (std::size_t row = 0; row < plot.rows.size(); ++row) {
        keys.push_back(static_cast<double>(row));
    }
    QCPBars* below = nullptr;
    for (const auto& part : plot.parts) {
        auto* bars = new QCPBars(canvas.y(), canvas.x());
        bars->setName(part.name);
        bars->setWidth(0.62);
        bars->setPen(penOf(Qt::white, 0.4));
        bars->setBrush(part.fill);
        QVector<double> values;
        for (std::size_t row = 0; row < plot.rows.size(); ++row) {
            const double value =
                row < part.values.size() && std::isfinite(part.values[row]) ? part.values[row] : 0;
            values.push_back(value);
            sums[row] += value;
        }
        bars->setData(keys, values, true);
        if (below != nullptr) {
            bars->moveAbove(below);
        }
        below = bars;
    }
    FiniteRange across;
    across.add(0);
    across.addAll(sums);
    for (const auto& limit : plot.limits) {
        across.add(limit.value);
    }
    canvas.x()->setRange(rangeOf(across.linear(0, 0.06)));
    addBarLabels(canvas, plot, canvas.x()->range().size());
    addLimits(canvas, plot, false);
    canvas.legend(legendColumns(size, longestName(plot.parts)));
    return canvas.record();
}

PlotPicture drawPlot(const DotPlot& plot, QSizeF size) {
    Canvas canvas(plot.title, size);
    canvas.label(canvas.x(), plot.xLabel);
    canvas.rowNames(plot.rows, plot.limits.empty() ? 0 : 0.6);
    FiniteRange across;
    for (const auto& limit : plot.limits) {
        across.add(usable(limit.value, plot.logarithmic));
    }
    for (std::size_t s = 0; s < plot.series.size(); ++s) {
        // Series of one row stand a little apart, unless they are far apart anyway.
        const double middle = (static_cast<double>(plot.series.size()) - 1) / 2;
        addDots(canvas, plot, plot.series[s],
                plot.logarithmic ? 0 : 0.24 * (static_cast<double>(s) - middle), across);
    }
    if (plot.logarithmic) {
        canvas.logarithmic(canvas.x(), rangeOf(across.logarithmic()));
    } else {
        canvas.x()->setRange(rangeOf(across.linear(0.08, 0.08)));
    }
    addLimits(canvas, plot, false);
    if (plot.series.size() > 1) {
        canvas.legend(legendColumns(size, longestName(plot.series)));
    }
    if (across.empty()) {
        canvas.sayEmpty();
    }
    return canvas.record();
}

}  // namespace receiptbench
