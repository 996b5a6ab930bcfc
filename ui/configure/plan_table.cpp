#include "ui/configure/plan_table.h"

#include <QHeaderView>

#include <algorithm>

#include "core/base/text.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

QString plain(const std::string& text) {
    return QString::fromStdString(printable(text));
}

}  // namespace

PlanTable::PlanTable(QWidget* parent) : QTableWidget(0, Columns, parent) {
    setObjectName(QStringLiteral("planTable"));
    setAccessibleName(tr("Tried microbatches"));
    setHorizontalHeaderLabels({tr("Microbatch"), tr("Format"), tr("Examples/s"), tr("Peak"), {}});
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setEditTriggers(NoEditTriggers);
    setShowGrid(false);
    setAlternatingRowColors(true);
    setTabKeyNavigation(false);
    setWordWrap(false);
    setIconSize({16, 16});
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setSectionResizeMode(Word, QHeaderView::Stretch);
    connect(this, &QTableWidget::currentCellChanged, this, [this](int row, int, int before, int) {
        if (row != before) {
            Q_EMIT probeChanged();
        }
    });
    connect(this, &QTableWidget::cellActivated, this, [this] {
        const auto* probe = currentProbe();
        if (probe != nullptr && probe->fits) {
            Q_EMIT probeActivated(probe->plan.microbatch);
        }
    });
}

void PlanTable::show(const PlanResult& plan) {
    const QSignalBlocker quiet(this);
    plan_ = plan;
    // As people read it: by size, the formats of one size together.
    std::stable_sort(plan_.probes.begin(), plan_.probes.end(), [](const Probe& a, const Probe& b) {
        return a.plan.microbatch < b.plan.microbatch;
    });
    chosen_ = -1;
    clearContents();
    setRowCount(static_cast<int>(plan_.probes.size()));
    for (int row = 0; row < rowCount(); ++row) {
        const auto& probe = plan_.probes[static_cast<std::size_t>(row)];
        // A size may have been tried twice, quickly and then with care: the later one was chosen.
        if (plan_.chosen && probe.fits && probe.plan == *plan_.chosen) {
            chosen_ = row;
        }
    }
    for (int row = 0; row < rowCount(); ++row) {
        addProbe(row, plan_.probes[static_cast<std::size_t>(row)], row == chosen_);
    }
    setCurrentCell(chosen_ >= 0 ? chosen_ : rowCount() - 1, Microbatch);
    if (chosen_ >= 0) {
        scrollToItem(item(chosen_, Microbatch), PositionAtCenter);
    }
}

void PlanTable::clearPlan() {
    show({});
}

const Probe* PlanTable::currentProbe() const {
    const int row = currentRow();
    return row >= 0 && row < static_cast<int>(plan_.probes.size())
               ? &plan_.probes[static_cast<std::size_t>(row)]
               : nullptr;
}

void PlanTable::addProbe(int row, const Probe& probe, bool chosen) {
    const auto word = chosen ? tr("chosen") : probe.fits ? QString() : tr("does not fit");
    const QString texts[Columns] = {
        QString::number(probe.plan.microbatch), plain(toString(probe.plan.memoryFormat)),
        probe.fits ? numberText(probe.examplesPerSecond, 1) : QStringLiteral("–"),
        probe.fits ? bytesText(probe.peak.total) : QStringLiteral("–"), word};
    auto letters = font();
    letters.setBold(chosen);
    for (int column = 0; column < Columns; ++column) {
        auto* cell = new QTableWidgetItem(texts[column]);
        const bool text = column == Format || column == Word;
        cell->setTextAlignment((text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        cell->setFont(letters);
        if (!probe.reason.empty()) {
            cell->setToolTip(plain(probe.reason));
        }
        setItem(row, column, cell);
    }
    if (chosen) {
        item(row, Word)->setIcon(meaningIcon(Meaning::Good));
    } else if (!probe.fits) {
        item(row, Word)->setIcon(meaningIcon(Meaning::Bad));
    }
}

}  // namespace receiptbench
