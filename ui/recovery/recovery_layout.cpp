// What the Recovery page is made of.
#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QRadioButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <array>

#include "ui/cells.h"
#include "ui/primary_button.h"
#include "ui/recovery/drill_list.h"
#include "ui/recovery/recovery_page.h"
#include "ui/recovery/replay_view.h"
#include "ui/recovery/tape_model.h"
#include "ui/recovery/tape_strip.h"
#include "ui/state_pane.h"

namespace receiptbench {
namespace {

// Of the table: what has no room is left out, since the strip and the tool tips hold it as well.
constexpr int kRoomForFile = 900, kRoomForDurable = 640;
constexpr std::array kMoments{CrashWhen::Before, CrashWhen::Inside, CrashWhen::After};

}  // namespace

QWidget* RecoveryPage::makeHead() {
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    auto* title = makeTitle(tr("Recovery"), head);
    title->setWordWrap(false);
    runs_ = new QComboBox(head);
    runs_->setObjectName(QStringLiteral("recoveryRunBox"));
    runs_->setAccessibleName(tr("Run"));
    runs_->setMinimumContentsLength(10);
    updates_ = new QComboBox(head);
    updates_->setObjectName(QStringLiteral("recoveryUpdateBox"));
    updates_->setAccessibleName(tr("Checkpoint of update"));
    updates_->setMinimumContentsLength(6);
    auto* runLabel = new QLabel(tr("R&un"), head);
    runLabel->setBuddy(runs_);
    auto* updateLabel = new QLabel(tr("&Checkpoint of update"), head);
    updateLabel->setBuddy(updates_);
    row->addWidget(title);
    row->addStretch();
    for (QWidget* widget : {static_cast<QWidget*>(runLabel), static_cast<QWidget*>(runs_),
                            static_cast<QWidget*>(updateLabel), static_cast<QWidget*>(updates_)}) {
        row->addWidget(widget);
    }
    connect(runs_, &QComboBox::activated, this, [this] {
        session_.selectRun(runs_->currentText());
        refresh();
    });
    connect(updates_, &QComboBox::currentIndexChanged, this, [this] {
        markMatrix();
        showPoint();
    });
    return head;
}

void RecoveryPage::makeTable() {
    model_ = new TapeModel(this);
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("tapeTable"));
    table_->setAccessibleName(tr("Call tape and sweep matrix"));
    table_->setModel(model_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setShowGrid(false);
    table_->setItemDelegate(new RoomyDelegate(table_));
    table_->setAlternatingRowColors(true);
    table_->setTabKeyNavigation(false);
    table_->setTextElideMode(Qt::ElideMiddle);
    table_->setWordWrap(false);
    table_->setIconSize({16, 16});
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 12);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) {
                if (!index.isValid()) {
                    return;
                }
                const auto& call = model_->facts().tape[static_cast<std::size_t>(index.row())];
                auto when = TapeModel::whenOf(index.column()).value_or(point_.when);
                when = canBeCut(call, when) ? when : CrashWhen::Before;
                point_ = {call.index, when};
                showPoint();
            });
}

QWidget* RecoveryPage::makePointRow() {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(12);
    pointLabel_ = makeText({}, box);
    pointLabel_->setMinimumWidth(180);
    row->addWidget(pointLabel_, 1);
    when_ = new QButtonGroup(box);
    const std::array names{tr("&Before"), tr("&Inside"), tr("&After")};
    for (std::size_t i = 0; i < kMoments.size(); ++i) {
        auto* button = new QRadioButton(names[i], box);
        button->setObjectName(QStringLiteral("when-") + whenText(kMoments[i]));
        button->setAccessibleName(tr("Die %1 the call").arg(whenText(kMoments[i])));
        when_->addButton(button, static_cast<int>(i));
        row->addWidget(button);
    }
    crash_ = new PrimaryButton(tr("&Simulate crash here"), box);
    crash_->setObjectName(QStringLiteral("crashButton"));
    crash_->setAccessibleName(tr("Simulate crash here"));
    crash_->setMinimumSize(crash_->sizeHint().width() + 28, 32);
    row->addWidget(crash_);
    connect(when_, &QButtonGroup::idClicked, this, [this](int id) {
        choosePoint({point_.call, kMoments[static_cast<std::size_t>(id)]});
    });
    connect(crash_, &QPushButton::clicked, this, &RecoveryPage::simulateCrash);
    return box;
}

QWidget* RecoveryPage::makeRunningRow() {
    running_ = new QWidget(this);
    auto* row = new QHBoxLayout(running_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(12);
    stage_ = new QLabel(running_);
    stage_->setTextFormat(Qt::PlainText);
    bar_ = new QProgressBar(running_);
    bar_->setAccessibleName(tr("Progress of the drill"));
    bar_->setMaximumHeight(14);
    bar_->setTextVisible(false);
    stop_ = new QPushButton(tr("S&top the drill"), running_);
    stop_->setAccessibleName(tr("Stop the drill"));
    row->addWidget(stage_);
    row->addWidget(bar_, 1);
    row->addWidget(stop_);
    connect(stop_, &QPushButton::clicked, this, [this] { session_.stop(); });
    running_->hide();
    return running_;
}

QWidget* RecoveryPage::makeWorkshop() {
    workshop_ = new QWidget(this);
    makeTable();
    strip_ = new TapeStrip(workshop_);
    matrix_ = makeText({}, workshop_);
    auto* left = new QWidget(workshop_);
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 0, 0);
    leftColumn->addWidget(table_, 1);
    leftColumn->addWidget(matrix_);
    drills_ = new DrillList(workshop_);
    splitter_ = new QSplitter(workshop_);
    splitter_->setChildrenCollapsible(false);
    splitter_->setHandleWidth(14);
    splitter_->addWidget(left);
    splitter_->addWidget(drills_);
    splitter_->setStretchFactor(0, 1);
    splitter_->setStretchFactor(1, 0);
    splitter_->setSizes({720, 250});
    outcome_ = makeText({}, workshop_);
    outcome_->setObjectName(QStringLiteral("drillOutcome"));
    outcome_->setAccessibleName(tr("Result of the drill"));
    outcomeIcon_ = new QLabel(workshop_);
    outcomeRow_ = new QWidget(workshop_);
    auto* outcomeRow = new QHBoxLayout(outcomeRow_);
    outcomeRow->setContentsMargins(0, 0, 0, 0);
    outcomeRow->addWidget(outcomeIcon_);
    outcomeRow->addWidget(outcome_, 1);
    auto* layout = new QVBoxLayout(workshop_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
    layout->addWidget(makeText(tr("Each checkpoint is written by these calls. Choose one, and a "
                                  "real child process is killed "
                                  "there, on a copy of the run."),
                               workshop_));
    layout->addWidget(strip_);
    layout->addWidget(makePointRow());
    layout->addWidget(makeRunningRow());
    layout->addWidget(outcomeRow_);
    outcomeRow_->hide();
    layout->addWidget(splitter_, 1);
    connect(strip_, &TapeStrip::chosen, this, &RecoveryPage::choosePoint);
    connect(drills_, &DrillList::replayRequested, this, &RecoveryPage::replaySelected);
    return workshop_;
}

void RecoveryPage::build() {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(12);
    auto* head = makeHead();
    stack_ = new QStackedWidget(this);
    state_ = new StatePane(stack_);
    replay_ = new ReplayView(stack_);
    stack_->addWidget(state_);
    stack_->addWidget(makeWorkshop());
    stack_->addWidget(replay_);
    layout->addWidget(head);
    layout->addWidget(stack_, 1);
    connect(replay_, &ReplayView::closed, this, [this] {
        stack_->setCurrentWidget(workshop_);
        refresh();
        drills_->setFocus();
    });
    connect(stack_, &QStackedWidget::currentChanged, this,
            [this, head] { head->setVisible(stack_->currentWidget() != replay_); });
}

void RecoveryPage::fitTable() {
    const int room = table_->viewport()->width();
    table_->setColumnHidden(TapeModel::File, room < kRoomForFile);
    table_->setColumnHidden(TapeModel::Durable, room < kRoomForDurable);
    auto* head = table_->horizontalHeader();
    for (int column = 0; column < TapeModel::Columns; ++column) {
        head->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    }
    const auto wide = room < kRoomForDurable ? TapeModel::Call
                      : room < kRoomForFile  ? TapeModel::Durable
                                             : TapeModel::File;
    head->setSectionResizeMode(wide, QHeaderView::Stretch);
}

}  // namespace receiptbench
