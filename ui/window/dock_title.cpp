#include "ui/window/dock_title.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QTabWidget>
#include <QToolButton>

namespace receiptbench {
namespace {

// A cross in the text's colour; the style's own is a box of another age.
class CloseButton : public QToolButton {
 public:
    using QToolButton::QToolButton;
    QSize sizeHint() const override { return {22, 22}; }

 protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QColor ink = palette().color(QPalette::WindowText);
        if (underMouse() || hasFocus()) {
            QColor ground = ink;
            ground.setAlphaF(0.12F);
            painter.setPen(hasFocus() ? QPen(palette().color(QPalette::Link), 1.5)
                                      : QPen(Qt::NoPen));
            painter.setBrush(ground);
            painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
        }
        painter.setPen(QPen(ink, 1.4, Qt::SolidLine, Qt::RoundCap));
        const QRectF cross = QRectF(rect()).adjusted(7, 7, -7, -7);
        painter.drawLine(cross.topLeft(), cross.bottomRight());
        painter.drawLine(cross.topRight(), cross.bottomLeft());
    }
};

QToolButton* makeCloseButton(QDockWidget* dock, QWidget* parent) {
    auto* close = new CloseButton(parent);
    close->setFocusPolicy(Qt::TabFocus);
    close->setToolTip(QDockWidget::tr("Close"));
    close->setAccessibleName(QDockWidget::tr("Close %1").arg(dock->windowTitle()));
    QObject::connect(close, &QToolButton::clicked, dock, &QWidget::close);
    return close;
}

}  // namespace

void giveCloseButtonOnly(QDockWidget* dock, QTabWidget* content) {
    dock->setTitleBarWidget(new QWidget(dock));
    content->setCornerWidget(makeCloseButton(dock, content));
}

void giveTitle(QDockWidget* dock) {
    auto* head = new QWidget(dock);
    auto* title = new QLabel(dock->windowTitle(), head);
    title->setTextFormat(Qt::PlainText);
    QFont bold = title->font();
    bold.setBold(true);
    title->setFont(bold);
    auto* close = makeCloseButton(dock, head);
    auto* layout = new QHBoxLayout(head);
    layout->setContentsMargins(12, 4, 6, 2);
    layout->addWidget(title, 1);
    layout->addWidget(close);
    dock->setTitleBarWidget(head);
}

}  // namespace receiptbench
