// Lengths, colours and fonts of the report. Lengths are in layout units of 1/960 inch, and fonts
// are given in whole units: so nothing on the page depends on the resolution of a screen.
#pragma once

#include <cmath>

#include <QColor>
#include <QFont>

namespace receiptbench {

inline constexpr int kUnitsPerInch = 960;
inline double points(double value) {
    return value * kUnitsPerInch / 72.0;
}
inline double millimetres(double value) {
    return value * kUnitsPerInch / 25.4;
}

// Okabe-Ito (2008); those that reach 3:1 on white come first and serve for lines.
inline const QColor kBlue(0x00, 0x72, 0xb2), kVermillion(0xd5, 0x5e, 0x00),
    kGreen(0x00, 0x9e, 0x73), kPurple(0xcc, 0x79, 0xa7), kBlack(0x00, 0x00, 0x00),
    kSky(0x56, 0xb4, 0xe9), kOrange(0xe6, 0x9f, 0x00), kYellow(0xf0, 0xe4, 0x42);

inline const QColor kInk(0x1c, 0x21, 0x28), kQuiet(0x59, 0x63, 0x6e), kRule(0xc9, 0xd0, 0xd8),
    kFaintRule(0xe6, 0xe9, 0xed), kPaleFill(0xf5, 0xf7, 0xf9);
// Words in these reach 4.5:1 on white and on the fills.
inline const QColor kGoodInk(0x00, 0x6b, 0x4e), kBadInk(0xa8, 0x40, 0x00),
    kGoodFill(0xe6, 0xf4, 0xef), kBadFill(0xfc, 0xed, 0xe3);

inline QFont reportFont(double size, bool bold = false) {
    QFont font;
    font.setFamilies({QStringLiteral("DejaVu Sans Condensed"), QStringLiteral("DejaVu Sans")});
    font.setStyleHint(QFont::SansSerif);
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setPixelSize(static_cast<int>(std::lround(points(size))));
    font.setBold(bold);
    // Any spacing at all turns ligatures off: copied or searched text then has f and i, not one
    // sign.
    font.setLetterSpacing(QFont::AbsoluteSpacing, 0.1);
    return font;
}

inline QFont reportMonoFont(double size) {
    QFont font = reportFont(size);
    font.setFamilies({QStringLiteral("DejaVu Sans Mono")});
    font.setStyleHint(QFont::Monospace);
    return font;
}

}  // namespace receiptbench
