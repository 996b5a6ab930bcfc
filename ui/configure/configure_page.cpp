#include "ui/configure/configure_page.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabBar>

#include <algorithm>

#include "core/base/text.h"
#include "core/workbench/estimate.h"
#include "ui/background.h"
#include "ui/configure/field_row.h"
#include "ui/pages.h"
#include "ui/window/import_dialog.h"

namespace receiptbench {
namespace {

constexpr double kSecondsPerProbe = 0.1;  // an estimate answers soon; a plan measures with care

bool sameMemory(const ExperimentContract& a, const ExperimentContract& b) {
    return a.height == b.height && a.width == b.width && a.model.width == b.model.width &&
           a.optimizer.name == b.optimizer.name && a.optimizer.momentum == b.optimizer.momentum &&
           a.examplesPerUpdate == b.examplesPerUpdate;
}

}  // namespace

ConfigurePage::ConfigurePage(Session& session, QWidget* parent)
    : QWidget(parent), session_(session) {
    setObjectName(QStringLiteral("configurePage"));
    build();
    connectSession();
    projectChanged();
}

void ConfigurePage::connectSession() {
    const auto readAgain = [this] {
        stale_ = true;
        load();
    };
    connect(&session_, &Session::projectChanged, this, &ConfigurePage::projectChanged);
    connect(&session_, &Session::plansChanged, this, readAgain);
    connect(&session_, &Session::runsChanged, this, readAgain);  // the baseline may be there now
    connect(&session_, &Session::jobChanged, this, &ConfigurePage::jobChanged);
}

// Also after an import or a freeze of the same project.
void ConfigurePage::projectChanged() {
    if (facts_.folder != session_.projectFolder().toStdString()) {
        facts_ = {};
        estimates_.clear();
        failure_.clear();
    }
    facts_.error.clear();
    stale_ = true;
    load();
    refresh();
}

// Only while the page is seen: a hidden page reads nothing.
void ConfigurePage::load() {
    if (session_.project() == nullptr || !stale_ || !isVisible()) {
        return;
    }
    stale_ = false;
    loading_ = true;
    const auto asked = ++asked_;
    const auto folder = session_.projectFolder().toStdString();
    readInBackground<ConfigureFacts>(
        this, [folder] { return readConfigureFacts(folder); },
        [this, asked](const ConfigureFacts& facts) {
            if (asked == asked_) {
                loaded(facts);
            }
        });
}

// What was typed stays, unless it is another project, or the project has become another kind.
void ConfigurePage::loaded(const ConfigureFacts& facts) {
    loading_ = false;
    const bool same = facts_.folder == facts.folder && form_.frozen == facts.form.frozen &&
                      form_.imported == facts.form.imported &&
                      form_.importedLabels == facts.form.importedLabels &&
                      facts_.hash == facts.hash;
    const bool sameProject = facts_.folder == facts.folder;
    auto form = same ? form_ : facts.form.frozen ? facts.form : freshForm(facts.form);
    form.baseline = facts.form.baseline;
    form.unsupported = facts.form.unsupported;
    if (sameProject) {
        form.train = form_.train;
    }
    form_ = form;
    facts_ = facts;
    if (!same) {
        for (auto* row : rows_) {
            row->say({});
            row->setText(row->spec().get(form_));
        }
    }
    refresh();
}

FieldRow* ConfigurePage::rowOf(const char* name) const {
    return *std::find_if(rows_.begin(), rows_.end(),
                         [name](const FieldRow* row) { return row->spec().name == name; });
}

const ConfigurePage::Measured* ConfigurePage::measured(Precision precision) const {
    const auto found = estimates_.find(precision);
    return found == estimates_.end() ? nullptr : &found->second;
}

const PlanResult* ConfigurePage::shownPlan() const {
    if (tabs_->currentIndex() < 0) {
        return nullptr;
    }
    const auto precision = static_cast<Precision>(tabs_->tabData(tabs_->currentIndex()).toInt());
    if (!form_.frozen) {
        const auto* estimate = measured(precision);
        return estimate == nullptr ? nullptr : &estimate->plan;
    }
    const auto found = facts_.plans.find(precision);
    return found == facts_.plans.end() ? nullptr : &found->second;
}

// A locked field holds what was accepted. A budget that an estimate has shown to be too small is
// said at once, since freezing would refuse it.
std::optional<FieldProblem> ConfigurePage::problemAt(const FieldRow& row) const {
    if (form_.frozen && row.spec().group != FieldGroup::Run) {
        return std::nullopt;
    }
    auto problem = problemOf(row.spec(), form_, row.text());
    const auto* estimate = measured(Precision::Fp32);
    if (problem || row.spec().group != FieldGroup::Memory || estimate == nullptr ||
        !sameMemory(estimate->contract, form_.freeze.contract)) {
        return problem;
    }
    const auto needed = estimate->plan.bytesForOneExample;
    if (needed > 0 && form_.freeze.memoryLimit > 0 && form_.freeze.memoryLimit < needed) {
        const auto enough = std::max(needed, estimate->suggestedBudget);
        problem = FieldProblem{
            tr("fp32 fits at no microbatch: one example needs %1.").arg(bytesText(needed)),
            budgetText(enough)};
    }
    return problem;
}

void ConfigurePage::edited(FieldRow* row) {
    row->spec().set(form_, row->text());  // a text that means nothing changes nothing
    row->say(problemAt(*row));
    failure_.clear();
    showRows(row);
    refresh();
}

void ConfigurePage::choosePreset(int index) {
    const auto at = static_cast<std::size_t>(index);
    if (form_.frozen || at >= presets().size()) {
        return;
    }
    applyPreset(form_, presets()[at]);
    for (auto* row : rows_) {
        if (row->spec().group != FieldGroup::Run) {
            row->setText(row->spec().get(form_));
        }
    }
    refresh();
}

void ConfigurePage::setBudget(qlonglong bytes) {
    auto* row = rowOf("memoryLimit");
    row->setText(budgetText(bytes));
    edited(row);
}

bool ConfigurePage::problemIn(bool runFields) const {
    return std::any_of(rows_.begin(), rows_.end(), [runFields](const FieldRow* row) {
        return (row->spec().group == FieldGroup::Run) == runFields && !row->isHidden() &&
               row->hasProblem();
    });
}

void ConfigurePage::importImages() {
    ImportDialog dialog({}, this);
    if (dialog.exec() == QDialog::Accepted) {
        own_ = session_.startImport(dialog.folder(), dialog.options());
    }
}

PlanOptions ConfigurePage::planOptions() const {
    PlanOptions options;
    options.precision = form_.train.precision;
    options.memoryLimit = form_.freeze.memoryLimit;
    options.threads = form_.train.threads;
    return options;
}

void ConfigurePage::startEstimate() {
    if (!estimate_->isEnabled()) {
        return;
    }
    auto options = planOptions();
    options.secondsPerProbe = kSecondsPerProbe;
    auto contract = form_.freeze.contract;
    contract.labels = labelsOf(form_);
    const auto result = std::make_shared<Estimate>();
    const QPointer<ConfigurePage> self(this);
    const auto folder = facts_.folder;
    own_ = session_.startOther(
        tr("Estimate %1").arg(QString::fromStdString(toString(options.precision))),
        [contract, options, result](Progress& progress, const CancelToken& cancel) {
            *result = estimatePlan(contract, contract.labels.size(), options, progress, &cancel);
        },
        [self, result, folder, options, contract] {
            if (self != nullptr && self->facts_.folder == folder) {
                self->estimates_[options.precision] = {result->plan, result->suggestedBudget,
                                                       contract};
                self->showRows(nullptr);
                self->refresh();
            }
        });
    failure_.clear();
    refresh();
}

void ConfigurePage::startFreeze() {
    if (freeze_->isEnabled()) {
        failure_.clear();
        own_ = session_.startFreeze(freezeRequest());
    }
}

void ConfigurePage::startPlan() {
    if (plan_->isEnabled()) {
        failure_.clear();
        own_ = session_.startPlan(planOptions());
    }
}

void ConfigurePage::startTraining() {
    if (!start_->isEnabled()) {
        return;
    }
    failure_.clear();
    own_ = session_.startTraining(trainRequest());
    if (own_) {
        session_.requestMode(Mode::Run);
    }
}

void ConfigurePage::jobChanged() {
    showJob();
    if (session_.busy() == wasBusy_) {
        return;  // progress only
    }
    wasBusy_ = session_.busy();
    if (!wasBusy_) {
        const auto& job = session_.job();
        if (own_ && job.state == JobState::Failed) {
            failure_ = job.remedy.isEmpty()
                           ? tr("%1 failed: %2").arg(job.title, job.error)
                           : tr("%1 failed: %2. Remedy: %3").arg(job.title, job.error, job.remedy);
        }
        own_ = false;
    }
    refresh();
}

void ConfigurePage::copyCommand() {
    QApplication::clipboard()->setText(command_->toPlainText());
}

void ConfigurePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    load();
    refresh();
}

void ConfigurePage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && table_ != nullptr) {
        refresh();
    }
}

QWidget* makeConfigurePage(Session& session, QWidget* parent) {
    return new ConfigurePage(session, parent);
}

}  // namespace receiptbench
