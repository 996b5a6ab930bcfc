#include "ui/recovery/replay_view.h"

#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/cells.h"
#include "ui/recovery/folder_view.h"
#include "ui/recovery/step_bar.h"

namespace receiptbench {
namespace {

constexpr int kPlayMilliseconds = 2600, kRevealMilliseconds = 40, kRevealTicks = 30,
              kCardsWidth = 900;

}  // namespace

ReplayView::ReplayView(QWidget* parent) : QWidget(parent) {
    build();
    playing_.setInterval(kPlayMilliseconds);
    revealing_.setInterval(kRevealMilliseconds);
    connect(&playing_, &QTimer::timeout, this, [this] {
        go(current() + 1);
        if (current() + 1 >= bar_->count()) {
            play(false);
        }
    });
    connect(&revealing_, &QTimer::timeout, this, &ReplayView::revealRows);
    connect(bar_, &StepBar::currentRequested, this, [this](int step) {
        play(false);
        go(step);
    });
}

QWidget* ReplayView::makeHead() {
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    title_ = makeTitle({}, head);
    title_->setWordWrap(false);
    auto* close = new QPushButton(tr("Back to the call &tape"), head);
    close->setObjectName(QStringLiteral("closeReplayButton"));
    close->setAccessibleName(tr("Back to the call tape"));
    connect(close, &QPushButton::clicked, this, [this] {
        play(false);
        Q_EMIT closed();
    });
    row->addWidget(title_, 1);
    row->addWidget(close);
    return head;
}

QWidget* ReplayView::makeFoot() {
    auto* foot = new QWidget(this);
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(0, 0, 0, 0);
    back_ = new QPushButton(tr("&Back"), foot);
    next_ = new QPushButton(tr("&Next"), foot);
    play_ = new QPushButton(tr("&Play"), foot);
    back_->setObjectName(QStringLiteral("replayBackButton"));
    next_->setObjectName(QStringLiteral("replayNextButton"));
    play_->setObjectName(QStringLiteral("replayPlayButton"));
    back_->setShortcut(Qt::ALT | Qt::Key_Left);
    next_->setShortcut(Qt::ALT | Qt::Key_Right);
    back_->setToolTip(tr("The step before (Alt+Left, or Left on the time line)"));
    next_->setToolTip(tr("The next step (Alt+Right, or Right on the time line)"));
    back_->setAccessibleName(tr("Previous step"));
    next_->setAccessibleName(tr("Next step"));
    play_->setAccessibleName(tr("Play the steps"));
    play_->setCheckable(true);
    count_ = new QLabel(foot);
    connect(back_, &QPushButton::clicked, this, [this] { go(current() - 1); });
    connect(next_, &QPushButton::clicked, this, [this] { go(current() + 1); });
    connect(play_, &QPushButton::clicked, this, &ReplayView::play);
    row->addWidget(back_);
    row->addWidget(next_);
    row->addWidget(play_);
    row->addStretch();
    row->addWidget(count_);
    return foot;
}

void ReplayView::build() {
    bar_ = new StepBar(this);
    icon_ = new QLabel(this);
    icon_->setFixedSize(26, 26);
    head_ = makeTitle({}, this);
    text_ = makeText({}, this);
    auto font = head_->font();
    font.setPointSizeF(0.85 * font.pointSizeF());
    head_->setFont(font);
    folder_ = new FolderView(this);
    folder_->setMaximumWidth(kCardsWidth);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAccessibleName(tr("Checkpoint folder"));
    auto* inner = new QWidget(scroll);
    auto* column = new QVBoxLayout(inner);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(folder_);
    column->addStretch();
    scroll->setWidget(inner);
    table_ = new QTableWidget(this);
    table_->setAccessibleName(tr("Details of the step"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setAlternatingRowColors(true);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setItemDelegate(new RoomyDelegate(table_));
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->setTabKeyNavigation(false);
    table_->setTextElideMode(Qt::ElideMiddle);
    table_->verticalHeader()->hide();
    table_->horizontalHeader()->setHighlightSections(false);
    content_ = new QStackedWidget(this);
    content_->addWidget(scroll);
    content_->addWidget(table_);

    auto* sentence = new QHBoxLayout;
    sentence->addWidget(icon_, 0, Qt::AlignTop);
    sentence->addWidget(head_, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
    layout->addWidget(makeHead());
    layout->addWidget(bar_);
    layout->addLayout(sentence);
    layout->addWidget(text_);
    layout->addWidget(content_, 1);
    layout->addWidget(makeFoot());
}

void ReplayView::show(const DrillResult& drill) {
    drill_ = drill;
    waiting_.clear();
    play(false);
    title_->setText(tr("Replay of %1").arg(drillTitle(drill)));
    rebuildSteps(nullptr);
    bar_->setCurrent(0);
    present(false);
    bar_->setFocus();
}

void ReplayView::showReceipts(const DrillReceipts& receipts) {
    waiting_.clear();
    rebuildSteps(&receipts);
    present(false);
}

void ReplayView::setWaiting(const QString& why) {
    waiting_ = why;
    present(false);
}

void ReplayView::rebuildSteps(const DrillReceipts* receipts) {
    steps_ = replaySteps(drill_, receipts);
    QStringList names;
    std::vector<Meaning> meanings;
    for (const auto& step : steps_) {
        names << step.name;
        meanings.push_back(step.meaning);
    }
    bar_->setSteps(names, meanings);
}

int ReplayView::current() const {
    return bar_->current();
}

void ReplayView::go(int step) {
    if (step < 0 || step >= bar_->count() || step == current()) {
        return;
    }
    bar_->setCurrent(step);
    present(true);
}

void ReplayView::play(bool on) {
    if (on && current() + 1 >= bar_->count()) {
        go(0);
    }
    on ? playing_.start() : playing_.stop();
    play_->setChecked(on);
    play_->setText(on ? tr("&Pause") : tr("&Play"));
}

void ReplayView::present(bool animated) {
    if (steps_.empty()) {
        return;
    }
    const auto& step = steps_[static_cast<std::size_t>(current())];
    icon_->setPixmap(meaningIcon(step.meaning).pixmap(icon_->size()));
    head_->setText(step.head);
    const bool needsRows = step.columns.size() > 5 && step.rows.empty();
    text_->setText(needsRows && !waiting_.isEmpty() ? step.text + u' ' + waiting_ : step.text);
    revealing_.stop();
    if (step.columns.isEmpty()) {
        content_->setCurrentIndex(0);
        folder_->show(step.files, animated);
    } else {
        content_->setCurrentIndex(1);
        fillTable(step, animated);
    }
    updateFoot();
}

void ReplayView::fillTable(const ReplayStep& step, bool animated) {
    table_->clear();
    table_->setColumnCount(static_cast<int>(step.columns.size()));
    table_->setHorizontalHeaderLabels(step.columns);
    table_->setRowCount(static_cast<int>(step.rows.size()));
    const auto mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    const bool receipts = step.columns.size() > 5;
    for (int row = 0; row < table_->rowCount(); ++row) {
        const auto& cells = step.rows[static_cast<std::size_t>(row)];
        for (int column = 0; column < static_cast<int>(cells.size()); ++column) {
            const auto& cell = cells[static_cast<std::size_t>(column)];
            auto* item = new QTableWidgetItem(cell.text);
            item->setToolTip(cell.text);
            if (cell.meaning) {
                item->setIcon(cellIcon(*cell.meaning));
                item->setForeground(meaningColour(*cell.meaning));
            }
            if (receipts && (column == 1 || column == 2)) {
                item->setFont(mono);
            }
            table_->setItem(row, column, item);
        }
    }
    table_->resizeColumnsToContents();
    for (int row = 0; animated && receipts && row < table_->rowCount(); ++row) {
        table_->setRowHidden(row, true);
    }
    table_->horizontalHeader()->setStretchLastSection(true);
    revealed_ = 0;
    if (animated && receipts) {
        revealing_.start();
    }
}

// Receipts appear one after the other, in about a second however many there are.
void ReplayView::revealRows() {
    const int rows = table_->rowCount(), each = std::max(1, rows / kRevealTicks);
    for (int i = 0; i < each && revealed_ < rows; ++i) {
        table_->setRowHidden(revealed_++, false);
    }
    table_->scrollToBottom();
    if (revealed_ >= rows) {
        revealing_.stop();
    }
}

// The icons are drawn in the palette's colours.
void ReplayView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && bar_ != nullptr) {
        present(false);
    }
}

void ReplayView::updateFoot() {
    back_->setEnabled(current() > 0);
    next_->setEnabled(current() + 1 < bar_->count());
    count_->setText(tr("Step %1 of %2").arg(current() + 1).arg(bar_->count()));
}

}  // namespace receiptbench
