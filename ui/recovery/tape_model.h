// The call tape as a table, and behind each call the sweep matrix: what the drills so far have
// proven before, inside and after it.
#pragma once

#include <QAbstractTableModel>

#include "ui/recovery/tape_facts.h"

namespace receiptbench {

class TapeModel : public QAbstractTableModel {
    Q_OBJECT

 public:
    enum Column { Index, Call, File, Bytes, Durable, Before, Inside, After, Columns };

    using QAbstractTableModel::QAbstractTableModel;

    void show(TapeFacts facts);
    void mark(const std::vector<DrillResult>& drills, std::int64_t update);
    const TapeFacts& facts() const { return facts_; }

    static std::optional<CrashWhen> whenOf(int column);  // of a matrix column
    static int columnOf(CrashWhen when);
    PointState stateAt(const QModelIndex& index) const;
    int provenPoints() const;  // of all that can be cut
    int points() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
    QVariant words(const QModelIndex& index) const;
    QVariant hint(const QModelIndex& index) const;
    int count(PointState state) const;

    TapeFacts facts_;
    std::vector<DrillResult> drills_;
    std::int64_t update_ = 0;
};

}  // namespace receiptbench
