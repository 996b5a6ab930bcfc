#include "ui/plots/plot_widget.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include <qcustomplot.h>

#include "core/base/text.h"
#include "ui/plots/plot_ticks.h"
#include "ui/plots/replot_queue.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr int kAreaAlpha = 150, kSmallestHeight = 120;
constexpr double kZoomStep = 0.8;

QString mixed(const QColor& front, const QColor& back, double share) {
    const auto mix = [share](int a, int b) {
        return static_cast<int>(share * a + (1 - share) * b);
    };
    return QColor(mix(front.red(), back.red()), mix(front.green(), back.green()),
                  mix(front.blue(), back.blue()))
        .name();
}

}  // namespace

struct PlotWidget::Private {
    Private(PlotWidget& its, const PlotSpec& wanted)
        : widget(its), spec(wanted), canvas(new QCustomPlot(&its)), readOut(new QLabel(&its)) {}

    PlotWidget& widget;
    PlotSpec spec;
    QCustomPlot* canvas;
    QLabel* readOut;
    std::vector<PlottedSeries> series;
    std::vector<QCPGraph*> graphs;
    PlotBounds xBounds, yBounds;
    bool follow = true, logarithmic = false;
    bool ours = false;  // a range that this code sets, not the user
    std::optional<double> cursor, limit;
    QString limitName;
    QCPItemStraightLine *cursorLine = nullptr, *limitLine = nullptr;

    void build();
    void style();
    void styleGraph(std::size_t index);
    void scales();
    int add(const SeriesSpec& seriesSpec, bool area);
    void put(std::size_t index, double x, double shown);
    void fit();
    void ask() { ReplotQueue::instance().ask(&widget); }
    void replot();
    void userMoved();
    std::optional<double> nearestX(double x) const;
    std::optional<double> lastX() const;
    void step(int by);
    QString valueText(double value) const;
    void showReadOut();
};

void PlotWidget::Private::build() {
    auto* title = new QLabel(spec.title, &widget);
    auto bold = title->font();
    bold.setBold(true);
    title->setFont(bold);
    readOut->setTextFormat(Qt::RichText);  // coloured marks; all names are escaped
    readOut->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    readOut->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* head = new QHBoxLayout;
    head->setSpacing(12);
    head->addWidget(title);
    head->addWidget(readOut, 1);
    auto* layout = new QVBoxLayout(&widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addLayout(head);
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
                                         : makeLinearTicks(spec.yUnit, false));
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
    graphs.push_back(canvas->addGraph());
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

void PlotWidget::Private::replot() {
    if (follow) {
        fit();
    }
    limitLine->setVisible(limit.has_value());
    if (limit) {
        limitLine->point1->setCoords(0, *limit);
        limitLine->point2->setCoords(1, *limit);
    }
    cursorLine->setVisible(cursor.has_value());
    if (cursor) {
        cursorLine->point1->setCoords(*cursor, 0);
        cursorLine->point2->setCoords(*cursor, logarithmic ? 10 : 1);
    }
    showReadOut();
    canvas->replot(QCustomPlot::rpQueuedReplot);
}

std::optional<double> PlotWidget::Private::nearestX(double x) const {
    std::optional<double> best;
    for (const auto& each : series) {
        const auto above = std::lower_bound(each.x.begin(), each.x.end(), x);
        for (const auto candidate : {above, above == each.x.begin() ? above : above - 1}) {
            if (candidate != each.x.end() &&
                (!best || std::abs(*candidate - x) < std::abs(*best - x))) {
                best = *candidate;
            }
        }
    }
    return best;
}

std::optional<double> PlotWidget::Private::lastX() const {
    std::optional<double> last;
    for (const auto& each : series) {
        if (!each.x.empty()) {
            last = std::max(last.value_or(each.x.back()), each.x.back());
        }
    }
    return last;
}

// To the next or previous place where any series has a point.
void PlotWidget::Private::step(int by) {
    std::optional<double> next;
    const double from = cursor.value_or(lastX().value_or(0));
    for (const auto& each : series) {
        if (by > 0) {
            const auto at = std::upper_bound(each.x.begin(), each.x.end(), from);
            if (at != each.x.end() && (!next || *at < *next)) {
                next = *at;
            }
        } else {
            const auto at = std::lower_bound(each.x.begin(), each.x.end(), from);
            if (at != each.x.begin() && (!next || *(at - 1) > *next)) {
                next = *(at - 1);
            }
        }
    }
    if (next) {
        widget.setCursor(next);
        Q_EMIT widget.cursorMoved(next);
    }
}

QString PlotWidget::Private::valueText(double value) const {
    if (std::isnan(value)) {
        return QStringLiteral("n/a");
    }
    return spec.valueText ? spec.valueText(value) : QLocale::c().toString(value, 'g', 6);
}

void PlotWidget::Private::showReadOut() {
    QStringList parts;
    const auto x = cursor ? cursor : lastX();
    if (x) {
        parts << QStringLiteral("%1 %2").arg(spec.xLabel, QLocale::c().toString(*x, 'g', 8));
    }
    // From the top of a stack to its bottom, as it is seen.
    for (auto each = series.rbegin(); each != series.rend(); ++each) {
        const auto at = x && cursor       ? each->at(*x)
                        : each->y.empty() ? std::optional<double>()
                                          : std::optional<double>(each->y.back());
        parts << QStringLiteral("<span style=\"color:%1\">■</span> %2 %3")
                     .arg(seriesColour(each->spec.look).name(), each->spec.name.toHtmlEscaped(),
                          at ? valueText(*at) : QStringLiteral("–"));
    }
    if (limit) {
        parts << QStringLiteral("<span style=\"color:%1\">╌</span> %2 %3")
                     .arg(meaningColour(Meaning::Bad).name(), limitName.toHtmlEscaped(),
                          valueText(*limit));
    }
    readOut->setText(parts.join(QStringLiteral(" &nbsp; ")));
    readOut->setToolTip(readOut->text());
}

PlotWidget::PlotWidget(const PlotSpec& spec, QWidget* parent)
    : QWidget(parent), p_(std::make_unique<Private>(*this, spec)) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(spec.title);
    setAccessibleDescription(
        tr("Left and right move the cursor, plus and minus zoom, 0 shows everything"));
    p_->build();
    ReplotQueue::instance().add(this, [this] { p_->replot(); });
}

PlotWidget::~PlotWidget() {
    ReplotQueue::instance().remove(this);
}

int PlotWidget::addSeries(const SeriesSpec& spec) {
    return p_->add(spec, false);
}
int PlotWidget::addArea(const SeriesSpec& spec) {
    return p_->add(spec, true);
}

void PlotWidget::clear() {
    p_->series.clear();
    p_->graphs.clear();
    p_->canvas->clearGraphs();
    p_->xBounds = p_->yBounds = {};
    p_->cursor.reset();
    p_->ask();
}

void PlotWidget::append(int series, double x, double y) {
    auto& into = p_->series.at(static_cast<std::size_t>(series));
    into.x.push_back(x);
    into.y.push_back(y);
    p_->put(static_cast<std::size_t>(series), x, y);
    p_->ask();
}

void PlotWidget::appendStack(double x, const std::vector<double>& shares) {
    double sum = 0;
    std::size_t share = 0;
    for (std::size_t i = 0; i < p_->series.size() && share < shares.size(); ++i) {
        auto& into = p_->series[i];
        if (into.area) {
            sum += shares[share];
            into.x.push_back(x);
            into.y.push_back(shares[share++]);
            p_->put(i, x, sum);
        }
    }
    p_->ask();
}

void PlotWidget::setLimit(std::optional<double> y, const QString& name) {
    p_->limit = y;
    p_->limitName = name;
    p_->ask();
}

void PlotWidget::setLogarithmic(bool on) {
    p_->logarithmic = on;
    p_->scales();
    p_->fit();
    p_->ask();
}

int PlotWidget::seriesCount() const {
    return static_cast<int>(p_->series.size());
}
const PlottedSeries& PlotWidget::series(int index) const {
    return p_->series.at(static_cast<std::size_t>(index));
}
PlotRange PlotWidget::xRange() const {
    return {p_->canvas->xAxis->range().lower, p_->canvas->xAxis->range().upper};
}
PlotRange PlotWidget::yRange() const {
    return {p_->canvas->yAxis->range().lower, p_->canvas->yAxis->range().upper};
}

bool PlotWidget::follows() const {
    return p_->follow;
}
void PlotWidget::setFollow(bool on) {
    if (on == p_->follow) {
        return;
    }
    p_->follow = on;
    Q_EMIT followChanged(on);
    p_->ask();
}

void PlotWidget::setXRange(const PlotRange& range) {
    p_->follow = false;
    p_->ours = true;
    p_->canvas->xAxis->setRange(range.low, range.high);
    p_->ours = false;
    p_->ask();
}

std::optional<double> PlotWidget::cursor() const {
    return p_->cursor;
}
void PlotWidget::setCursor(std::optional<double> x) {
    if (x != p_->cursor) {
        p_->cursor = x;
        p_->showReadOut();
        p_->ask();
    }
}

QString PlotWidget::readOut() const {
    QTextDocument text;
    text.setHtml(p_->readOut->text());
    return text.toPlainText();
}

std::string PlotWidget::csv() const {
    std::string text = "series,x,y\r\n";
    for (const auto& each : p_->series) {
        const std::string name = csvCell(each.spec.name.toStdString());
        for (std::size_t i = 0; i < each.x.size(); ++i) {
            text += name + "," + formatDouble(each.x[i]) + "," + formatDouble(each.y[i]) + "\r\n";
        }
    }
    return text;
}

QPixmap PlotWidget::picture() const {
    p_->replot();
    return const_cast<PlotWidget*>(this)->grab();
}

void PlotWidget::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
            p_->step(-1);
            break;
        case Qt::Key_Right:
            p_->step(1);
            break;
        case Qt::Key_Escape:
            if (!p_->cursor) {
                QWidget::keyPressEvent(event);
                break;
            }
            setCursor(std::nullopt);
            Q_EMIT cursorMoved(std::nullopt);
            break;
        case Qt::Key_Plus:
        case Qt::Key_Minus: {
            const double factor = event->key() == Qt::Key_Plus ? kZoomStep : 1 / kZoomStep;
            p_->canvas->xAxis->scaleRange(factor,
                                          p_->cursor.value_or(p_->canvas->xAxis->range().center()));
            break;
        }
        case Qt::Key_0:
            setFollow(true);
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

void PlotWidget::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        p_->style();
    }
}

void PlotWidget::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    p_->ask();
}

}  // namespace receiptbench
