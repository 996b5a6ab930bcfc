#include "ui/compare/grouped_header.h"

#include <QPaintEvent>
#include <QPainter>

namespace receiptbench {

GroupedHeader::GroupedHeader(int groupSize, std::function<QString(int)> title, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent), groupSize_(groupSize), title_(std::move(title)) {
    setHighlightSections(false);
    setDefaultAlignment(Qt::AlignCenter);
    // The group's title would not be painted anew where only its columns move.
    connect(this, &QHeaderView::sectionResized, this, [this] { viewport()->update(); });
}

QSize GroupedHeader::sizeHint() const {
    const auto one = QHeaderView::sizeHint();
    return {one.width(), 2 * one.height()};
}

void GroupedHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
    QHeaderView::paintSection(painter, rect.adjusted(0, rect.height() / 2, 0, 0), section);
}

void GroupedHeader::paintEvent(QPaintEvent* event) {
    QHeaderView::paintEvent(event);
    QPainter painter(viewport());
    auto font = this->font();
    font.setBold(true);
    painter.setFont(font);
    for (int first = 0; first + groupSize_ <= count(); first += groupSize_) {
        const int last = first + groupSize_ - 1;
        const int left = sectionViewportPosition(first);
        const int right = sectionViewportPosition(last) + sectionSize(last);
        const QRect band(left, 0, right - left, height() / 2);
        painter.fillRect(band, palette().brush(QPalette::Button));
        painter.setPen(palette().color(QPalette::Mid));
        painter.drawRect(band.adjusted(-1, -1, -1, -1));
        painter.setPen(palette().color(QPalette::ButtonText));
        // In view as long as any of its columns is.
        const QRect seen = band & viewport()->rect();
        painter.drawText(seen.adjusted(8, 0, -8, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetrics(font).elidedText(title_(first / groupSize_), Qt::ElideRight,
                                                       seen.width() - 16));
    }
}

}  // namespace receiptbench
