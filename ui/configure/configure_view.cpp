// What the Configure page shows: it follows from the form, from what was read and from the session.
#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>

#include "core/base/text.h"
#include "ui/command_line.h"
#include "ui/configure/budget_slider.h"
#include "ui/configure/configure_page.h"
#include "ui/configure/field_grid.h"
#include "ui/configure/field_row.h"
#include "ui/configure/peak_bar.h"
#include "ui/configure/plan_table.h"
#include "ui/state_pane.h"

namespace receiptbench {
namespace {

QString plain(const std::string& text) {
    return QString::fromStdString(printable(text));
}

QString nameOf(Precision precision) {
    return QString::fromStdString(toString(precision));
}

}  // namespace

void ConfigurePage::refresh() {
    if (sayState()) {
        stack_->setCurrentWidget(state_);
        return;
    }
    stack_->setCurrentWidget(work_);
    showRows(nullptr);
    showHead();
    showJob();
    showTabs();
    showMeasured();
    showButtons();
    showCommand();
}

// True when there is no form to show.
bool ConfigurePage::sayState() {
    if (session_.project() == nullptr) {
        state_->say(Meaning::Neutral, tr("No project is open"),
                    tr("Import your photos, or try the example: it is frozen, planned and trained "
                       "within minutes."),
                    tr("Go to Welcome"), [this] { session_.requestMode(Mode::Welcome); });
        return true;
    }
    if (!facts_.error.isEmpty()) {
        state_->say(Meaning::Bad, tr("The project cannot be read"),
                    facts_.remedy.isEmpty() ? facts_.error
                                            : tr("%1. Remedy: %2").arg(facts_.error, facts_.remedy),
                    tr("Read again"), [this] {
                        facts_.error.clear();
                        stale_ = true;
                        load();
                        refresh();
                    });
        return true;
    }
    if (plain(facts_.folder) != session_.projectFolder()) {
        state_->sayBusy(tr("Reading the project"),
                        tr("Its classes, its contract and the plans that were made."));
        return true;
    }
    return false;
}

void ConfigurePage::showRows(const FieldRow* except) {
    for (auto* row : rows_) {
        const auto& spec = row->spec();
        const bool run = spec.group == FieldGroup::Run;
        const bool applies = !spec.applies || spec.applies(form_);
        const bool implied = spec.name == "data.derive" && form_.readableOnly;
        row->setVisible(applies);
        row->setLocked((form_.frozen && !run) || implied);
        if (!row->hasProblem() && row != except) {
            row->showForm(form_);
        }
        row->say(applies ? problemAt(*row) : std::nullopt);
    }
    for (auto* grid : grids_) {
        grid->arrange();
    }
    slider_->show(form_.freeze.memoryLimit);
    slider_->setVisible(!form_.frozen);
    int at = static_cast<int>(presets().size());
    for (int i = at - 1; i >= 0; --i) {
        at = matches(form_, presets()[static_cast<std::size_t>(i)]) ? i : at;
    }
    const QSignalBlocker quiet(preset_);
    preset_->setCurrentIndex(at);
    presetHelp_->setText(preset_->itemData(at, Qt::ToolTipRole).toString());
    presetRow_->setVisible(!form_.frozen);
}

void ConfigurePage::showHead() {
    const auto& contract = form_.freeze.contract;
    Meaning meaning = Meaning::Neutral;
    if (form_.frozen) {
        meaning = Meaning::Good;
        head_->setText(tr("Frozen for good: the contract's fields are locked. %1 photos for "
                          "training, %2 for validation.")
                           .arg(contract.trainExamples)
                           .arg(contract.validationExamples));
    } else if (form_.imported) {
        head_->setText(
            tr("Not frozen yet. Freezing splits the photos and fixes every value here, "
               "so that runs differ in nothing but precision and microbatch."));
    } else {
        meaning = Meaning::Caution;
        head_->setText(
            tr("Nothing is imported yet. Import photos, or freeze drawn receipts with "
               "the values below."));
    }
    headIcon_->setPixmap(meaningIcon(meaning).pixmap(18));
    hash_->setVisible(form_.frozen);
    hash_->setText(tr("Contract sha256 %1").arg(plain(facts_.hash)));
    hash_->setAccessibleName(hash_->text());
    import_->setVisible(!form_.frozen && !form_.imported);
    import_->setEnabled(!session_.busy());
}

void ConfigurePage::showJob() {
    const auto& job = session_.job();
    const bool busy = session_.busy();
    jobRow_->setVisible(busy || !failure_.isEmpty());
    jobIcon_->setVisible(!busy);
    bar_->setVisible(busy);
    stop_->setVisible(busy);
    stop_->setEnabled(job.state == JobState::Running);
    if (!busy) {
        jobIcon_->setPixmap(meaningIcon(Meaning::Bad).pixmap(18));
        jobText_->setText(failure_);
        return;
    }
    const auto stage = job.state == JobState::Stopping ? tr("stopping")
                       : job.total > 0
                           ? tr("%1, %2 of %3").arg(job.stage).arg(job.done).arg(job.total)
                           : job.stage;
    jobText_->setText(stage.isEmpty() ? job.title : tr("%1: %2").arg(job.title, stage));
    bar_->setRange(0, static_cast<int>(job.total));
    bar_->setValue(static_cast<int>(job.done));
    bar_->setAccessibleName(jobText_->text());
}

// One tab per precision that something is known about.
void ConfigurePage::showTabs() {
    std::vector<Precision> known;
    for (const auto precision : {Precision::Fp32, Precision::Bf16, Precision::Fp16}) {
        if (form_.frozen ? facts_.plans.contains(precision) : measured(precision) != nullptr) {
            known.push_back(precision);
        }
    }
    const QSignalBlocker quiet(tabs_);
    std::vector<Precision> shown;
    for (int i = 0; i < tabs_->count(); ++i) {
        shown.push_back(static_cast<Precision>(tabs_->tabData(i).toInt()));
    }
    const bool turned =
        tabs_->property("precision").toInt() != static_cast<int>(form_.train.precision);
    if (shown != known) {
        while (tabs_->count() > 0) {
            tabs_->removeTab(0);
        }
        for (const auto precision : known) {
            tabs_->setTabData(tabs_->addTab(nameOf(precision)), static_cast<int>(precision));
        }
    }
    if (shown != known || turned) {  // follows the form, until another tab is chosen
        for (int i = 0; i < tabs_->count(); ++i) {
            if (tabs_->tabData(i).toInt() == static_cast<int>(form_.train.precision)) {
                tabs_->setCurrentIndex(i);
            }
        }
    }
    tabs_->setProperty("precision", static_cast<int>(form_.train.precision));
    tabs_->setVisible(tabs_->count() > 0);
    tabs_->setFocusPolicy(tabs_->count() > 0 ? Qt::TabFocus : Qt::NoFocus);
}

void ConfigurePage::showMeasured() {
    cardTitle_->setText(form_.frozen ? tr("Planned peak") : tr("Estimated peak"));
    const auto* plan = shownPlan();
    if (plan == nullptr) {
        table_->clearPlan();
    } else {
        table_->show(*plan);
    }
    table_->setVisible(plan != nullptr && !plan->probes.empty());
    note_->setText(measuredNote());
    earlier_->setText(earlierNote());
    earlier_->setVisible(!earlier_->text().isEmpty());
    const auto* estimate = form_.frozen ? nullptr : measured(form_.train.precision);
    const bool better = estimate != nullptr && estimate->suggestedBudget > 0 &&
                        estimate->suggestedBudget != form_.freeze.memoryLimit;
    useBudget_->setVisible(better);
    if (better) {
        useBudget_->setText(
            tr("Use the suggested budget, %1").arg(budgetText(estimate->suggestedBudget)));
        useBudget_->setAccessibleName(useBudget_->text());
    }
    showBar();
}

void ConfigurePage::showBar() {
    const auto* probe = table_->currentProbe();
    if (probe != nullptr && probe->fits) {
        peak_->show(probe->peak, form_.freeze.memoryLimit);
    } else {
        peak_->clear();
    }
}

QString ConfigurePage::measuredNote() const {
    const auto* plan = shownPlan();
    if (plan == nullptr) {
        return form_.frozen ? tr("No plan yet. Plan measures microbatches within the budget and "
                                 "keeps the fastest; a run without a plan makes one first.")
                            : tr("Estimate tries microbatches on grey pictures of this size, "
                                 "within a few seconds. Nothing is stored.");
    }
    if (!plan->notSupported.empty()) {
        return tr("Not supported here: %1.").arg(plain(plan->notSupported));
    }
    const auto within = plan->memoryLimit > 0 ? bytesText(plan->memoryLimit) : tr("no limit");
    if (!plan->chosen) {
        return tr("Nothing fits within %1: one example needs %2. Raise the budget, or take smaller "
                  "photos or a narrower model.")
            .arg(within, bytesText(plan->bytesForOneExample));
    }
    const auto words = tr("Within %1 the fastest is microbatch %2, %3.")
                           .arg(within)
                           .arg(plan->chosen->microbatch)
                           .arg(plain(toString(plan->chosen->memoryFormat)));
    const auto* estimate = form_.frozen ? nullptr : measured(plan->chosen->precision);
    if (estimate != nullptr && estimate->contract != [this] {
            auto contract = form_.freeze.contract;
            contract.labels = labelsOf(form_);
            return contract;
        }()) {
        return words + QStringLiteral(" ") + tr("The form has changed since: estimate again.");
    }
    if (!form_.frozen && form_.freeze.memoryLimit > 0 &&
        form_.freeze.memoryLimit != plan->memoryLimit) {
        return words + QStringLiteral(" ") + tr("The budget has changed since: estimate again.");
    }
    return words;
}

// How good plans were so far: of runs that used the plan's microbatch.
QString ConfigurePage::earlierNote() const {
    QStringList notes;
    for (const auto& run : session_.runs()) {
        const auto found = facts_.plans.find(run.description.plan.precision);
        if (run.state != RunState::Finished || run.peakBytes <= 0 || found == facts_.plans.end() ||
            run.description.kind != "run") {
            continue;
        }
        for (const auto& probe : found->second.probes) {
            if (probe.fits && probe.plan == run.description.plan && probe.peak.total > 0) {
                const double error = 100.0 * static_cast<double>(probe.peak.total - run.peakBytes) /
                                     static_cast<double>(run.peakBytes);
                notes << tr("%1 planned %2, run took %3 (%4 %)")
                             .arg(plain(run.description.name), bytesText(probe.peak.total),
                                  bytesText(run.peakBytes),
                                  (error > 0 ? QStringLiteral("+") : QString()) +
                                      numberText(error, 1));
                break;
            }
        }
    }
    return notes.isEmpty() ? QString() : tr("Earlier: %1.").arg(notes.join(QStringLiteral("; ")));
}

QString ConfigurePage::whyNotFreeze() const {
    if (session_.busy()) {
        return tr("Waits for %1 to end.").arg(session_.job().title);
    }
    return problemIn(false) ? tr("A marked field needs attention first.") : QString();
}

QString ConfigurePage::whyNotStart() const {
    if (!form_.frozen) {
        return tr("Freeze first: a run belongs to a frozen contract.");
    }
    if (session_.busy()) {
        return tr("Waits for %1 to end.").arg(session_.job().title);
    }
    return problemIn(true) ? tr("A marked field needs attention first.") : QString();
}

void ConfigurePage::showButtons() {
    const auto unsupported = form_.unsupported.find(form_.train.precision);
    const bool can = unsupported == form_.unsupported.end() || unsupported->second.empty();
    const auto freezeWhy = whyNotFreeze(), startWhy = whyNotStart();
    freezeRow_->setVisible(!form_.frozen);
    freeze_->setEnabled(!form_.frozen && freezeWhy.isEmpty());
    freezeNote_->setText(freezeWhy.isEmpty() ? tr("It cannot be undone: another contract needs a "
                                                  "new project.")
                                             : freezeWhy);
    estimate_->setVisible(!form_.frozen);
    estimate_->setEnabled(can && !form_.frozen && freezeWhy.isEmpty());
    plan_->setVisible(form_.frozen);
    plan_->setEnabled(can && form_.frozen && !session_.busy());
    start_->setEnabled(startWhy.isEmpty());
    const auto slow = facts_.slow.find(form_.train.precision);
    startNote_->setText(!startWhy.isEmpty() ? startWhy
                        : slow != facts_.slow.end() && !slow->second.empty()
                            ? tr("Slow here: %1.").arg(plain(slow->second))
                            : tr("A gradient check comes first; the Run page follows live."));
}

void ConfigurePage::showCommand() {
    const auto& folder = session_.projectFolder();
    const bool ready = !problemIn(form_.frozen);
    commandTitle_->setText(form_.frozen ? tr("The same from a terminal, plan and run")
                                        : tr("The same from a terminal"));
    const auto text = !ready         ? QString()
                      : form_.frozen ? planCommand(folder, planOptions()) + u'\n' +
                                           trainCommand(folder, trainRequest())
                                     : freezeCommand(folder, freezeRequest());
    command_->setPlaceholderText(tr("A marked field needs attention first."));
    if (command_->toPlainText() != text) {  // a selection in it survives progress
        command_->setPlainText(text);
    }
    copy_->setEnabled(ready);
}

}  // namespace receiptbench
