// A budget by hand: from 4 MiB to 16 GiB, an eighth of an octave a step.
#pragma once

#include <QSlider>

#include <cstdint>

namespace receiptbench {

class BudgetSlider : public QSlider {
    Q_OBJECT

 public:
    explicit BudgetSlider(QWidget* parent);
    void show(std::int64_t bytes);  // the nearest step; says nothing

 Q_SIGNALS:
    void chosen(qlonglong bytes);
};

}  // namespace receiptbench
