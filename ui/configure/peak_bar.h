// The memory that a plan takes at its peak, by category, against the budget.
#pragma once

#include <QWidget>

#include "core/contract/update_record.h"

namespace receiptbench {

class PeakBar : public QWidget {
    Q_OBJECT

 public:
    explicit PeakBar(QWidget* parent);
    // limit 0: no budget, no line.
    void show(const MemoryPeaks& peak, std::int64_t limit);
    void clear();
    bool isEmpty() const { return peak_.total <= 0; }
    QString words() const;  // all that is drawn, as a sentence
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

 protected:
    void paintEvent(QPaintEvent* event) override;

 private:
    QRectF barArea() const;
    double positionOf(std::int64_t bytes) const;
    void paintSegments(QPainter& painter) const;
    void paintBudget(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;

    MemoryPeaks peak_;
    std::int64_t limit_ = 0;
};

}  // namespace receiptbench
