#include "ui/theme.h"

#include <QApplication>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPixmap>
#include <QStyle>
#include <QStyleFactory>

#include <array>
#include <cmath>

#include "core/base/text.h"

namespace receiptbench {
namespace {

// On white only these of Okabe–Ito's eight reach 3:1; on black the brighter ones do.
constexpr std::array<QRgb, 5> kOnLight{0xff0072b2, 0xffd55e00, 0xff007a5a, 0xff9b4f7f, 0xff000000};
constexpr std::array<QRgb, 5> kOnDark{0xff56b4e9, 0xffe69f00, 0xff2fc29b, 0xffcc79a7, 0xfff0e442};
constexpr int kIconSize = 32;

QRgb rgbOf(Meaning meaning, bool dark) {
    switch (meaning) {
        case Meaning::Good:
            return dark ? 0xff4fd1ac : 0xff006b4f;
        case Meaning::Bad:
            return dark ? 0xffff8f5a : 0xffb34700;
        case Meaning::Caution:
            return dark ? 0xffe6c229 : 0xff7a5c00;
        case Meaning::Neutral:
            break;
    }
    return dark ? 0xffb8b8b8 : 0xff595959;
}

struct Ground {
    QRgb window, base, alternate, text, button, placeholder, highlight, link, disabled, shadow;
};
constexpr Ground kLightGround{0xfff5f6f8, 0xffffffff, 0xffeff2f5, 0xff1b1f24, 0xfffbfbfc,
                              0xff626a73, 0xff0072b2, 0xff00659e, 0xff8b929a, 0xff9aa2ab};
constexpr Ground kDarkGround{0xff1f2327, 0xff17191c, 0xff22272c, 0xffe8eaed, 0xff2c3238,
                             0xff9aa2ab, 0xff1f6fa5, 0xff6cbdee, 0xff767d85, 0xff0b0c0e};

QPalette paletteOf(const Ground& ground) {
    QPalette palette{QColor(ground.button), QColor(ground.window)};
    palette.setColor(QPalette::Base, QColor(ground.base));
    palette.setColor(QPalette::AlternateBase, QColor(ground.alternate));
    for (const auto role :
         {QPalette::Text, QPalette::WindowText, QPalette::ButtonText, QPalette::ToolTipText}) {
        palette.setColor(role, QColor(ground.text));
        palette.setColor(QPalette::Disabled, role, QColor(ground.disabled));
    }
    palette.setColor(QPalette::ToolTipBase, QColor(ground.alternate));
    palette.setColor(QPalette::PlaceholderText, QColor(ground.placeholder));
    palette.setColor(QPalette::Highlight, QColor(ground.highlight));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, QColor(ground.disabled));
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::Link, QColor(ground.link));
    palette.setColor(QPalette::LinkVisited, QColor(ground.link));
    palette.setColor(QPalette::Shadow, QColor(ground.shadow));
    return palette;
}

QLabel* makeLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

}  // namespace

void applyTheme(bool dark) {
    if (QApplication::style()->name() != QLatin1String("fusion")) {
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    }
    QApplication::setPalette(paletteOf(dark ? kDarkGround : kLightGround));
}

bool isDark() {
    const QPalette palette = QApplication::palette();
    return palette.color(QPalette::Window).lightness() <
           palette.color(QPalette::WindowText).lightness();
}

QColor seriesColour(int index) {
    if (index < 0) {
        return meaningColour(Meaning::Neutral);
    }
    const auto& colours = isDark() ? kOnDark : kOnLight;
    return QColor(colours.at(static_cast<std::size_t>(index) % colours.size()));
}

QColor meaningColour(Meaning meaning) {
    return QColor(rgbOf(meaning, isDark()));
}

// A tick, a cross, a triangle, a dot.
QIcon meaningIcon(Meaning meaning) {
    QPixmap pixmap(kIconSize, kIconSize);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(meaningColour(meaning), 5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    switch (meaning) {
        case Meaning::Good:
            painter.drawPolyline(QPolygonF({{6, 17}, {13, 25}, {27, 7}}));
            break;
        case Meaning::Bad:
            painter.drawLine(8, 8, 24, 24);
            painter.drawLine(24, 8, 8, 24);
            break;
        case Meaning::Caution:
            painter.drawPolygon(QPolygonF({{16, 5}, {28, 26}, {4, 26}}));
            break;
        case Meaning::Neutral:
            painter.setBrush(meaningColour(meaning));
            painter.drawEllipse(QPointF(16, 16), 5, 5);
            break;
    }
    return QIcon(pixmap);
}

QString bytesText(std::int64_t bytes) {
    return QString::fromStdString(formatBytes(bytes));
}

QString numberText(double value, int digits) {
    return std::isnan(value) ? QStringLiteral("n/a") : QLocale::c().toString(value, 'f', digits);
}

// No finer than it can be known: seconds below two minutes, then minutes, then hours.
QString timeLeftText(const std::optional<double>& low, const std::optional<double>& high) {
    if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high)) {
        return {};
    }
    const auto [unit, length] = *high < 120    ? std::pair(QStringLiteral("s"), 1.0)
                                : *high < 7200 ? std::pair(QStringLiteral("min"), 60.0)
                                               : std::pair(QStringLiteral("h"), 3600.0);
    const auto from = numberText(*low / length, 0), to = numberText(*high / length, 0);
    if (from == to) {
        return QStringLiteral("about %1 %2 left").arg(to, unit);
    }
    return QStringLiteral("%1 to %2 %3 left").arg(from, to, unit);
}

QLabel* makeTitle(const QString& text, QWidget* parent) {
    auto* label = makeLabel(text, parent);
    QFont font = label->font();
    font.setPointSizeF(1.5 * font.pointSizeF());
    font.setBold(true);
    label->setFont(font);
    return label;
}

QLabel* makeText(const QString& text, QWidget* parent) {
    auto* label = makeLabel(text, parent);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

}  // namespace receiptbench
