#include "ui/window/runs_model.h"

#include <algorithm>

#include "core/base/text.h"
#include "ui/mode_icons.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

QString fromText(const std::string& text) {
    return QString::fromStdString(printable(text));
}

QString detail(const RunOverview& run) {
    const auto precision = fromText(toString(run.description.plan.precision));
    const auto loss = run.updates > 0 ? RunsModel::tr("loss %1").arg(numberText(run.lastLoss, 4))
                                      : RunsModel::tr("no update yet");
    return QStringLiteral("%1 · %2").arg(precision, loss);
}

}  // namespace

QString peakText(std::int64_t peak, std::int64_t limit) {
    if (peak <= 0) {
        return {};
    }
    const auto left = bytesText(peak), right = bytesText(limit);
    if (limit <= 0) {
        return left;
    }
    const auto unit = right.section(QLatin1Char(' '), 1);
    const auto same = left.section(QLatin1Char(' '), 1) == unit;
    return RunsModel::tr("%1 of %2").arg(same ? left.section(QLatin1Char(' '), 0, 0) : left, right);
}

QString kindText(const std::string& kind) {
    if (kind == "run") {
        return {};
    }
    return kind == "wrong"      ? RunsModel::tr("on purpose")
           : kind == "overflow" ? RunsModel::tr("injected")
                                : fromText(kind);
}

RunsModel::RunsModel(Session& session, QObject* parent)
    : QAbstractListModel(parent), session_(session) {
    connect(&session, &Session::runsChanged, this, &RunsModel::reload);
    connect(&session, &Session::projectChanged, this, &RunsModel::reload);
    connect(&session, &Session::liveUpdated, this, &RunsModel::updateLive);
    connect(&session, &Session::drawnRunsChanged, this, [this] {
        if (!runs_.empty()) {
            Q_EMIT dataChanged(index(0), index(rowCount() - 1), {Qt::CheckStateRole});
        }
    });
    reload();
}

// The same runs as before keep their rows, so that a list being read does not jump.
void RunsModel::reload() {
    const auto& runs = session_.runs();
    const bool same =
        runs.size() == runs_.size() &&
        std::equal(runs.begin(), runs.end(), runs_.begin(), [](const auto& a, const auto& b) {
            return a.description.name == b.description.name;
        });
    if (same) {
        runs_ = runs;
        if (!runs_.empty()) {
            Q_EMIT dataChanged(index(0), index(rowCount() - 1));
        }
    } else {
        beginResetModel();
        runs_ = runs;
        endResetModel();
    }
    updateLive();
}

void RunsModel::updateLive() {
    const auto& live = session_.live();
    if (live.updates.empty() || !session_.busy()) {
        return;
    }
    for (std::size_t row = 0; row < runs_.size(); ++row) {
        auto& run = runs_[row];
        if (run.description.name != live.name || run.state != RunState::Running) {
            continue;
        }
        run.updates = live.updates.back().update;
        run.lastLoss = live.updates.back().loss;
        for (const auto& update : live.updates) {
            run.peakBytes = std::max(run.peakBytes, update.memory.total);
        }
        Q_EMIT dataChanged(index(static_cast<int>(row)), index(static_cast<int>(row)));
    }
}

int RunsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}

QString RunsModel::words(const RunOverview& run) const {
    auto text = QStringLiteral("%1, %2, %3")
                    .arg(fromText(run.description.name), runStateWord(run.state), detail(run));
    if (const auto kind = kindText(run.description.kind); !kind.isEmpty()) {
        text += QStringLiteral(", ") + kind;
    }
    if (const auto peak = peakText(run.peakBytes, run.description.memoryLimit); !peak.isEmpty()) {
        text += tr(", peak %1").arg(peak);
    }
    return text;
}

QVariant RunsModel::data(const QModelIndex& at, int role) const {
    if (!at.isValid() || at.row() >= rowCount()) {
        return {};
    }
    const auto& run = runs_[static_cast<std::size_t>(at.row())];
    switch (role) {
        case Qt::DisplayRole:
        case NameRole:
            return fromText(run.description.name);
        case Qt::CheckStateRole:
            return session_.isDrawn(fromText(run.description.name)) ? Qt::Checked : Qt::Unchecked;
        case Qt::AccessibleTextRole:
        case SearchRole:
            return words(run);
        case Qt::ToolTipRole:
            return run.problem.empty() ? words(run) : fromText(run.problem);
        case StateRole:
            return static_cast<int>(run.state);
        case ColourRole:
            return seriesColour(at.row());
        case DetailRole:
            return run.problem.empty() ? detail(run) : fromText(run.problem);
        case KindRole:
            return kindText(run.description.kind);
        case PeakRole:
            return peakText(run.peakBytes, run.description.memoryLimit);
        default:
            return {};
    }
}

bool RunsModel::setData(const QModelIndex& at, const QVariant& value, int role) {
    if (!at.isValid() || role != Qt::CheckStateRole) {
        return false;
    }
    session_.setDrawn(at.data(NameRole).toString(), value.toInt() == Qt::Checked);
    return true;
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& at) const {
    return at.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable
                        : Qt::NoItemFlags;
}

}  // namespace receiptbench
