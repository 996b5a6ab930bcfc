#include "ui/compare/compare_page.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>

#include <algorithm>

#include "core/base/text.h"
#include "ui/compare/changes_model.h"
#include "ui/compare/comparison_text.h"
#include "ui/compare/fitted_table.h"
#include "ui/compare/rules_model.h"
#include "ui/compare/verdicts_model.h"
#include "ui/pages.h"
#include "ui/state_pane.h"

namespace receiptbench {
namespace {

QString plain(const std::string& text) {
    return QString::fromStdString(printable(text));
}

bool counts(const RunOverview& run) {
    return run.state == RunState::Finished && run.problem.empty() &&
           (run.description.kind == "run" || run.description.kind == "wrong");
}

}  // namespace

ComparePage::ComparePage(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    setObjectName(QStringLiteral("comparePage"));
    build();
    connect(&session_, &Session::projectChanged, this, [this] {
        error_.clear();
        refresh();
    });
    connect(&session_, &Session::comparisonChanged, this, [this] {
        error_.clear();
        refresh();
    });
    connect(&session_, &Session::runsChanged, this, &ComparePage::refresh);
    connect(&session_, &Session::jobChanged, this, [this] {
        const auto& job = session_.job();
        if (job.kind == JobKind::Compare && job.state == JobState::Failed) {
            error_ = job.error;
            remedy_ = job.remedy;
        } else if (job.kind == JobKind::Compare) {
            error_.clear();
        }
        showState();
    });
    refresh();
}

bool ComparePage::hasBaseline() const {
    return std::any_of(session_.runs().begin(), session_.runs().end(), [](const RunOverview& run) {
        return counts(run) && run.description.kind == "run" &&
               run.description.plan.precision == Precision::Fp32;
    });
}

QStringList ComparePage::missing() const {
    QStringList names;
    const auto& comparison = session_.comparison();
    for (const auto& run : session_.runs()) {
        const auto& name = run.description.name;
        const bool known =
            comparison &&
            (comparison->baseline.name == name ||
             std::any_of(comparison->runs.begin(), comparison->runs.end(),
                         [&](const ComparedRun& compared) { return compared.facts.name == name; }));
        if (counts(run) && !known) {
            names << plain(name);
        }
    }
    return names;
}

void ComparePage::refresh() {
    showComparison();
    showState();
}

void ComparePage::showComparison() {
    const auto comparison = session_.comparison().value_or(Comparison{});
    const int before = verdictsTable_->currentIndex().row();
    verdicts_->show(comparison);
    changes_->show(comparison);
    QStringList lines;
    for (const auto& line : comparison.notes) {
        lines << tr("Note: %1.").arg(plain(line));
    }
    for (const auto& line : comparison.notSupported) {
        lines << tr("Not supported here: %1.").arg(plain(line));
    }
    notes_->setText(lines.join(u'\n'));
    notes_->setVisible(!lines.isEmpty());
    small_->setText(tr("Against %1, on %2 photos. Bold counts open the photos whose decision "
                       "flipped (click, or Enter). With few photos in a class only large changes "
                       "can be told from chance: then the last column says so.")
                        .arg(plain(comparison.baseline.name))
                        .arg(comparison.baseline.metrics.examples));
    const int rows = verdicts_->rowCount();
    verdictsTable_->setCurrentIndex(
        verdicts_->index(before >= 0 && before < rows ? before : std::min(1, rows - 1), 0));
    chooseRun();
}

void ComparePage::chooseRun() {
    const auto* run = verdicts_->run(verdictsTable_->currentIndex().row());
    rulesTitle_->setText(
        run == nullptr ? tr("Rules") : tr("Why %1 is %2").arg(runTitle(*run), outcomeText(*run)));
    words_->setText(run == nullptr
                        ? tr("This is the baseline: choose another run to see its rules.")
                        : plain(run->verdict.words));
    rules_->show(run == nullptr ? std::vector<Rule>{} : run->verdict.rules);
    rulesTable_->setVisible(run != nullptr);
}

void ComparePage::showState() {
    const bool busy = session_.busy();
    const auto& job = session_.job();
    const bool comparing = busy && job.kind == JobKind::Compare;
    const bool has = session_.comparison() && !session_.comparison()->runs.empty();
    const auto waiting = missing();
    compare_->setVisible(session_.project() != nullptr && hasBaseline());
    compare_->setEnabled(!busy);
    compare_->setToolTip(busy ? tr("Waits for %1 to end").arg(job.title) : QString());
    csv_->setVisible(has);
    markdown_->setVisible(has);
    copied_->setVisible(has);
    staleRow_->setVisible(has && (!waiting.isEmpty() || !error_.isEmpty()));
    staleIcon_->setPixmap(
        meaningIcon(error_.isEmpty() ? Meaning::Caution : Meaning::Bad).pixmap(18));
    stale_->setText(!error_.isEmpty() ? tr("Comparing failed: %1. %2").arg(error_, remedy_)
                                      : tr("Not part of this comparison yet: %1. Compare again.")
                                            .arg(waiting.join(QStringLiteral(", "))));
    stack_->setCurrentWidget(has ? content_ : static_cast<QWidget*>(state_));
    if (has) {
        return;
    }
    if (session_.project() == nullptr) {
        state_->say(Meaning::Neutral, tr("No project is open"),
                    tr("Open one, or try the example: it trains within two minutes."),
                    tr("Go to Welcome"), [this] { session_.requestMode(Mode::Welcome); });
    } else if (comparing) {
        state_->sayBusy(tr("Comparing"), tr("Predictions are set side by side, photo by photo."));
    } else if (!error_.isEmpty()) {
        state_->say(Meaning::Bad, tr("Comparing failed"), tr("%1. %2").arg(error_, remedy_),
                    tr("Compare again"), [this] { session_.startCompare(); });
    } else if (!hasBaseline()) {
        state_->say(Meaning::Neutral, tr("No baseline yet"),
                    tr("A finished fp32 run is what the other modes are compared with."),
                    tr("Go to Run"), [this] { session_.requestMode(Mode::Run); });
    } else if (waiting.size() > (session_.comparison() ? 0 : 1)) {
        state_->say(Meaning::Neutral, tr("Not compared yet"),
                    tr("Finished: %1.").arg(waiting.join(QStringLiteral(", "))), tr("Compare"),
                    [this] { session_.startCompare(); });
    } else {
        state_->say(Meaning::Neutral, tr("Nothing to compare yet"),
                    tr("The fp32 baseline is there. Train bf16 or fp16, or the deliberately wrong "
                       "run, of the same contract."),
                    tr("Go to Run"), [this] { session_.requestMode(Mode::Run); });
    }
}

void ComparePage::openPhotos(const QModelIndex& index) {
    const auto* change = changes_->change(index);
    if (change == nullptr || change->flipped.empty()) {
        return;
    }
    session_.requestPhotos(
        tr("Flipped by %1, class %2")
            .arg(runTitle(changes_->run(changes_->groupOf(index.column()))), plain(change->label)),
        change->flipped);
    session_.requestMode(Mode::Data);
}

void ComparePage::copy(const std::string& text, const QString& what) {
    QGuiApplication::clipboard()->setText(QString::fromStdString(text));
    copied_->setText(what);
}

void ComparePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    copied_->clear();
    verdictsTable_->fit();
    changesTable_->fit();
    rulesTable_->fit();
}

QWidget* makeComparePage(Session& session, QWidget* parent) {
    return new ComparePage(session, parent);
}

}  // namespace receiptbench
