#include "ui/configure/peak_bar.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr double kBarHeight = 36, kMargin = 2, kLegendGap = 12, kSwatch = 12;
constexpr int kLegendColumns = 2;

QColor colourOf(int category) {
    return category + 1 < kMemoryCategories ? seriesColour(category)
                                            : meaningColour(Meaning::Neutral);
}

QString nameOf(int category) {
    switch (static_cast<MemoryCategory>(category)) {
        case MemoryCategory::Parameters:
            return PeakBar::tr("parameters");
        case MemoryCategory::Gradients:
            return PeakBar::tr("gradients");
        case MemoryCategory::Optimizer:
            return PeakBar::tr("optimizer");
        case MemoryCategory::Inputs:
            return PeakBar::tr("inputs");
        case MemoryCategory::Activations:
            return PeakBar::tr("activations, workspace");
        case MemoryCategory::Other:
            break;
    }
    return PeakBar::tr("other");
}

double lineHeight(const QWidget& widget) {
    return widget.fontMetrics().height() + 6;
}

}  // namespace

PeakBar::PeakBar(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("peakBar"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    clear();
}

void PeakBar::show(const MemoryPeaks& peak, std::int64_t limit) {
    peak_ = peak;
    limit_ = limit;
    setAccessibleName(words());
    setToolTip(words());
    update();
}

void PeakBar::clear() {
    show({}, 0);
}

QString PeakBar::words() const {
    if (isEmpty()) {
        return tr("No peak is known yet");
    }
    QStringList parts;
    for (int category = 0; category < kMemoryCategories; ++category) {
        const auto bytes = peak_.atPeak[static_cast<std::size_t>(category)];
        if (bytes > 0) {
            parts << tr("%1 %2").arg(nameOf(category), bytesText(bytes));
        }
    }
    const auto against = limit_ <= 0 ? tr("no budget")
                         : peak_.total > limit_
                             ? tr("over the budget of %1").arg(bytesText(limit_))
                             : tr("within the budget of %1").arg(bytesText(limit_));
    return tr("Peak %1, %2: %3")
        .arg(bytesText(peak_.total), against, parts.join(QStringLiteral(", ")));
}

QSize PeakBar::sizeHint() const {
    const int rows = (kMemoryCategories + kLegendColumns - 1) / kLegendColumns;
    return {420, static_cast<int>(lineHeight(*this) + kBarHeight + kLegendGap +
                                  rows * lineHeight(*this) + 2 * kMargin)};
}

QSize PeakBar::minimumSizeHint() const {
    return {260, sizeHint().height()};
}

QRectF PeakBar::barArea() const {
    return {kMargin, kMargin + lineHeight(*this), width() - 2 * kMargin, kBarHeight};
}

double PeakBar::positionOf(std::int64_t bytes) const {
    const auto most = 1.06 * static_cast<double>(std::max({peak_.total, limit_, std::int64_t{1}}));
    return barArea().left() + barArea().width() * static_cast<double>(bytes) / most;
}

void PeakBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().color(QPalette::AlternateBase));
    painter.drawRoundedRect(barArea(), 4, 4);
    if (isEmpty()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(barArea(), Qt::AlignCenter, words());
        return;
    }
    paintSegments(painter);
    painter.setPen(palette().color(QPalette::WindowText));
    auto bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.drawText(QRectF(kMargin, kMargin, width() / 2.0, lineHeight(*this)),
                     Qt::AlignLeft | Qt::AlignTop, tr("peak %1").arg(bytesText(peak_.total)));
    painter.setFont(font());
    paintBudget(painter);
    paintLegend(painter);
}

void PeakBar::paintSegments(QPainter& painter) const {
    QPainterPath rounded;
    rounded.addRoundedRect(barArea(), 4, 4);
    painter.save();
    painter.setClipPath(rounded);
    std::int64_t before = 0;
    for (int category = 0; category < kMemoryCategories; ++category) {
        const auto bytes = peak_.atPeak[static_cast<std::size_t>(category)];
        const double from = positionOf(before), to = positionOf(before + bytes);
        before += bytes;
        const QRectF part(from, barArea().top(), to - from, kBarHeight);
        painter.fillRect(part, colourOf(category));
        if (to - from > 3) {  // a gap, so that neighbours are told apart without their colours
            painter.fillRect(QRectF(to - 1, part.top(), 1, kBarHeight),
                             palette().color(QPalette::Base));
        }
    }
    if (limit_ > 0 && peak_.total > limit_) {
        const QRectF over(positionOf(limit_), barArea().top(),
                          positionOf(peak_.total) - positionOf(limit_), kBarHeight);
        painter.fillRect(over, QBrush(palette().color(QPalette::Base), Qt::BDiagPattern));
    }
    painter.restore();
}

void PeakBar::paintBudget(QPainter& painter) const {
    if (limit_ <= 0) {
        return;
    }
    const double x = positionOf(limit_);
    const bool over = peak_.total > limit_;
    const auto ink = over ? meaningColour(Meaning::Bad) : palette().color(QPalette::WindowText);
    painter.setPen(QPen(ink, 2));
    painter.drawLine(QPointF(x, barArea().top() - 5), QPointF(x, barArea().bottom() + 5));
    const auto text = over ? tr("over the budget of %1").arg(bytesText(limit_))
                           : tr("budget %1").arg(bytesText(limit_));
    const double wide = painter.fontMetrics().horizontalAdvance(text);
    const double left =
        std::clamp(x - wide / 2, width() / 3.0, std::max(width() / 3.0, width() - kMargin - wide));
    painter.drawText(QRectF(left, kMargin, wide + 2, lineHeight(*this)),
                     Qt::AlignLeft | Qt::AlignTop, text);
}

void PeakBar::paintLegend(QPainter& painter) const {
    const double high = lineHeight(*this), wide = width() / static_cast<double>(kLegendColumns);
    const double top = barArea().bottom() + kLegendGap;
    const int rows = (kMemoryCategories + kLegendColumns - 1) / kLegendColumns;
    for (int category = 0; category < kMemoryCategories; ++category) {
        const double x = kMargin + (category / rows) * wide, y = top + (category % rows) * high;
        painter.setPen(Qt::NoPen);
        painter.setBrush(colourOf(category));
        painter.drawRoundedRect(QRectF(x, y + (high - kSwatch) / 2, kSwatch, kSwatch), 2, 2);
        painter.setPen(palette().color(QPalette::WindowText));
        const auto bytes = bytesText(peak_.atPeak[static_cast<std::size_t>(category)]);
        const double amount = painter.fontMetrics().horizontalAdvance(bytes);
        const QRectF line(x + kSwatch + 8, y, wide - kSwatch - 24, high);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, bytes);
        painter.drawText(
            line, Qt::AlignVCenter | Qt::AlignLeft,
            painter.fontMetrics().elidedText(nameOf(category), Qt::ElideRight,
                                             static_cast<int>(line.width() - amount - 8)));
    }
}

}  // namespace receiptbench
