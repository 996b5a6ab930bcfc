#include "ui/recovery/tape_model.h"

#include <QBrush>

#include "ui/cells.h"

namespace receiptbench {
namespace {

QString wordOf(PointState state) {
    switch (state) {
        case PointState::CannotBeCut:
            return QStringLiteral("–");
        case PointState::NotTried:
            return QStringLiteral("not yet");
        case PointState::Proven:
            return QStringLiteral("proven");
        case PointState::NotProven:
            return QStringLiteral("not proven");
    }
    return {};
}

QVariant iconOf(PointState state) {
    switch (state) {
        case PointState::Proven:
            return cellIcon(Meaning::Good);
        case PointState::NotProven:
            return cellIcon(Meaning::Bad);
        case PointState::NotTried:
        case PointState::CannotBeCut:
            break;
    }
    return {};
}

QVariant colourOf(PointState state) {
    switch (state) {
        case PointState::Proven:
            return QBrush(meaningColour(Meaning::Good));
        case PointState::NotProven:
            return QBrush(meaningColour(Meaning::Bad));
        case PointState::NotTried:
        case PointState::CannotBeCut:
            break;
    }
    return QBrush(meaningColour(Meaning::Neutral));
}

}  // namespace

void TapeModel::show(TapeFacts facts) {
    beginResetModel();
    facts_ = std::move(facts);
    endResetModel();
}

void TapeModel::mark(const std::vector<DrillResult>& drills, std::int64_t update) {
    drills_ = drills;
    update_ = update;
    if (rowCount() > 0) {
        Q_EMIT dataChanged(index(0, Before), index(rowCount() - 1, After));
    }
}

std::optional<CrashWhen> TapeModel::whenOf(int column) {
    switch (column) {
        case Before:
            return CrashWhen::Before;
        case Inside:
            return CrashWhen::Inside;
        case After:
            return CrashWhen::After;
        default:
            return {};
    }
}

int TapeModel::columnOf(CrashWhen when) {
    return when == CrashWhen::Before ? Before : when == CrashWhen::Inside ? Inside : After;
}

PointState TapeModel::stateAt(const QModelIndex& index) const {
    const auto when = whenOf(index.column());
    return when ? pointState(drills_, facts_, update_, {index.row() + 1, *when})
                : PointState::CannotBeCut;
}

int TapeModel::count(PointState state) const {
    int count = 0;
    for (int row = 0; row < rowCount(); ++row) {
        for (const int column : {Before, Inside, After}) {
            count += stateAt(index(row, column)) == state ? 1 : 0;
        }
    }
    return count;
}

int TapeModel::provenPoints() const {
    return count(PointState::Proven);
}

int TapeModel::points() const {
    return 3 * rowCount() - count(PointState::CannotBeCut);
}

int TapeModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(facts_.tape.size());
}

int TapeModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(Columns);
}

QVariant TapeModel::words(const QModelIndex& index) const {
    const auto& call = facts_.tape[static_cast<std::size_t>(index.row())];
    switch (index.column()) {
        case Index:
            return static_cast<qlonglong>(call.index);
        case Call:
            return QString::fromStdString(call.operation);
        case File:
            return fileText(call);
        case Bytes:
            return call.bytes > 0 ? bytesText(static_cast<std::int64_t>(call.bytes)) : QString();
        case Durable:
            return durableText(facts_.tape, call);
        default:
            return wordOf(stateAt(index));
    }
}

QVariant TapeModel::hint(const QModelIndex& index) const {
    const auto& call = facts_.tape[static_cast<std::size_t>(index.row())];
    if (index.column() == Bytes && call.bytes > 0) {
        return QStringLiteral("%1 bytes").arg(call.bytes);
    }
    const auto when = whenOf(index.column());
    if (!when) {
        return words(index);
    }
    const auto point =
        QStringLiteral("%1 call %2 (%3)").arg(whenText(*when)).arg(call.index).arg(callText(call));
    switch (stateAt(index)) {
        case PointState::CannotBeCut:
            return QStringLiteral("Only a write can be cut inside");
        case PointState::NotTried:
            return QStringLiteral("No drill has died %1 yet").arg(point);
        case PointState::Proven:
            return QStringLiteral("A drill died %1, and recovery was proven").arg(point);
        case PointState::NotProven:
            return QStringLiteral("A drill died %1, and recovery was NOT proven").arg(point);
    }
    return {};
}

QVariant TapeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const bool isPoint = whenOf(index.column()).has_value();
    switch (role) {
        case Qt::DisplayRole:
            return words(index);
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole:
            return hint(index);
        case Qt::DecorationRole:
            return isPoint ? iconOf(stateAt(index)) : QVariant();
        case Qt::ForegroundRole:
            return isPoint ? colourOf(stateAt(index)) : QVariant();
        case Qt::TextAlignmentRole:
            return index.column() == Index || index.column() == Bytes
                       ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                       : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
        default:
            return {};
    }
}

QVariant TapeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static const char* const kTitles[] = {
        "#", "Call", "File", "Bytes", "On disk for sure after it", "Before", "Inside", "After"};
    if (orientation != Qt::Horizontal || section < 0 || section >= Columns) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return section == Index || section == Bytes ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                                    : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole && whenOf(section)) {
        return QStringLiteral("A drill that dies %1 the call").arg(whenText(*whenOf(section)));
    }
    return role == Qt::DisplayRole ? QVariant(QString::fromLatin1(kTitles[section])) : QVariant();
}

Qt::ItemFlags TapeModel::flags(const QModelIndex& index) const {
    const bool impossible = whenOf(index.column()) && stateAt(index) == PointState::CannotBeCut;
    return impossible ? Qt::ItemIsSelectable
                      : Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
}

}  // namespace receiptbench
