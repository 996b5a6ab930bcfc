#include "ui/plots/read_out.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace receiptbench {
namespace {

constexpr int kMark = 9, kMarkRoom = 14, kGap = 10;
constexpr auto kUsualValue = "888.8 KiB";  // room kept, however short the first ones are

}  // namespace

ReadOut::ReadOut(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    fit();
}

void ReadOut::show(std::vector<Item> items) {
    if (items == items_) {
        return;
    }
    const bool other = items.size() != items_.size();
    items_ = std::move(items);
    if (other) {
        itemWidth_ = 0;
    }
    const int before = itemWidth_;
    const auto metrics = fontMetrics();
    const int usual = metrics.horizontalAdvance(QLatin1String(kUsualValue));
    for (const auto& item : items_) {
        const int value = std::max(usual, metrics.horizontalAdvance(item.value));
        itemWidth_ = std::max(
            itemWidth_, kMarkRoom + metrics.horizontalAdvance(item.name + u' ') + value + kGap);
    }
    setToolTip(text());
    if (other || before != itemWidth_) {
        fit();
    }
    update();
}

QString ReadOut::text() const {
    QStringList parts;
    for (const auto& item : items_) {
        parts << item.name + u' ' + item.value;
    }
    return parts.join(QStringLiteral(", "));
}

int ReadOut::lineHeight() const {
    return fontMetrics().height() + 2;
}

int ReadOut::columns() const {
    return std::clamp(itemWidth_ > 0 ? width() / itemWidth_ : 1, 1,
                      std::max(1, static_cast<int>(items_.size())));
}

// As many rows as the width asks for: a value that grows moves nothing.
void ReadOut::fit() {
    const int count = std::max(1, static_cast<int>(items_.size()));
    setFixedHeight((count + columns() - 1) / columns() * lineHeight());
}

void ReadOut::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const int across = columns(), room = width() / across;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        const auto& item = items_[i];
        const int place = static_cast<int>(i);
        QRect field(place % across * room, place / across * lineHeight(), room - kGap / 2,
                    lineHeight());
        if (item.colour.isValid()) {
            const QRect mark(field.left(), field.center().y() - kMark / 2, kMark, kMark);
            if (item.dashed) {
                painter.setPen(QPen(item.colour, 1, Qt::DashLine));
                painter.drawLine(mark.left(), mark.center().y(), mark.right(), mark.center().y());
            } else {
                painter.fillRect(mark, item.colour);
            }
            field.setLeft(field.left() + kMarkRoom);
        }
        const int value = fontMetrics().horizontalAdvance(item.value);
        painter.setPen(palette().color(QPalette::PlaceholderText));
        const auto name = fontMetrics().elidedText(item.name, Qt::ElideRight,
                                                   std::max(0, field.width() - value - 5));
        painter.drawText(field, Qt::AlignLeft | Qt::AlignVCenter, name);
        field.setLeft(field.left() + fontMetrics().horizontalAdvance(name + u' '));
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(field, Qt::AlignLeft | Qt::AlignVCenter, item.value);
    }
}

void ReadOut::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

void ReadOut::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        itemWidth_ = 0;
        fit();
    }
}

}  // namespace receiptbench
