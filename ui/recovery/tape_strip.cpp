#include "ui/recovery/tape_strip.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <cmath>

#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr double kCallHeight = 38, kLaneHeight = 20, kGap = 5, kLabelWidth = 104, kTop = 16;

// A write is as wide as its bytes' logarithm: a megabyte and the 64 bytes of the seal are both
// seen.
double weight(const FileCall& call) {
    return 1 + (call.bytes > 0 ? 0.12 * std::log2(1.0 + static_cast<double>(call.bytes)) : 0);
}

QColor mixed(const QColor& one, const QColor& other, double share) {
    const auto part = [&](int a, int b) {
        return static_cast<int>(std::lround(a + (b - a) * share));
    };
    return {part(one.red(), other.red()), part(one.green(), other.green()),
            part(one.blue(), other.blue())};
}

}  // namespace

TapeStrip::TapeStrip(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Call tape as a picture"));
    setAccessibleDescription(tr("The table below holds the same in words"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setCursor(Qt::PointingHandCursor);
}

void TapeStrip::show(const std::vector<FileCall>& tape) {
    tape_ = tape;
    edges_.assign(1, 0);
    for (const auto& call : tape) {
        edges_.push_back(edges_.back() + weight(call));
    }
    for (auto& edge : edges_) {
        edge /= edges_.size() > 1 ? edges_.back() : 1;
    }
    if (edges_.size() > 1) {
        edges_.back() = 1;
    }
    update();
}

void TapeStrip::choose(const DrillPoint& point) {
    point_ = point;
    update();
}

QSize TapeStrip::sizeHint() const {
    return {640, static_cast<int>(kTop + kCallHeight + 2 * (kLaneHeight + kGap) + 4)};
}

QSize TapeStrip::minimumSizeHint() const {
    return {360, sizeHint().height()};
}

QRectF TapeStrip::cell(std::size_t at) const {
    const double width = this->width() - kLabelWidth;
    return {kLabelWidth + edges_[at] * width, kTop, (edges_[at + 1] - edges_[at]) * width,
            kCallHeight};
}

QRectF TapeStrip::lane(int number, std::int64_t firstIndex, std::int64_t lastIndex) const {
    const auto first = cell(static_cast<std::size_t>(firstIndex - 1)),
               last = cell(static_cast<std::size_t>(lastIndex - 1));
    return {first.left(), kTop + kCallHeight + kGap + number * (kLaneHeight + kGap),
            last.right() - first.left(), kLaneHeight};
}

double TapeStrip::pointX() const {
    const auto box = cell(static_cast<std::size_t>(point_.call - 1));
    return point_.when == CrashWhen::Before   ? box.left()
           : point_.when == CrashWhen::Inside ? box.center().x()
                                              : box.right();
}

void TapeStrip::paintEvent(QPaintEvent*) {
    if (tape_.empty()) {
        return;
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintCalls(painter);
    paintLanes(painter);
    paintPoint(painter);
}

void TapeStrip::paintCalls(QPainter& painter) const {
    const auto base = palette().color(QPalette::Base), ink = palette().color(QPalette::Text);
    for (std::size_t i = 0; i < tape_.size(); ++i) {
        const auto box = cell(i).adjusted(1, 0, -1, 0);
        const bool isWrite = tape_[i].operation == "write";
        const bool chosen = tape_[i].index == point_.call;
        painter.setPen(QPen(chosen ? palette().color(QPalette::Highlight) : mixed(base, ink, 0.3),
                            chosen ? 2 : 1));
        painter.setBrush(isWrite ? mixed(base, seriesColour(0), 0.22) : mixed(base, ink, 0.05));
        painter.drawRoundedRect(box, 4, 4);
        painter.setPen(ink);
        const auto name = QString::fromStdString(tape_[i].operation);
        const auto lines = isWrite && box.width() > 60
                               ? name + u'\n' + bytesText(static_cast<std::int64_t>(tape_[i].bytes))
                               : name;
        const bool fits = painter.fontMetrics().horizontalAdvance(name) < box.width() - 4;
        painter.drawText(box, Qt::AlignCenter, fits ? lines : QString::number(tape_[i].index));
    }
    painter.setPen(meaningColour(Meaning::Neutral));
    painter.drawText(QRectF(0, kTop, kLabelWidth - 8, kCallHeight),
                     Qt::AlignRight | Qt::AlignVCenter, tr("calls"));
}

// The temporary until the rename, the checkpoint from it on; solid from the sync that makes them
// durable.
void TapeStrip::paintLanes(QPainter& painter) const {
    const auto last = tape_.back().index;
    const auto create = firstCall(tape_, "create"), sync = firstCall(tape_, "sync"),
               rename = firstCall(tape_, "rename"), folder = firstCall(tape_, "sync-directory");
    const char* const kNames[] = {QT_TR_NOOP("temporary"), QT_TR_NOOP("checkpoint")};
    for (int i = 0; i < 2; ++i) {
        painter.setPen(meaningColour(Meaning::Neutral));
        painter.drawText(QRectF(0, kTop + kCallHeight + kGap + i * (kLaneHeight + kGap),
                                kLabelWidth - 8, kLaneHeight),
                         Qt::AlignRight | Qt::AlignVCenter, tr(kNames[i]));
    }
    if (create == 0 || sync <= create || rename <= sync || folder <= rename) {
        return;  // another protocol than the one explained here
    }
    paintBar(painter, lane(0, create, sync - 1), tr("in memory"), false);
    if (rename - 1 >= sync) {
        paintBar(painter, lane(0, sync, rename - 1), tr("on disk"), true);
    }
    paintBar(painter, lane(1, rename, folder - 1), tr("visible"), false);
    paintBar(painter, lane(1, folder, last), tr("on disk"), true);
}

void TapeStrip::paintBar(QPainter& painter, const QRectF& bar, const QString& words,
                         bool durable) const {
    const auto base = palette().color(QPalette::Base);
    const auto colour = durable ? meaningColour(Meaning::Good) : meaningColour(Meaning::Caution);
    const auto box = bar.adjusted(1, 0, -1, 0);
    painter.setPen(QPen(colour, 1, durable ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(mixed(base, colour, durable ? 0.28 : 0.08));
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(
        box, Qt::AlignCenter,
        painter.fontMetrics().elidedText(words, Qt::ElideRight, static_cast<int>(box.width()) - 4));
}

void TapeStrip::paintPoint(QPainter& painter) const {
    if (point_.call < 1 || point_.call > static_cast<std::int64_t>(tape_.size())) {
        return;
    }
    const auto colour = meaningColour(Meaning::Bad);
    const double x = std::min(pointX(), width() - 2.0);
    painter.setPen(QPen(colour, 2));
    // Inside a call the line makes room for the call's words.
    const double gap = point_.when == CrashWhen::Inside ? 4 : kCallHeight / 2;
    painter.drawLine(QPointF(x, 8), QPointF(x, kTop + gap));
    painter.drawLine(QPointF(x, kTop + kCallHeight - gap), QPointF(x, height() - 2));
    painter.setBrush(colour);
    painter.setPen(Qt::NoPen);
    painter.drawPolygon(QPolygonF({{x - 7, 1}, {x + 7, 1}, {x, 12}}));
}

void TapeStrip::mousePressEvent(QMouseEvent* event) {
    for (std::size_t i = 0; i < tape_.size(); ++i) {
        const auto box = cell(i);
        const double x = event->position().x();
        if (x < box.left() || x > box.right()) {
            continue;
        }
        const double share = (x - box.left()) / box.width();
        auto when = share < 0.33   ? CrashWhen::Before
                    : share > 0.67 ? CrashWhen::After
                                   : CrashWhen::Inside;
        if (!canBeCut(tape_[i], when)) {
            when = share < 0.5 ? CrashWhen::Before : CrashWhen::After;
        }
        Q_EMIT chosen({tape_[i].index, when});
        return;
    }
}

bool TapeStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    for (std::size_t i = 0; i < tape_.size(); ++i) {
        if (help->pos().x() >= cell(i).left() && help->pos().x() <= cell(i).right()) {
            QToolTip::showText(
                help->globalPos(),
                tr("Call %1: %2\n%3\nOn disk for sure after it: %4")
                    .arg(tape_[i].index)
                    .arg(callText(tape_[i]), fileText(tape_[i]), durableText(tape_, tape_[i]))
                    .toHtmlEscaped()
                    .replace(u'\n', QStringLiteral("<br>")),
                this);
            return true;
        }
    }
    return QWidget::event(event);
}

}  // namespace receiptbench
