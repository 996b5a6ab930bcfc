#include "ui/compare/verdicts_model.h"

#include <algorithm>

#include "core/base/text.h"
#include "ui/cells.h"
#include "ui/compare/comparison_text.h"

namespace receiptbench {
namespace {

QString acceptedText(const std::vector<std::int64_t>& counts) {
    if (counts.empty()) {
        return VerdictsModel::tr("none");
    }
    const auto [low, high] = std::minmax_element(counts.begin(), counts.end());
    return *low == *high ? QString::number(static_cast<qlonglong>(*low))
                         : VerdictsModel::tr("%1 to %2").arg(*low).arg(*high);
}

}  // namespace

void VerdictsModel::show(const Comparison& comparison) {
    beginResetModel();
    comparison_ = comparison;
    endResetModel();
}

int VerdictsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || comparison_.baseline.name.empty()
               ? 0
               : static_cast<int>(comparison_.runs.size()) + 1;
}

int VerdictsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : Columns;
}

const ComparedRun* VerdictsModel::run(int row) const {
    return row < 1 ? nullptr : &comparison_.runs.at(static_cast<std::size_t>(row) - 1);
}

QString VerdictsModel::text(int row, int column) const {
    const auto* compared = run(row);
    const auto& facts = compared == nullptr ? comparison_.baseline : compared->facts;
    switch (column) {
        case Run:
            return compared == nullptr ? QString::fromStdString(printable(facts.name))
                                       : runTitle(*compared);
        case Verdict:
            return compared == nullptr ? tr("baseline") : outcomeText(*compared);
        case Accuracy:
            return accuracyText(facts.metrics);
        case Difference:
            return compared == nullptr         ? QStringLiteral("–")
                   : compared->changes.empty() ? tr("n/a")
                                               : differenceText(compared->accuracyDifference);
        case MacroF1:
            return facts.metrics.macroF1 ? numberText(*facts.metrics.macroF1, 3) : tr("n/a");
        case Peak:
            return facts.memoryLimit > 0
                       ? tr("%1 of %2")
                             .arg(bytesText(facts.peakBytes), bytesText(facts.memoryLimit))
                       : bytesText(facts.peakBytes);
        case Accepted:
            return acceptedText(facts.acceptedPerUpdate);
        case Skipped:
            return QString::number(static_cast<qlonglong>(facts.skipped));
        default:
            return {};
    }
}

QVariant VerdictsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const auto* compared = run(index.row());
    switch (role) {
        case Qt::DisplayRole:
            return text(index.row(), index.column());
        case Qt::DecorationRole:
            return index.column() == Verdict
                       ? QVariant(cellIcon(compared == nullptr ? Meaning::Neutral
                                                               : outcomeMeaning(*compared)))
                       : QVariant();
        case Qt::ToolTipRole:
            return compared == nullptr ? tr("What the other runs are compared with")
                                       : QString::fromStdString(printable(compared->verdict.words));
        case Qt::TextAlignmentRole:
            return QVariant(index.column() <= Verdict ? Qt::AlignLeft | Qt::AlignVCenter
                                                      : Qt::AlignRight | Qt::AlignVCenter);
        default:
            return {};
    }
}

QVariant VerdictsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
        case Run:
            return tr("Run");
        case Verdict:
            return tr("Verdict");
        case Accuracy:
            return tr("Accuracy (95 %)");
        case Difference:
            return tr("Difference (95 %)");
        case MacroF1:
            return tr("Macro F1");
        case Peak:
            return tr("Peak memory");
        case Accepted:
            return tr("Accepted/update");
        case Skipped:
            return tr("Skipped");
        default:
            return {};
    }
}

}  // namespace receiptbench
