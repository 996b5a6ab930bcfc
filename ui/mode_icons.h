// The window's pictures, drawn as lines: sharp at every scale and in the palette's colours.
#pragma once

#include <QColor>
#include <QIcon>
#include <QRectF>

#include "ui/session.h"

class QPainter;

namespace receiptbench {

QString modeName(Mode mode);
// Fits the mode's picture into the square.
void paintModeIcon(QPainter& painter, Mode mode, const QRectF& square, const QColor& colour);
QIcon modeIcon(Mode mode);
QIcon stopIcon();
QIcon applicationIcon();

// A run's state: a shape and a word, so that the colour is not needed.
QIcon runStateIcon(RunState state);
QColor runStateColour(RunState state);
QString runStateWord(RunState state);

}  // namespace receiptbench
