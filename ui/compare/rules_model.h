// Why a run has its verdict, rule by rule.
#pragma once

#include <QAbstractTableModel>

#include "core/evaluate/verdict.h"

namespace receiptbench {

class RulesModel : public QAbstractTableModel {
    Q_OBJECT

 public:
    enum Column { State, Name, Figures, Columns };

    using QAbstractTableModel::QAbstractTableModel;
    void show(const std::vector<Rule>& rules);
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
    std::vector<Rule> rules_;
};

}  // namespace receiptbench
