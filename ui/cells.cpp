#include "ui/cells.h"

#include <QApplication>
#include <QPainter>

namespace receiptbench {
namespace {

constexpr int kRoom = 20, kIconSize = 32;

}  // namespace

QSize RoomyDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(kRoom, 0);
}

// A cell's own colour would be hard to read on the selection's.
void RoomyDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (option->state & QStyle::State_Selected) {
        option->palette.setBrush(QPalette::HighlightedText,
                                 QApplication::palette().brush(QPalette::HighlightedText));
    }
}

QIcon cellIcon(Meaning meaning) {
    auto icon = meaningIcon(meaning);
    auto selected = icon.pixmap(kIconSize);
    QPainter painter(&selected);
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(selected.rect(), QApplication::palette().color(QPalette::HighlightedText));
    painter.end();
    icon.addPixmap(selected, QIcon::Selected);
    return icon;
}

}  // namespace receiptbench
