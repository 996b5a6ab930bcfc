#include "ui/data/facet_list.h"

#include <QEvent>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QSignalBlocker>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace receiptbench {
namespace {

constexpr int kCountRole = Qt::UserRole, kRowRoom = 8, kSide = 8;

// Name on the left, count on the right.
class FacetDelegate : public QStyledItemDelegate {
 public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {80, option.fontMetrics.height() + kRowRoom};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool selected = option.state & QStyle::State_Selected;
        const QRectF ground = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
        if (selected || (option.state & QStyle::State_MouseOver)) {
            auto colour = option.palette.color(QPalette::Highlight);
            colour.setAlphaF(selected ? 1.0F : 0.12F);
            painter->setPen(Qt::NoPen);
            painter->setBrush(colour);
            painter->drawRoundedRect(ground, 4, 4);
        }
        if (selected && (option.state & QStyle::State_HasFocus)) {
            painter->setPen(QPen(option.palette.color(QPalette::HighlightedText), 1.2));
            painter->setBrush(Qt::NoBrush);
            painter->drawRoundedRect(ground.adjusted(2, 2, -2, -2), 3, 3);
        }
        paintWords(*painter, option, index);
        painter->restore();
    }

 private:
    static void paintWords(QPainter& painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) {
        const bool selected = option.state & QStyle::State_Selected;
        const auto count = index.data(kCountRole).toLongLong();
        const auto counted = QString::number(count);
        QRect area = option.rect.adjusted(kSide, 0, -kSide, 0);
        const int width = option.fontMetrics.horizontalAdvance(counted);
        const auto usual =
            option.palette.color(selected ? QPalette::HighlightedText : QPalette::WindowText);
        const auto quiet = selected ? usual : option.palette.color(QPalette::PlaceholderText);
        painter.setPen(quiet);
        painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, counted);
        area.setRight(area.right() - width - kSide);
        painter.setPen(count == 0 ? quiet : usual);
        painter.drawText(
            area, Qt::AlignLeft | Qt::AlignVCenter,
            option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, area.width()));
    }
};

}  // namespace

FacetList::FacetList(const QString& title, QWidget* parent)
    : QWidget(parent), title_(new QLabel(this)), list_(new QListWidget(this)) {
    QFont bold = font();
    bold.setBold(true);
    title_->setFont(bold);
    title_->setTextFormat(Qt::PlainText);
    list_->setItemDelegate(new FacetDelegate(list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setMouseTracking(true);
    list_->viewport()->setAutoFillBackground(false);
    list_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(title_);
    layout->addWidget(list_);
    setTitle(title);
    connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0) {
            Q_EMIT chosen(row - 1);
        }
    });
}

void FacetList::setTitle(const QString& title) {
    title_->setText(title);
    list_->setAccessibleName(title);
}

void FacetList::show(const QStringList& values, const std::vector<std::int64_t>& counts,
                     std::int64_t all, int choice) {
    const QSignalBlocker quiet(list_);
    while (list_->count() > values.size() + 1) {
        delete list_->takeItem(list_->count() - 1);
    }
    for (int row = 0; row <= values.size(); ++row) {
        auto* item = row < list_->count() ? list_->item(row) : new QListWidgetItem(list_);
        const auto count = row == 0 ? all : counts[static_cast<std::size_t>(row - 1)];
        item->setText(row == 0 ? tr("all") : values[row - 1]);
        item->setData(kCountRole, static_cast<qlonglong>(count));
        item->setData(Qt::AccessibleTextRole, tr("%1, %2 photos").arg(item->text()).arg(count));
        item->setToolTip(item->text().toHtmlEscaped());
    }
    list_->setCurrentRow(choice + 1);
    fit();
}

int FacetList::choice() const {
    return list_->currentRow() - 1;
}

std::int64_t FacetList::count(int value) const {
    const auto* item = list_->item(value + 1);
    return item == nullptr ? 0 : item->data(kCountRole).toLongLong();
}

void FacetList::fit() {
    list_->setFixedHeight(list_->count() * (list_->fontMetrics().height() + kRowRoom) + 2);
}

void FacetList::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        fit();
    }
}

}  // namespace receiptbench
