#include "ui/plots/plot_widget.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QKeyEvent>
#include <QLocale>
#include <QMessageBox>
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "ui/plots/plot_private.h"
#include "ui/plots/replot_queue.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr double kZoomStep = 0.8, kPanStep = 0.25;

}  // namespace

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
    std::vector<ReadOut::Item> items;
    const auto x = cursor ? cursor : lastX();
    if (x) {
        items.push_back({{}, spec.xLabel, QLocale::c().toString(*x, 'g', 8)});
    }
    const auto put = [&](const PlottedSeries& each) {
        const auto at = x && cursor      ? each.at(*x)
                        : each.y.empty() ? std::optional<double>()
                                         : std::optional<double>(each.y.back());
        items.push_back({seriesColour(each.spec.look), each.spec.name,
                         at ? valueText(*at) : QStringLiteral("–")});
    };
    // Lines in their order; a stack from its top to its bottom, as it is seen.
    std::for_each(series.begin(), series.end(), [&](const PlottedSeries& each) {
        if (!each.area) {
            put(each);
        }
    });
    std::for_each(series.rbegin(), series.rend(), [&](const PlottedSeries& each) {
        if (each.area) {
            put(each);
        }
    });
    if (notDrawn > 0) {
        items.push_back({meaningColour(Meaning::Caution), tr("not drawn ×"),
                         QLocale::c().toString(static_cast<qulonglong>(notDrawn))});
    }
    readOut->show(std::move(items));
    widget.setAccessibleDescription(
        tr("%1. Left and right move the cursor, with Shift what is shown; plus and minus zoom, 0 "
           "shows everything")
            .arg(readOut->text()));
}

void PlotWidget::Private::savePicture() {
    QFileDialog dialog(&widget, tr("Save the picture"), {}, tr("Pictures (*.png)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("png"));
    dialog.selectFile(spec.title + QStringLiteral(".png"));
    if (dialog.exec() != QDialog::Accepted) {
        return;
    }
    const auto path = dialog.selectedFiles().value(0);
    if (!widget.picture().save(path, "PNG")) {
        QMessageBox::warning(&widget, tr("Save the picture"),
                             tr("%1 could not be written. Choose another folder.").arg(path));
    }
}

// Also by the menu key.
void PlotWidget::Private::makeMenu() {
    const auto add = [this](const QString& text, auto act) {
        auto* action = new QAction(text, &widget);
        QObject::connect(action, &QAction::triggered, &widget, act);
        widget.addAction(action);
    };
    add(tr("Copy the data as CSV"),
        [this] { QApplication::clipboard()->setText(QString::fromStdString(widget.csv())); });
    add(tr("Copy the picture"), [this] { QApplication::clipboard()->setPixmap(widget.picture()); });
    add(tr("Save the picture…"), [this] { savePicture(); });
    add(tr("Show everything"), [this] { widget.setFollow(true); });
    widget.setContextMenuPolicy(Qt::ActionsContextMenu);
}

PlotWidget::PlotWidget(const PlotSpec& spec, QWidget* parent)
    : QWidget(parent), p_(std::make_unique<Private>(*this, spec)) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(spec.title);
    p_->build();
    p_->makeMenu();
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
    p_->clear();
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
    return p_->xRange();
}
PlotRange PlotWidget::yRange() const {
    return p_->yRange();
}

bool PlotWidget::follows() const {
    return p_->follow;
}
void PlotWidget::setFollow(bool on) {
    if (on == p_->follow) {
        return;
    }
    if (!on) {
        p_->fit();  // what has come since the last replot
    }
    p_->follow = on;
    Q_EMIT followChanged(on);
    p_->ask();
}

void PlotWidget::setXRange(const PlotRange& range) {
    if (p_->follow) {
        p_->fit();
    }
    p_->follow = false;
    p_->setXRange(range);
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
    return p_->readOut->text();
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
    p_->replot(true);
    return const_cast<PlotWidget*>(this)->grab();
}

void PlotWidget::keyPressEvent(QKeyEvent* event) {
    const bool shifted = event->modifiers().testFlag(Qt::ShiftModifier);
    switch (event->key()) {
        case Qt::Key_Left:
            shifted ? p_->pan(-kPanStep) : p_->step(-1);
            break;
        case Qt::Key_Right:
            shifted ? p_->pan(kPanStep) : p_->step(1);
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
            p_->zoom(kZoomStep);
            break;
        case Qt::Key_Minus:
            p_->zoom(1 / kZoomStep);
            break;
        case Qt::Key_0:
            setFollow(true);
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

// Around all of it: whose keys they are.
void PlotWidget::paintEvent(QPaintEvent*) {
    if (hasFocus()) {
        QPainter painter(this);
        painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
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
