#include "ui/data/photo_delegate.h"

#include <QApplication>
#include <QPainter>

#include "core/base/text.h"
#include "ui/data/photo_model.h"
#include "ui/data/photo_text.h"

namespace receiptbench {
namespace {

constexpr int kPad = 8, kLines = 2, kIcon = 12, kLeastWidth = 116;
constexpr double kRadius = 6;

void paintGround(QPainter& painter, const QStyleOptionViewItem& option) {
    const QRectF tile = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5);
    const bool selected = option.state & QStyle::State_Selected;
    auto ground = option.palette.color(selected ? QPalette::Highlight : QPalette::Base);
    auto edge = option.palette.color(QPalette::WindowText);
    edge.setAlphaF(option.state & QStyle::State_MouseOver ? 0.45F : 0.15F);
    if (selected) {
        edge = option.palette.color(QPalette::Highlight);
    }
    painter.setPen(QPen(edge, 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(tile, kRadius, kRadius);
    if (selected && (option.state & QStyle::State_HasFocus)) {
        painter.setPen(QPen(option.palette.color(QPalette::HighlightedText), 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(tile.adjusted(2.5, 2.5, -2.5, -2.5), kRadius - 2, kRadius - 2);
    }
}

void paintPicture(QPainter& painter, const QStyleOptionViewItem& option, const QRect& room,
                  const QImage& image) {
    if (image.isNull()) {
        auto waiting = option.palette.color(QPalette::WindowText);
        waiting.setAlphaF(0.08F);
        painter.fillRect(room, waiting);
        return;
    }
    const double ratio = painter.device()->devicePixelRatioF();
    QSizeF size = QSizeF(image.size()) / ratio;
    if (size.width() > room.width() || size.height() > room.height()) {
        size.scale(room.size(), Qt::KeepAspectRatio);
    }
    // On whole pixels: a thumbnail of its own size is then painted as it is.
    const QPoint corner(room.left() + static_cast<int>((room.width() - size.width()) / 2),
                        room.top() + static_cast<int>((room.height() - size.height()) / 2));
    painter.drawImage(QRectF(corner, size), image);
}

// In one colour: the usual ones would be hard to see on a selected tile.
void paintIcon(QPainter& painter, const QRect& area, Meaning meaning, const QColor& colour) {
    const double ratio = painter.device()->devicePixelRatioF();
    auto pixmap = meaningIcon(meaning).pixmap(area.size(), ratio);
    QPainter tint(&pixmap);
    tint.setCompositionMode(QPainter::CompositionMode_SourceIn);
    tint.fillRect(QRect(QPoint(), area.size()), colour);
    tint.end();
    painter.drawPixmap(area.topLeft(), pixmap);
}

void paintLine(QPainter& painter, const QRect& area, const QString& text, const QFont& font,
               const QColor& colour) {
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(font).elidedText(text, Qt::ElideRight, area.width()));
}

// What matters most: a changed decision, else the prediction, else whose receipt it is.
QString secondLine(const Gallery& gallery, const Photo& photo, const PhotoPrediction* prediction) {
    if (prediction == nullptr) {
        return QString::fromStdString(printable(photo.identity));
    }
    const auto changed = changeText(prediction->change);
    return !changed.isEmpty()
               ? changed
               : QStringLiteral("→ %1 %2").arg(labelText(gallery, prediction->predicted),
                                               numberText(prediction->acceptScore, 2));
}

}  // namespace

QSize PhotoDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    return {std::max(picture_.width(), kLeastWidth) + 2 * kPad,
            picture_.height() + 3 * kPad + kLines * option.fontMetrics.height()};
}

void PhotoDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    paintGround(*painter, option);
    const QRect inner = option.rect.adjusted(kPad, kPad, -kPad, -kPad);
    const QRect room(inner.left(), inner.top(), inner.width(), picture_.height());
    paintPicture(*painter, option, room, index.data(Qt::DecorationRole).value<QImage>());
    paintTexts(*painter, option, inner.adjusted(0, picture_.height() + kPad, 0, 0), index);
    painter->restore();
}

void PhotoDelegate::paintTexts(QPainter& painter, const QStyleOptionViewItem& option,
                               const QRect& area, const QModelIndex& index) const {
    const auto* model = static_cast<const PhotoModel*>(index.model());
    const auto& gallery = *model->gallery();
    const auto place = static_cast<std::size_t>(model->photo(index));
    const auto& photo = gallery.photos[place];
    const auto* prediction =
        model->run() < 0 ? nullptr
                         : gallery.prediction(static_cast<std::size_t>(model->run()), place);
    const bool selected = option.state & QStyle::State_Selected;
    const auto strong = option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text);
    const int line = option.fontMetrics.height();
    QRect first(area.left(), area.top(), area.width(), line);
    const QRect second = first.translated(0, line);
    if (prediction != nullptr) {
        const QRect icon(first.right() - kIcon + 1, first.center().y() - kIcon / 2, kIcon, kIcon);
        paintIcon(painter, icon, outcomeOf(photo, prediction),
                  selected ? strong : meaningColour(outcomeOf(photo, prediction)));
        first.setRight(icon.left() - 4);
    }
    QFont bold = option.font;
    bold.setBold(true);
    paintLine(painter, first, labelText(gallery, photo.label), bold, strong);
    const auto changed = prediction == nullptr ? QString() : changeText(prediction->change);
    const auto quiet = selected            ? strong
                       : changed.isEmpty() ? option.palette.color(QPalette::PlaceholderText)
                                           : meaningColour(Meaning::Bad);
    paintLine(painter, second, secondLine(gallery, photo, prediction),
              changed.isEmpty() ? option.font : bold, quiet);
}

}  // namespace receiptbench
