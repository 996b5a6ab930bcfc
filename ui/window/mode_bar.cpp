#include "ui/window/mode_bar.h"

#include <QButtonGroup>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/mode_icons.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr Mode kModes[] = {Mode::Data,    Mode::Configure, Mode::Run,
                           Mode::Compare, Mode::Recovery,  Mode::Report};
constexpr int kIcon = 24, kWidth = 84, kHeight = 66;

QColor mixed(const QColor& over, const QColor& under, double share) {
    const auto mix = [share](int a, int b) {
        return static_cast<int>(share * a + (1 - share) * b);
    };
    return QColor(mix(over.red(), under.red()), mix(over.green(), under.green()),
                  mix(over.blue(), under.blue()));
}

}  // namespace

ModeButton::ModeButton(Mode mode, const QString& shortcut, QWidget* parent)
    : QAbstractButton(parent), mode_(mode) {
    setText(modeName(mode));
    setObjectName(QStringLiteral("mode") + modeName(mode));
    setAccessibleName(tr("Page %1").arg(modeName(mode)));
    setToolTip(shortcut.isEmpty() ? modeName(mode)
                                  : QStringLiteral("%1 (%2)").arg(modeName(mode), shortcut));
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize ModeButton::sizeHint() const {
    return {std::max(kWidth, fontMetrics().horizontalAdvance(text()) + 16), kHeight};
}

// The chosen one has a bar and a ground of its own besides the colour.
void ModeButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ground = palette().color(QPalette::Window),
                 ink = palette().color(QPalette::WindowText);
    const QColor accent = palette().color(QPalette::Link);
    const QRectF field = QRectF(rect()).adjusted(6, 3, -6, -3);
    if (isChecked() || isDown() || underMouse()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(isChecked() ? mixed(accent, ground, 0.14) : mixed(ink, ground, 0.07));
        painter.drawRoundedRect(field, 8, 8);
    }
    if (isChecked()) {
        painter.setBrush(accent);
        painter.drawRoundedRect(QRectF(0, field.top() + 12, 4, field.height() - 24), 2, 2);
    }
    if (hasFocus()) {
        painter.setPen(QPen(accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(field.adjusted(1, 1, -1, -1), 8, 8);
    }
    const QColor colour = isChecked() ? accent : mixed(ink, ground, 0.8);
    paintModeIcon(painter, mode_, QRectF((width() - kIcon) / 2.0, field.top() + 9, kIcon, kIcon),
                  colour);
    QFont words = font();
    words.setBold(isChecked());
    painter.setFont(words);
    painter.setPen(colour);
    painter.drawText(QRectF(0, field.top() + 36, width(), 20), Qt::AlignCenter, text());
}

void ModeButton::enterEvent(QEnterEvent*) {
    update();
}
void ModeButton::leaveEvent(QEvent*) {
    update();
}

ModeBar::ModeBar(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 6);
    layout->setSpacing(2);
    auto* group = new QButtonGroup(this);
    group->setExclusive(true);
    int number = 0;
    const auto add = [&](Mode mode, const QString& shortcut) {
        auto* button = new ModeButton(mode, shortcut, this);
        buttons_[mode] = button;
        group->addButton(button);
        layout->addWidget(button, 0, Qt::AlignHCenter);
        connect(button, &QAbstractButton::clicked, this, [this, mode] { Q_EMIT modeChosen(mode); });
    };
    for (const Mode mode : kModes) {
        add(mode, QStringLiteral("Ctrl+%1").arg(++number));
    }
    layout->addStretch(1);
    add(Mode::Welcome, QStringLiteral("Ctrl+0"));
}

void ModeBar::setMode(Mode mode) {
    if (const auto found = buttons_.find(mode); found != buttons_.end()) {
        found->second->setChecked(true);
    }
}

void ModeBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) {
        moveFocus(event->key() == Qt::Key_Up ? -1 : 1);
    } else {
        QWidget::keyPressEvent(event);
    }
}

void ModeBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(
        width() - 1, 0, 1, height(),
        mixed(palette().color(QPalette::WindowText), palette().color(QPalette::Window), 0.18));
}

void ModeBar::moveFocus(int step) {
    const auto all = findChildren<ModeButton*>();
    for (int at = 0; at < all.size(); ++at) {
        if (all[at]->hasFocus()) {
            all[std::clamp(at + step, 0, static_cast<int>(all.size()) - 1)]->setFocus(
                Qt::TabFocusReason);
            return;
        }
    }
}

}  // namespace receiptbench
