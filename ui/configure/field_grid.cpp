#include "ui/configure/field_grid.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/configure/field_row.h"
#include "ui/window/computer_card.h"

namespace receiptbench {
namespace {

constexpr int kRoomForField = 168, kMostColumns = 3;

}  // namespace

FieldGrid::FieldGrid(const QString& title, QWidget* parent)
    : QFrame(parent), grid_(new QGridLayout) {
    styleCard(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 14);
    layout->setSpacing(10);
    layout->addWidget(makeCardTitle(title, this));
    layout->addLayout(grid_);
    grid_->setHorizontalSpacing(16);
    grid_->setVerticalSpacing(10);
}

void FieldGrid::add(FieldRow* row) {
    rows_.push_back(row);
}

void FieldGrid::addWide(QWidget* widget) {
    layout()->addWidget(widget);
}

void FieldGrid::arrange() {
    const int columns =
        std::clamp((width() - 32 + grid_->horizontalSpacing()) / kRoomForField, 1, kMostColumns);
    std::vector<FieldRow*> wanted;
    std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(wanted),
                 [](const FieldRow* row) { return !row->isHidden(); });
    if (columns == columns_ && wanted == placed_) {
        return;
    }
    for (auto* row : placed_) {
        grid_->removeWidget(row);
    }
    columns_ = columns;
    placed_ = wanted;
    int line = 0, column = 0;
    for (auto* row : placed_) {
        const bool wide = row->spec().kind == FieldKind::Tick;  // its words need the room
        if (column > 0 && (wide || column == columns)) {
            ++line;
            column = 0;
        }
        grid_->addWidget(row, line, column, 1, wide ? columns : 1);
        column += wide ? columns : 1;
    }
    for (int i = 0; i < kMostColumns; ++i) {
        grid_->setColumnStretch(i, i < columns ? 1 : 0);
        grid_->setColumnMinimumWidth(i, 0);
    }
}

void FieldGrid::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    arrange();
}

}  // namespace receiptbench
