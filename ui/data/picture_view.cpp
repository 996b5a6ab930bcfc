#include "ui/data/picture_view.h"

#include <QPainter>

namespace receiptbench {
namespace {

constexpr int kLargest = 8;  // times: small pictures are no clearer beyond

}  // namespace

PictureView::PictureView(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setMinimumSize(200, 160);
}

void PictureView::show(const QImage& image) {
    image_ = image;
    text_.clear();
    update();
}

void PictureView::say(const QString& text) {
    image_ = {};
    text_ = text;
    update();
}

void PictureView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    auto edge = palette().color(QPalette::WindowText);
    edge.setAlphaF(0.15F);
    painter.setPen(edge);
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    const QRect room = rect().adjusted(12, 12, -12, -12);
    if (image_.isNull()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(room, Qt::AlignCenter | Qt::TextWordWrap, text_);
        return;
    }
    QSizeF size = image_.size();
    size.scale(QSizeF(image_.size() * kLargest).boundedTo(room.size()), Qt::KeepAspectRatio);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(
        QRectF(room.center().x() - size.width() / 2 + 0.5,
               room.center().y() - size.height() / 2 + 0.5, size.width(), size.height()),
        image_);
}

}  // namespace receiptbench
