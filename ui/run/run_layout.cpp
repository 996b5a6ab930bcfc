// What the Run page is made of.
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/primary_button.h"
#include "ui/run/run_page.h"
#include "ui/run/run_plots.h"
#include "ui/state_pane.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

QPushButton* makeButton(const QString& text, const char* name, const QString& hint,
                        QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setAccessibleName(QString(text).remove(u'&'));
    button->setToolTip(hint);
    return button;
}

QHBoxLayout* makeRow(QWidget* box) {
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    return row;
}

}  // namespace

void RunPage::build() {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(10);
    stack_ = new QStackedWidget(this);
    state_ = new StatePane(stack_);
    content_ = new QWidget(stack_);
    auto* column = new QVBoxLayout(content_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(makeFacts());
    column->addWidget(makeEndRow());
    plots_ = new RunPlots(content_);
    column->addWidget(plots_, 1);
    stack_->addWidget(state_);
    stack_->addWidget(content_);
    layout->addWidget(makeHead());
    layout->addWidget(makeJobRow());
    layout->addWidget(stack_, 1);
    connect(plots_, &RunPlots::followChanged, follow_, &QCheckBox::setChecked);
    connect(follow_, &QCheckBox::toggled, plots_, &RunPlots::setFollow);
}

QWidget* RunPage::makeHead() {
    auto* head = new QWidget(this);
    auto* title = makeTitle(tr("Run"), head);
    title->setWordWrap(false);
    runs_ = new QComboBox(head);
    runs_->setObjectName(QStringLiteral("runBox"));
    runs_->setAccessibleName(tr("Run that is shown"));
    runs_->setMinimumContentsLength(9);
    stateIcon_ = new QLabel(head);
    stateWord_ = new QLabel(head);
    stateWord_->setObjectName(QStringLiteral("runState"));
    precision_ = new QComboBox(head);
    precision_->setObjectName(QStringLiteral("startPrecision"));
    precision_->setAccessibleName(tr("Precision of the next run"));
    start_ = new PrimaryButton(tr("&Start"), head);
    start_->setObjectName(QStringLiteral("startRun"));
    start_->setAccessibleName(tr("Start training"));
    start_->setMinimumSize(start_->sizeHint().width() + 20, 30);
    resume_ = makeButton(tr("Res&ume"), "resumeRun", {}, head);
    stop_ = makeButton(tr("S&top"), "stopRun",
                       tr("Drops the unfinished update, saves the last boundary and ends"), head);
    auto* row = makeRow(head);
    for (QWidget* widget : {static_cast<QWidget*>(title), static_cast<QWidget*>(runs_),
                            static_cast<QWidget*>(stateIcon_), static_cast<QWidget*>(stateWord_)}) {
        row->addWidget(widget);
    }
    row->insertSpacing(1, 8);
    row->addStretch();
    for (QWidget* widget : {static_cast<QWidget*>(stop_), static_cast<QWidget*>(resume_),
                            static_cast<QWidget*>(precision_), static_cast<QWidget*>(start_)}) {
        row->addWidget(widget);
    }
    connect(runs_, &QComboBox::activated, this, &RunPage::chooseRun);
    connect(start_, &QPushButton::clicked, this, &RunPage::start);
    connect(resume_, &QPushButton::clicked, this, &RunPage::resume);
    connect(stop_, &QPushButton::clicked, this, [this] { session_.stop(); });
    return head;
}

QWidget* RunPage::makeFacts() {
    auto* box = new QWidget(content_);
    plan_ = makeText({}, box);
    plan_->setObjectName(QStringLiteral("runPlan"));
    plan_->setAccessibleName(tr("Plan of the run"));
    progress_ = new QLabel(box);
    progress_->setObjectName(QStringLiteral("runProgress"));
    follow_ = new QCheckBox(tr("Fo&llow"), box);
    follow_->setObjectName(QStringLiteral("followBox"));
    follow_->setAccessibleName(tr("Follow the run"));
    follow_->setToolTip(tr("Keeps everything in view; ends when a plot is moved or zoomed"));
    follow_->setChecked(true);
    checkIcon_ = new QLabel(box);
    check_ = makeText({}, box);
    check_->setObjectName(QStringLiteral("runCheck"));
    check_->setAccessibleName(tr("Gradient check"));
    auto* facts = new QHBoxLayout;
    facts->setSpacing(12);
    facts->addWidget(plan_, 1);
    facts->addWidget(progress_);
    facts->addWidget(follow_);
    auto* proof = new QHBoxLayout;
    proof->setSpacing(8);
    proof->addWidget(checkIcon_, 0, Qt::AlignTop);
    proof->addWidget(check_, 1);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addLayout(facts);
    column->addLayout(proof);
    return box;
}

QWidget* RunPage::makeJobRow() {
    jobRow_ = new QWidget(this);
    jobText_ = new QLabel(jobRow_);
    jobText_->setTextFormat(Qt::PlainText);
    jobText_->setObjectName(QStringLiteral("runJob"));
    bar_ = new QProgressBar(jobRow_);
    bar_->setAccessibleName(tr("Progress"));
    bar_->setMaximumHeight(10);
    bar_->setTextVisible(false);
    auto* row = makeRow(jobRow_);
    row->addWidget(jobText_);
    row->addWidget(bar_, 1);
    return jobRow_;
}

QWidget* RunPage::makeEndRow() {
    endRow_ = new QWidget(content_);
    endIcon_ = new QLabel(endRow_);
    end_ = makeText({}, endRow_);
    end_->setObjectName(QStringLiteral("runEnd"));
    end_->setAccessibleName(tr("How the run ended"));
    compare_ = makeButton(tr("&Compare"), "goCompare",
                          tr("What has changed against the fp32 baseline"), endRow_);
    recovery_ = makeButton(tr("Crash &drill"), "goRecovery",
                           tr("Kill a checkpoint write and see what comes back"), endRow_);
    report_ =
        makeButton(tr("&Export PDF"), "goReport", tr("The report, as it will be printed"), endRow_);
    auto* row = makeRow(endRow_);
    row->addWidget(endIcon_, 0, Qt::AlignTop);
    row->addWidget(end_, 1);
    for (auto* button : {compare_, recovery_, report_}) {
        row->addWidget(button, 0, Qt::AlignTop);
    }
    connect(compare_, &QPushButton::clicked, this, [this] { session_.requestMode(Mode::Compare); });
    connect(recovery_, &QPushButton::clicked, this,
            [this] { session_.requestMode(Mode::Recovery); });
    connect(report_, &QPushButton::clicked, this, [this] { session_.requestMode(Mode::Report); });
    return endRow_;
}

}  // namespace receiptbench
