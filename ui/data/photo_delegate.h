// One tile of the grid: the photo, its label and, in the run that is looked at, what was predicted.
#pragma once

#include <QStyledItemDelegate>

namespace receiptbench {

class PhotoDelegate : public QStyledItemDelegate {
    Q_OBJECT

 public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void setPicture(QSize picture) { picture_ = picture; }  // room for the thumbnail
    QSize picture() const { return picture_; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
    void paintTexts(QPainter& painter, const QStyleOptionViewItem& option, const QRect& area,
                    const QModelIndex& index) const;
    QSize picture_{108, 144};
};

}  // namespace receiptbench
