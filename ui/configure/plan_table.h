// What the planner tried: one row per microbatch and memory format, the chosen one marked.
#pragma once

#include <QTableWidget>

#include "core/train/planner.h"

namespace receiptbench {

class PlanTable : public QTableWidget {
    Q_OBJECT

 public:
    enum Column { Microbatch, Format, Speed, Peak, Word, Columns };

    explicit PlanTable(QWidget* parent);
    void show(const PlanResult& plan);  // the chosen row becomes the current one
    void clearPlan();
    const Probe* currentProbe() const;         // null: none
    int chosenRow() const { return chosen_; }  // -1: none

 Q_SIGNALS:
    void probeChanged();
    void probeActivated(qlonglong microbatch);

 private:
    void addProbe(int row, const Probe& probe, bool chosen);

    PlanResult plan_;
    int chosen_ = -1;
};

}  // namespace receiptbench
