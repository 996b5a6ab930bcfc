#include "ui/compare/changes_model.h"

#include <QFont>

#include "core/base/text.h"
#include "ui/compare/comparison_text.h"

namespace receiptbench {
namespace {

constexpr int kFirstFigure = 0, kDirections = 2;

}  // namespace

void ChangesModel::show(const Comparison& comparison) {
    beginResetModel();
    runs_.clear();
    for (const auto& run : comparison.runs) {
        if (!run.changes.empty()) {
            runs_.push_back(run);
        }
    }
    endResetModel();
}

int ChangesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || runs_.empty() ? 0 : static_cast<int>(runs_.front().changes.size());
}

int ChangesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(runs_.size()) * groupSize();
}

int ChangesModel::groupSize() const {
    return static_cast<int>(changeColumns().size());
}
int ChangesModel::groupOf(int column) const {
    return column / groupSize();
}
QString ChangesModel::groupTitle(int group) const {
    return QStringLiteral("%1 · %2").arg(runTitle(run(group)), outcomeText(run(group)));
}
const ComparedRun& ChangesModel::run(int group) const {
    return runs_.at(static_cast<std::size_t>(group));
}

const ThresholdChange* ChangesModel::change(const QModelIndex& index) const {
    if (!index.isValid()) {
        return nullptr;
    }
    const auto& changes = run(groupOf(index.column())).changes;
    const auto row = static_cast<std::size_t>(index.row());
    return row < changes.size() ? &changes[row] : nullptr;
}

QVariant ChangesModel::data(const QModelIndex& index, int role) const {
    const auto* row = change(index);
    if (row == nullptr) {
        return {};
    }
    const int at = index.column() % groupSize();
    const auto& column = changeColumns()[static_cast<std::size_t>(at)];
    const bool opens = !row->flipped.empty();
    switch (role) {
        case Qt::DisplayRole:
            return column.text(*row);
        case Qt::ToolTipRole:
            return opens ? tr("%1. Enter opens the %2 photos whose decision flipped.")
                               .arg(column.hint)
                               .arg(row->flipped.size())
                         : column.hint;
        case Qt::TextAlignmentRole:
            return QVariant(at + 1 == groupSize() ? Qt::AlignLeft | Qt::AlignVCenter
                                                  : Qt::AlignRight | Qt::AlignVCenter);
        case Qt::FontRole: {  // what has changed stands out, and can be opened
            QFont font;
            font.setBold(opens && at >= kFirstFigure && at < kDirections &&
                         column.text(*row) != QLatin1String("0"));
            return font;
        }
        case Qt::AccessibleTextRole:
            return QStringLiteral("%1, %2, %3: %4")
                .arg(runTitle(run(groupOf(index.column()))),
                     QString::fromStdString(printable(row->label)), column.title,
                     column.text(*row));
        default:
            return {};
    }
}

QVariant ChangesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal) {
        const auto& column = changeColumns()[static_cast<std::size_t>(section % groupSize())];
        return role == Qt::DisplayRole   ? QVariant(column.title)
               : role == Qt::ToolTipRole ? QVariant(column.hint)
                                         : QVariant();
    }
    if (role != Qt::DisplayRole || runs_.empty()) {
        return {};
    }
    const auto& row = runs_.front().changes.at(static_cast<std::size_t>(section));
    return tr("%1 (%2)").arg(QString::fromStdString(printable(row.label))).arg(row.examples);
}

}  // namespace receiptbench
