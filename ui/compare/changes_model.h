// Threshold changes: a row for each class, a group of columns for each run.
#pragma once

#include <QAbstractTableModel>

#include "core/workbench/comparison.h"

namespace receiptbench {

class ChangesModel : public QAbstractTableModel {
    Q_OBJECT

 public:
    using QAbstractTableModel::QAbstractTableModel;
    void show(const Comparison& comparison);
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    int groupOf(int column) const;  // which run
    QString groupTitle(int group) const;
    int groupSize() const;  // columns of each
    const ComparedRun& run(int group) const;
    const ThresholdChange* change(const QModelIndex& index) const;

 private:
    std::vector<ComparedRun> runs_;  // those with changes
};

}  // namespace receiptbench
