// How the page's lists and tables draw their cells: with room around the words, and icons that stay
// visible when selected.
#pragma once

#include <QStyledItemDelegate>

#include "ui/theme.h"

namespace receiptbench {

class RoomyDelegate : public QStyledItemDelegate {
    Q_OBJECT

 public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

QIcon cellIcon(Meaning meaning);  // in the colour of selected text when selected

}  // namespace receiptbench
