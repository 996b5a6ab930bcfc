// What the Compare page is made of.
#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/compare/changes_model.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/comparison_text.h"
#include "ui/compare/fitted_table.h"
#include "ui/compare/grouped_header.h"
#include "ui/compare/rules_model.h"
#include "ui/compare/verdicts_model.h"
#include "ui/primary_button.h"
#include "ui/state_pane.h"

namespace receiptbench {
namespace {

QLabel* makeHeading(const QString& words, QWidget* parent) {
    auto* label = new QLabel(words, parent);
    label->setTextFormat(Qt::PlainText);
    auto font = label->font();
    font.setBold(true);
    label->setFont(font);
    return label;
}

QPushButton* makeButton(const QString& text, const char* name, const QString& hint,
                        QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setAccessibleName(hint);
    button->setToolTip(hint);
    return button;
}

}  // namespace

void ComparePage::build() {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(10);
    stack_ = new QStackedWidget(this);
    state_ = new StatePane(stack_);
    content_ = new QScrollArea(stack_);
    content_->setWidgetResizable(true);
    content_->setFrameShape(QFrame::NoFrame);
    content_->setFocusPolicy(Qt::NoFocus);
    content_->setWidget(makeContent());
    stack_->addWidget(state_);
    stack_->addWidget(content_);
    layout->addWidget(makeHead());
    layout->addWidget(stack_, 1);
    for (auto* button : {csv_, markdown_}) {
        auto* action = new QAction(button->toolTip(), changesTable_);
        connect(action, &QAction::triggered, button, &QPushButton::click);
        changesTable_->addAction(action);
    }
    changesTable_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

QWidget* ComparePage::makeHead() {
    auto* head = new QWidget(this);
    auto* title = makeTitle(tr("Compare"), head);
    title->setWordWrap(false);
    copied_ = new QLabel(head);
    copied_->setObjectName(QStringLiteral("copiedNote"));
    csv_ = makeButton(tr("Copy C&SV"), "copyCsv", tr("Copy all changes as CSV"), head);
    markdown_ = makeButton(tr("Copy &Markdown"), "copyMarkdown",
                           tr("Copy the changes as a Markdown table"), head);
    compare_ = new PrimaryButton(tr("&Compare"), head);
    compare_->setObjectName(QStringLiteral("compareButton"));
    compare_->setAccessibleName(tr("Compare the finished runs"));
    compare_->setMinimumSize(compare_->sizeHint().width() + 20, 30);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(title);
    row->addStretch();
    for (QWidget* widget : {static_cast<QWidget*>(copied_), static_cast<QWidget*>(csv_),
                            static_cast<QWidget*>(markdown_), static_cast<QWidget*>(compare_)}) {
        row->addWidget(widget);
    }
    connect(compare_, &QPushButton::clicked, this, [this] { session_.startCompare(); });
    connect(csv_, &QPushButton::clicked, this,
            [this] { copy(changesCsv(*session_.comparison()), tr("CSV copied")); });
    connect(markdown_, &QPushButton::clicked, this,
            [this] { copy(changesMarkdown(*session_.comparison()), tr("Markdown copied")); });
    return head;
}

QWidget* ComparePage::makeContent() {
    auto* content = new QWidget;
    makeTables(content);
    staleRow_ = new QWidget(content);
    staleIcon_ = new QLabel(staleRow_);
    stale_ = makeText({}, staleRow_);
    stale_->setObjectName(QStringLiteral("staleNote"));
    auto* stale = new QHBoxLayout(staleRow_);
    stale->setContentsMargins(0, 0, 0, 0);
    stale->addWidget(staleIcon_, 0, Qt::AlignTop);
    stale->addWidget(stale_, 1);
    words_ = makeText({}, content);
    words_->setObjectName(QStringLiteral("verdictWords"));
    small_ = makeText({}, content);
    small_->setObjectName(QStringLiteral("smallNote"));
    notes_ = makeText({}, content);
    rulesTitle_ = makeHeading({}, content);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 8, 0);
    column->setSpacing(8);
    column->addWidget(staleRow_);
    column->addWidget(makeHeading(tr("Verdicts and frozen validation metrics"), content));
    column->addWidget(verdictsTable_);
    column->addWidget(notes_);
    column->addSpacing(8);
    column->addWidget(makeHeading(tr("Changes at the acceptance threshold, by class"), content));
    column->addWidget(small_);
    column->addWidget(changesTable_);
    column->addSpacing(8);
    column->addWidget(rulesTitle_);
    column->addWidget(words_);
    column->addWidget(rulesTable_);
    column->addStretch();
    return content;
}

void ComparePage::makeTables(QWidget* content) {
    verdicts_ = new VerdictsModel(this);
    verdictsTable_ = new FittedTable("verdictsTable", tr("Verdicts"), content);
    verdictsTable_->setSelectionBehavior(QAbstractItemView::SelectRows);
    verdictsTable_->verticalHeader()->hide();
    verdictsTable_->setModel(verdicts_);
    changes_ = new ChangesModel(this);
    changesTable_ = new FittedTable("changesTable", tr("Changes at the threshold"), content);
    changesTable_->setHorizontalHeader(new GroupedHeader(
        changes_->groupSize(), [this](int group) { return changes_->groupTitle(group); },
        changesTable_));
    changesTable_->setModel(changes_);
    rules_ = new RulesModel(this);
    rulesTable_ = new FittedTable("rulesTable", tr("Rules of the verdict"), content);
    rulesTable_->setSelectionBehavior(QAbstractItemView::SelectRows);
    rulesTable_->verticalHeader()->hide();
    rulesTable_->horizontalHeader()->setStretchLastSection(true);
    rulesTable_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    rulesTable_->setModel(rules_);
    connect(verdictsTable_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ComparePage::chooseRun);
    connect(changesTable_, &QTableView::activated, this, &ComparePage::openPhotos);
    connect(changesTable_, &QTableView::clicked, this, &ComparePage::openPhotos);
}

}  // namespace receiptbench
