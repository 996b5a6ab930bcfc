#include "ui/recovery/step_bar.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace receiptbench {
namespace {

constexpr double kRadius = 13, kLine = 18;

}  // namespace

StepBar::StepBar(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("stepBar"));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Steps of the replay"));
}

void StepBar::setSteps(const QStringList& names, const std::vector<Meaning>& meanings) {
    names_ = names;
    meanings_ = meanings;
    update();
}

void StepBar::setCurrent(int step) {
    current_ = std::clamp(step, 0, std::max(0, count() - 1));
    setAccessibleName(
        tr("Step %1 of %2: %3").arg(current_ + 1).arg(count()).arg(names_.value(current_)));
    update();
}

QSize StepBar::sizeHint() const {
    return {640, static_cast<int>(2 * kRadius + kLine) + 14};
}

QSize StepBar::minimumSizeHint() const {
    return {320, sizeHint().height()};
}

double StepBar::centre(int step) const {
    return width() * (step + 0.5) / std::max(1, count());
}

void StepBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double y = kRadius + 4;
    painter.setPen(QPen(palette().color(QPalette::Mid), 2));
    painter.drawLine(QPointF(centre(0), y), QPointF(centre(count() - 1), y));
    painter.setPen(QPen(palette().color(QPalette::Highlight), 3));
    painter.drawLine(QPointF(centre(0), y), QPointF(centre(current_), y));
    for (int step = 0; step < count(); ++step) {
        paintStation(painter, step);
    }
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1, Qt::DotLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 0.5, -1, -0.5), 4, 4);
    }
}

void StepBar::paintStation(QPainter& painter, int step) const {
    const bool here = step == current_, past = step < current_;
    const QPointF middle(centre(step), kRadius + 4);
    const auto highlight = palette().color(QPalette::Highlight);
    painter.setPen(QPen(here || past ? highlight : palette().color(QPalette::Mid), 2));
    painter.setBrush(here ? highlight : palette().color(QPalette::Base));
    painter.drawEllipse(middle, kRadius, kRadius);
    if (past && meanings_[static_cast<std::size_t>(step)] != Meaning::Neutral) {
        meaningIcon(meanings_[static_cast<std::size_t>(step)])
            .paint(&painter, QRectF(middle.x() - 8, middle.y() - 8, 16, 16).toRect());
    } else {
        painter.setPen(palette().color(here ? QPalette::HighlightedText : QPalette::Text));
        painter.drawText(
            QRectF(middle.x() - kRadius, middle.y() - kRadius, 2 * kRadius, 2 * kRadius),
            Qt::AlignCenter, QString::number(step + 1));
    }
    auto letters = font();
    letters.setBold(here);
    painter.setFont(letters);
    painter.setPen(palette().color(QPalette::WindowText));
    const double wide = width() / static_cast<double>(std::max(1, count()));
    painter.drawText(QRectF(middle.x() - wide / 2, middle.y() + kRadius + 4, wide, kLine),
                     Qt::AlignCenter,
                     painter.fontMetrics().elidedText(names_.value(step), Qt::ElideRight,
                                                      static_cast<int>(wide) - 6));
    painter.setFont(font());
}

void StepBar::mousePressEvent(QMouseEvent* event) {
    const int step = static_cast<int>(event->position().x() * count() / std::max(1, width()));
    Q_EMIT currentRequested(std::clamp(step, 0, std::max(0, count() - 1)));
}

void StepBar::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Up:
            Q_EMIT currentRequested(std::max(0, current_ - 1));
            break;
        case Qt::Key_Right:
        case Qt::Key_Down:
            Q_EMIT currentRequested(std::min(count() - 1, current_ + 1));
            break;
        case Qt::Key_Home:
            Q_EMIT currentRequested(0);
            break;
        case Qt::Key_End:
            Q_EMIT currentRequested(count() - 1);
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace receiptbench
