// What the Configure page is made of.
#include <QComboBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include "ui/configure/budget_slider.h"
#include "ui/configure/configure_page.h"
#include "ui/configure/field_grid.h"
#include "ui/configure/field_row.h"
#include "ui/configure/peak_bar.h"
#include "ui/configure/plan_table.h"
#include "ui/primary_button.h"
#include "ui/state_pane.h"
#include "ui/window/computer_card.h"

namespace receiptbench {
namespace {

constexpr int kPrimaryHeight = 36, kResultWidth = 400, kFormWidth = 470;

QLabel* quietText(const char* name, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setObjectName(QString::fromLatin1(name));
    return label;
}

QPushButton* makeButton(const QString& text, const char* name, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setAccessibleName(QString(text).remove(u'&'));
    return button;
}

PrimaryButton* makePrimary(const QString& text, const char* name, QWidget* parent) {
    auto* button = new PrimaryButton(text, parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setAccessibleName(QString(text).remove(u'&'));
    button->setMinimumSize(button->sizeHint().width() + 28, kPrimaryHeight);
    return button;
}

// One that scrolls as it must, and is left by Tab.
QScrollArea* scrolled(QWidget* content, const QString& name, QWidget* parent) {
    auto* area = new QScrollArea(parent);
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->setAccessibleName(name);
    return area;
}

}  // namespace

void ConfigurePage::build() {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 12);
    stack_ = new QStackedWidget(this);
    state_ = new StatePane(stack_);
    work_ = new QWidget(stack_);
    stack_->addWidget(state_);
    stack_->addWidget(work_);
    layout->addWidget(stack_);
    splitter_ = new QSplitter(work_);
    splitter_->setChildrenCollapsible(false);
    splitter_->setHandleWidth(14);
    splitter_->addWidget(makeFormSide());
    splitter_->addWidget(makeResultSide());
    splitter_->setStretchFactor(0, 1);
    splitter_->setStretchFactor(1, 1);
    connect(splitter_, &QSplitter::splitterMoved, splitter_,
            [this] { splitter_->setProperty("moved", true); });
    auto* column = new QVBoxLayout(work_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    column->addWidget(makeHead());
    column->addWidget(makeJobRow());
    column->addWidget(splitter_, 1);
    column->addWidget(makeCommandRow());
}

QWidget* ConfigurePage::makeHead() {
    auto* head = new QWidget(work_);
    auto* title = makeTitle(tr("Configure"), head);
    title->setWordWrap(false);
    headIcon_ = new QLabel(head);
    head_ = quietText("configureState", head);
    hash_ = makeText({}, head);
    hash_->setObjectName(QStringLiteral("contractHash"));
    hash_->setAccessibleName(tr("The contract's hash"));
    hash_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    import_ = makeButton(tr("&Import images…"), "importButton", head);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(head_);
    words->addWidget(hash_);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(12);
    row->addWidget(title);
    row->addSpacing(8);
    row->addWidget(headIcon_);
    row->addLayout(words, 1);
    row->addWidget(import_);
    connect(import_, &QPushButton::clicked, this, &ConfigurePage::importImages);
    return head;
}

QWidget* ConfigurePage::makeJobRow() {
    jobRow_ = new QWidget(work_);
    jobIcon_ = new QLabel(jobRow_);
    jobText_ = quietText("jobText", jobRow_);
    bar_ = new QProgressBar(jobRow_);
    bar_->setTextVisible(false);
    bar_->setMaximumSize(220, 14);
    stop_ = makeButton(tr("S&top"), "stopButton", jobRow_);
    auto* row = new QHBoxLayout(jobRow_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(10);
    row->addWidget(jobIcon_, 0, Qt::AlignTop);
    row->addWidget(jobText_, 1);
    row->addWidget(bar_, 1);
    row->addWidget(stop_);
    connect(stop_, &QPushButton::clicked, this, [this] { session_.stop(); });
    return jobRow_;
}

FieldGrid* ConfigurePage::makeGroup(FieldGroup group, const QString& title, QWidget* parent) {
    auto* grid = new FieldGrid(title, parent);
    grids_.push_back(grid);
    for (const auto& spec : formFields()) {
        if (spec.group == group) {
            auto* row = new FieldRow(spec, grid);
            rows_.push_back(row);
            grid->add(row);
            connect(row, &FieldRow::edited, this, [this, row] { edited(row); });
        }
    }
    return grid;
}

QWidget* ConfigurePage::makeFormSide() {
    auto* side = new QWidget(work_);
    auto* form = new QWidget(side);
    auto* fields = new QVBoxLayout(form);
    fields->setContentsMargins(0, 0, 8, 0);
    fields->setSpacing(12);
    presetRow_ = new QWidget(form);
    preset_ = new QComboBox(presetRow_);
    preset_->setObjectName(QStringLiteral("presetBox"));
    preset_->setAccessibleName(tr("Preset"));
    for (const auto& preset : presets()) {
        preset_->addItem(preset.name);
        preset_->setItemData(preset_->count() - 1, preset.help, Qt::ToolTipRole);
    }
    preset_->addItem(tr("Your own values"));
    preset_->setItemData(preset_->count() - 1, tr("No preset has these values."), Qt::ToolTipRole);
    presetHelp_ = quietText("presetHelp", presetRow_);
    auto* label = new QLabel(tr("Pr&eset"), presetRow_);
    label->setBuddy(preset_);
    auto* presetLine = new QHBoxLayout(presetRow_);
    presetLine->setContentsMargins(0, 0, 0, 0);
    presetLine->setSpacing(10);
    presetLine->addWidget(label);
    presetLine->addWidget(preset_);
    presetLine->addWidget(presetHelp_, 1);
    connect(preset_, &QComboBox::activated, this, &ConfigurePage::choosePreset);
    fields->addWidget(presetRow_);
    fields->addWidget(makeGroup(FieldGroup::Photos, tr("Photos"), form));
    auto* memory = makeGroup(FieldGroup::Memory, tr("Memory"), form);
    slider_ = new BudgetSlider(memory);
    memory->addWide(slider_);
    connect(slider_, &BudgetSlider::chosen, this, &ConfigurePage::setBudget);
    fields->addWidget(memory);
    fields->addWidget(makeGroup(FieldGroup::Model, tr("Model and optimizer"), form));
    fields->addWidget(makeGroup(FieldGroup::Updates, tr("Updates"), form));
    fields->addWidget(makeGroup(FieldGroup::Acceptance, tr("Acceptance"), form));
    fields->addStretch();
    freezeRow_ = new QWidget(side);
    freezeNote_ = quietText("freezeNote", freezeRow_);
    freeze_ = makePrimary(tr("Free&ze for good"), "freezeButton", freezeRow_);
    auto* freezeLine = new QHBoxLayout(freezeRow_);
    freezeLine->setContentsMargins(0, 0, 8, 0);
    freezeLine->addWidget(freezeNote_, 1);
    freezeLine->addWidget(freeze_);
    connect(freeze_, &QPushButton::clicked, this, &ConfigurePage::startFreeze);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(scrolled(form, tr("Values of the experiment"), side), 1);
    column->addWidget(freezeRow_);
    side->setMinimumWidth(280);
    return side;
}

QWidget* ConfigurePage::makeResultSide() {
    auto* content = new QWidget(work_);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 8, 0);
    column->setSpacing(12);
    column->addWidget(makeMeasuredCard(), 1);
    column->addWidget(makeRunCard());
    auto* area = scrolled(content, tr("What the values need, and the run"), work_);
    area->setMinimumWidth(350);
    return area;
}

QLayout* ConfigurePage::makeMeasuredHead(QWidget* card) {
    cardTitle_ = makeCardTitle({}, card);
    estimate_ = makeButton(tr("E&stimate"), "estimateButton", card);
    plan_ = makeButton(tr("P&lan"), "planButton", card);
    auto* head = new QHBoxLayout;
    head->addWidget(cardTitle_, 1);
    head->addWidget(estimate_);
    head->addWidget(plan_);
    connect(estimate_, &QPushButton::clicked, this, &ConfigurePage::startEstimate);
    connect(plan_, &QPushButton::clicked, this, &ConfigurePage::startPlan);
    return head;
}

QWidget* ConfigurePage::makeMeasuredCard() {
    auto* card = new QFrame(work_);
    styleCard(card);
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(16, 12, 16, 14);
    column->setSpacing(10);
    tabs_ = new QTabBar(card);
    tabs_->setObjectName(QStringLiteral("planTabs"));
    tabs_->setAccessibleName(tr("Precision that is shown"));
    tabs_->setFocusPolicy(Qt::NoFocus);  // while it has no tab
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    peak_ = new PeakBar(card);
    note_ = quietText("planNote", card);
    earlier_ = quietText("earlierNote", card);
    useBudget_ = makeButton(tr("Use the suggested budget"), "useBudget", card);
    table_ = new PlanTable(card);
    table_->setMinimumHeight(120);
    column->addLayout(makeMeasuredHead(card));
    column->addWidget(tabs_, 0, Qt::AlignLeft);
    column->addWidget(peak_);
    column->addWidget(note_);
    column->addWidget(useBudget_, 0, Qt::AlignLeft);
    column->addWidget(table_, 1);
    column->addWidget(earlier_);
    column->addStretch();
    connect(tabs_, &QTabBar::currentChanged, this, &ConfigurePage::showMeasured);
    connect(table_, &PlanTable::probeChanged, this, &ConfigurePage::showBar);
    connect(table_, &PlanTable::probeActivated, this, [this](qlonglong microbatch) {
        auto* row = rowOf("microbatch");
        row->setText(QString::number(microbatch));
        edited(row);
    });
    connect(useBudget_, &QPushButton::clicked, this, [this] {
        if (const auto* estimate = measured(form_.train.precision)) {
            setBudget(estimate->suggestedBudget);
        }
    });
    return card;
}

QWidget* ConfigurePage::makeRunCard() {
    auto* card = makeGroup(FieldGroup::Run, tr("Run"), work_);
    auto* foot = new QWidget(card);
    startNote_ = quietText("startNote", foot);
    start_ = makePrimary(tr("Start &training"), "startButton", foot);
    auto* line = new QHBoxLayout(foot);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(startNote_, 1);
    line->addWidget(start_);
    card->addWide(foot);
    connect(start_, &QPushButton::clicked, this, &ConfigurePage::startTraining);
    return card;
}

QWidget* ConfigurePage::makeCommandRow() {
    auto* row = new QWidget(work_);
    commandTitle_ = new QLabel(row);
    command_ = new QPlainTextEdit(row);
    command_->setObjectName(QStringLiteral("commandLine"));
    command_->setAccessibleName(tr("Equal command line"));
    command_->setReadOnly(true);
    command_->setTabChangesFocus(true);
    command_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    command_->setFixedHeight(2 * QFontMetrics(command_->font()).lineSpacing() + 14);
    copy_ = makeButton(tr("Cop&y"), "copyCommand", row);
    copy_->setAccessibleName(tr("Copy the command line"));
    connect(copy_, &QPushButton::clicked, this, &ConfigurePage::copyCommand);
    auto* head = new QHBoxLayout;
    head->addWidget(commandTitle_, 1);
    head->addWidget(copy_);
    auto* column = new QVBoxLayout(row);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addLayout(head);
    column->addWidget(command_);
    return row;
}

void ConfigurePage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (splitter_ != nullptr && splitter_->property("moved").toBool() == false) {
        const int wide = std::max(kFormWidth + kResultWidth, width() - 54);
        splitter_->setSizes({wide * kFormWidth / (kFormWidth + kResultWidth),
                             wide * kResultWidth / (kFormWidth + kResultWidth)});
    }
}

}  // namespace receiptbench
