// Plots of the same x: one cursor, one range, one Follow for all of them.
#pragma once

#include <QObject>

#include <vector>

#include "ui/plots/plot_widget.h"

namespace receiptbench {

class PlotGroup : public QObject {
    Q_OBJECT

 public:
    explicit PlotGroup(QObject* parent) : QObject(parent) {}

    void add(PlotWidget* plot);  // lives as long as the group
    bool follows() const { return follows_; }
    void setFollow(bool on);

 Q_SIGNALS:
    void followChanged(bool on);

 private:
    std::vector<PlotWidget*> plots_;
    bool follows_ = true;
};

}  // namespace receiptbench
