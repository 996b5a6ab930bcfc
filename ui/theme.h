// The window's colours and small texts: Okabe–Ito, in an order of its own for light and dark
// ground.
#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

#include <cstdint>
#include <optional>

class QLabel;

namespace receiptbench {

enum class Meaning { Good, Bad, Caution, Neutral };

// Fusion with the window's light or dark palette, for the whole application.
void applyTheme(bool dark);
bool isDark();  // from the application's palette
// 5 that differ by hue and lightness, then again from the first; below 0: the neutral one.
QColor seriesColour(int index);
QColor meaningColour(Meaning meaning);  // at least 4.5:1 on the window's ground
QIcon meaningIcon(Meaning meaning);  // a shape of its own each: state is never told by colour alone

QString bytesText(std::int64_t bytes);  // "22.8 MiB"
QString numberText(double value,
                   int digits);  // point as decimal sign in every locale; "n/a" for NaN
// "about 40 s left", "4 to 5 min left"; "" while unknown
QString timeLeftText(const std::optional<double>& low, const std::optional<double>& high);

// A page's head and running text; plain text, so that names from files are never taken for markup.
QLabel* makeTitle(const QString& text, QWidget* parent);
QLabel* makeText(const QString& text, QWidget* parent);  // wraps, selectable

}  // namespace receiptbench
