#include "ui/recovery/drill_list.h"

#include <QEvent>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

#include "ui/cells.h"
#include "ui/recovery/replay_steps.h"

namespace receiptbench {
namespace {

// "fp32-10" comes after "fp32-9".
std::pair<std::string, int> orderOf(const DrillResult& drill) {
    const auto name = drillName(drill);
    const auto dash = name.lastIndexOf(u'-');
    return {name.left(dash).toStdString(), name.mid(dash + 1).toInt()};
}

}  // namespace

DrillList::DrillList(QWidget* parent)
    : QWidget(parent),
      summary_(makeText({}, this)),
      list_(new QListWidget(this)),
      replay_(new QPushButton(tr("Replay recover&y"), this)) {
    auto* title = new QLabel(tr("&Drills so far"), this);
    auto font = title->font();
    font.setBold(true);
    title->setFont(font);
    title->setBuddy(list_);
    list_->setObjectName(QStringLiteral("drillList"));
    list_->setAccessibleName(tr("Drills so far"));
    list_->setSpacing(2);
    list_->setWordWrap(true);
    list_->setIconSize({20, 20});
    replay_->setObjectName(QStringLiteral("replayButton"));
    replay_->setAccessibleName(tr("Replay recovery"));
    replay_->setToolTip(tr("Step through what happened in the chosen drill"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(title);
    layout->addWidget(list_, 1);
    layout->addWidget(summary_);
    layout->addWidget(replay_);
    connect(replay_, &QPushButton::clicked, this, &DrillList::replayRequested);
    connect(list_, &QListWidget::itemActivated, this, &DrillList::replayRequested);
    connect(list_, &QListWidget::currentRowChanged, this, [this] {
        updateButton();
        Q_EMIT selectionChanged();
    });
    fill();
    updateButton();
}

void DrillList::show(std::vector<DrillResult> drills, const std::string& run) {
    const auto* chosen = selected();
    const std::string folder = chosen != nullptr ? chosen->folder : std::string();
    const bool ofRun = chosen != nullptr && chosen->run == run;
    std::sort(drills.begin(), drills.end(), [&](const DrillResult& a, const DrillResult& b) {
        const auto left = orderOf(a), right = orderOf(b);
        return std::make_tuple(a.run != run, left.first, -left.second) <
               std::make_tuple(b.run != run, right.first, -right.second);
    });
    drills_ = std::move(drills);
    fill();
    if (ofRun || drills_.empty() || drills_.front().run != run) {
        select(folder);
    }
    updateButton();
}

void DrillList::fill() {
    const QSignalBlocker quiet(list_);
    list_->clear();
    int proven = 0;
    for (const auto& drill : drills_) {
        proven += drill.proven ? 1 : 0;
        auto* item = new QListWidgetItem(
            cellIcon(drill.proven ? Meaning::Good : Meaning::Bad),
            tr("%1\n%2\n%3").arg(drillVerdict(drill), drillTitle(drill), drillFigures(drill)),
            list_);
        item->setToolTip(tr("Drill %1").arg(drillName(drill)));
    }
    summary_->setText(
        drills_.empty() ? tr("No drill yet. Choose a point on the tape and simulate a crash there.")
                        : tr("%1 of %2 proven").arg(proven).arg(drills_.size()));
    list_->setCurrentRow(drills_.empty() ? -1 : 0);
}

// The icons are drawn in the palette's colours.
void DrillList::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        const int row = list_->currentRow();
        fill();
        list_->setCurrentRow(row);
    }
}

void DrillList::select(const std::string& folder) {
    for (std::size_t i = 0; i < drills_.size(); ++i) {
        if (drills_[i].folder == folder) {
            list_->setCurrentRow(static_cast<int>(i));
        }
    }
}

const DrillResult* DrillList::selected() const {
    const int row = list_->currentRow();
    return row < 0 || row >= static_cast<int>(drills_.size())
               ? nullptr
               : &drills_[static_cast<std::size_t>(row)];
}

void DrillList::updateButton() {
    replay_->setEnabled(selected() != nullptr);
}

}  // namespace receiptbench
