// One row for each compared run, the baseline first: verdict and frozen validation metrics.
#pragma once

#include <QAbstractTableModel>

#include "core/workbench/comparison.h"
#include "ui/theme.h"

namespace receiptbench {

class VerdictsModel : public QAbstractTableModel {
    Q_OBJECT

 public:
    enum Column { Run, Verdict, Accuracy, Difference, MacroF1, Peak, Accepted, Skipped, Columns };

    using QAbstractTableModel::QAbstractTableModel;
    void show(const Comparison& comparison);
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    const ComparedRun* run(int row) const;  // null: the baseline

 private:
    QString text(int row, int column) const;
    Comparison comparison_;
};

}  // namespace receiptbench
