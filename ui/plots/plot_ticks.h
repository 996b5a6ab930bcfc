// Where an axis has its ticks, and how they are written: as plain C numbers in every locale.
#pragma once

#include <QSharedPointer>

class QCPAxisTicker;

namespace receiptbench {

// unit: what one written unit is worth. whole: no tick between two whole numbers.
QSharedPointer<QCPAxisTicker> makeLinearTicks(double unit, bool whole);
// Powers of ten or two, or plain steps where the range is too small for them.
QSharedPointer<QCPAxisTicker> makeLogarithmicTicks(double unit);

}  // namespace receiptbench
