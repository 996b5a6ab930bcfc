#include "ui/compare/rules_model.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "ui/cells.h"
#include "ui/compare/comparison_text.h"

namespace receiptbench {

void RulesModel::show(const std::vector<Rule>& rules) {
    beginResetModel();
    rules_ = rules;
    // What asks for attention first.
    std::stable_sort(rules_.begin(), rules_.end(), [](const Rule& a, const Rule& b) {
        return std::pair(a.state != Rule::State::Failed, a.state == Rule::State::Passed) <
               std::pair(b.state != Rule::State::Failed, b.state == Rule::State::Passed);
    });
    endResetModel();
}

int RulesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rules_.size());
}
int RulesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : Columns;
}

QVariant RulesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const auto& rule = rules_.at(static_cast<std::size_t>(index.row()));
    if (role == Qt::DecorationRole && index.column() == State) {
        return cellIcon(rule.state == Rule::State::Passed   ? Meaning::Good
                        : rule.state == Rule::State::Failed ? Meaning::Bad
                                                            : Meaning::Neutral);
    }
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
        return {};
    }
    switch (index.column()) {
        case State:
            return ruleStateText(rule.state);
        case Name:
            return QString::fromStdString(printable(rule.name));
        default:
            return QString::fromStdString(printable(rule.figures));
    }
}

QVariant RulesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    return section == State ? tr("State") : section == Name ? tr("Rule") : tr("Figures");
}

}  // namespace receiptbench
