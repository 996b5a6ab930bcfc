#include "ui/primary_button.h"

#include <QPainter>
#include <QStyle>

namespace receiptbench {
namespace {

const QColor kUsual(0, 114, 178), kHover(0, 100, 160), kPressed(0, 84, 134);
constexpr int kHeight = 46;

}  // namespace

PrimaryButton::PrimaryButton(const QString& text, QWidget* parent) : QPushButton(text, parent) {
    QFont bold = font();
    bold.setBold(true);
    bold.setPointSizeF(1.1 * bold.pointSizeF());
    setFont(bold);
    setMinimumHeight(kHeight);
    setAttribute(Qt::WA_Hover);
}

void PrimaryButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor ground = isDown() ? kPressed : underMouse() ? kHover : kUsual;
    if (!isEnabled()) {
        ground = palette().color(QPalette::Disabled, QPalette::WindowText);
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);
    if (hasFocus()) {
        painter.setPen(QPen(Qt::white, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(4, 4, -4, -4), 6, 6);
    }
    painter.setPen(Qt::white);
    const bool underlined = style()->styleHint(QStyle::SH_UnderlineShortcut, nullptr, this) != 0;
    painter.drawText(rect(),
                     Qt::AlignCenter | (underlined ? Qt::TextShowMnemonic : Qt::TextHideMnemonic),
                     text());
}

}  // namespace receiptbench
