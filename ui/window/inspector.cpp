#include "ui/window/inspector.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/theme.h"
#include "ui/window/run_reader.h"

namespace receiptbench {
namespace {

constexpr int kNameRoom = 18;  // between a name and its value

}  // namespace

Inspector::Inspector(Session& session, RunReader& reader, QWidget* parent)
    : QWidget(parent),
      session_(session),
      reader_(reader),
      title_(makeText({}, this)),
      hint_(makeText({}, this)),
      updateRow_(new QWidget(this)),
      update_(new QSpinBox(updateRow_)),
      facts_(new QTreeWidget(this)) {
    build();
    connect(&reader, &RunReader::changed, this, &Inspector::refresh);
    connect(&session, &Session::selectionChanged, this, &Inspector::refresh);
    connect(update_, &QSpinBox::valueChanged, this,
            [this](int update) { session_.selectUpdate(session_.selectedRun(), update); });
    refresh();
}

void Inspector::build() {
    QFont bold = title_->font();
    bold.setBold(true);
    bold.setPointSizeF(1.15 * bold.pointSizeF());
    title_->setFont(bold);
    title_->setFocusPolicy(Qt::NoFocus);
    hint_->setFocusPolicy(Qt::NoFocus);
    hint_->setObjectName(QStringLiteral("inspectorHint"));
    auto* row = new QHBoxLayout(updateRow_);
    row->setContentsMargins(0, 0, 0, 0);
    auto* label = new QLabel(tr("&Update"), updateRow_);
    label->setBuddy(update_);
    update_->setLocale(QLocale::c());
    update_->setSpecialValueText(tr("the whole run"));
    update_->setAccessibleName(tr("Update to inspect"));
    update_->setObjectName(QStringLiteral("inspectorUpdate"));
    update_->setKeyboardTracking(false);
    row->addWidget(label);
    row->addWidget(update_, 1);
    buildFacts();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 8, 10, 8);
    layout->setSpacing(8);
    layout->addWidget(title_);
    layout->addWidget(updateRow_);
    layout->addWidget(hint_);
    layout->addWidget(facts_, 1);
}

void Inspector::buildFacts() {
    facts_->setObjectName(QStringLiteral("inspectorFacts"));
    facts_->setAccessibleName(tr("Facts of what is selected"));
    facts_->setColumnCount(2);
    facts_->setHeaderHidden(true);
    facts_->setRootIsDecorated(false);
    facts_->setIndentation(0);
    facts_->setFrameShape(QFrame::NoFrame);
    facts_->setAlternatingRowColors(true);
    facts_->setTextElideMode(Qt::ElideMiddle);
    facts_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    facts_->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    facts_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    facts_->header()->setStretchLastSection(true);
    auto* copy = new QAction(tr("Copy value"), facts_);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &Inspector::copyCurrent);
    facts_->addAction(copy);
    facts_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void Inspector::copyCurrent() {
    if (const auto* item = facts_->currentItem()) {
        QApplication::clipboard()->setText(item->text(1).isEmpty() ? item->text(0) : item->text(1));
    }
}

// A live run's records are newer than what was read of its ledger.
const UpdateRecord* Inspector::selectedUpdate() const {
    const auto& selection = session_.selection();
    const auto& live = session_.live();
    const auto find = [&](const std::vector<UpdateRecord>& records) -> const UpdateRecord* {
        for (const auto& record : records) {
            if (record.update == selection.update) {
                return &record;
            }
        }
        return nullptr;
    };
    if (selection.run.toStdString() == live.name) {
        if (const auto* record = find(live.updates)) {
            return record;
        }
    }
    return reader_.reading() != nullptr ? find(reader_.reading()->history.updates) : nullptr;
}

void Inspector::offerUpdates() {
    const auto* reading = reader_.reading();
    const bool some = reading != nullptr && !reading->history.updates.empty() &&
                      session_.selection().checkpoint.isEmpty();
    updateRow_->setVisible(some);
    const QSignalBlocker quiet(update_);
    if (some) {
        update_->setRange(0, static_cast<int>(reading->history.updates.back().update));
        update_->setValue(static_cast<int>(session_.selection().update));
    }
}

void Inspector::refresh() {
    offerUpdates();
    const auto& selection = session_.selection();
    const auto* reading = reader_.reading();
    if (selection.run.isEmpty() || (reading == nullptr && !reader_.loading())) {
        showNothing(
            tr("Nothing is selected. Choose a run on the left to see everything known of it."));
    } else if (reading == nullptr) {
        showNothing(tr("Reading the ledger of %1…").arg(selection.run));
    } else if (!reading->problem.isEmpty()) {
        showNothing(tr("%1 cannot be read: %2").arg(selection.run, reading->problem));
    } else if (!selection.checkpoint.isEmpty()) {
        for (const auto& checkpoint : reading->checkpoints) {
            if (checkpoint.file == selection.checkpoint) {
                showGroups(
                    tr("Checkpoint at update %1 of %2").arg(checkpoint.update).arg(selection.run),
                    checkpointFacts(checkpoint));
                return;
            }
        }
        showNothing(tr("%1 has no checkpoint %2.").arg(selection.run, selection.checkpoint));
    } else if (const auto* record = selection.update > 0 ? selectedUpdate() : nullptr) {
        showGroups(tr("Update %1 of %2").arg(record->update).arg(selection.run),
                   updateFacts(*record));
    } else {
        showGroups(tr("Run %1").arg(selection.run), runFacts(*reading->overview, reading->history));
    }
}

void Inspector::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refresh();  // rows keep the colours that they were made with
    }
}

void Inspector::showNothing(const QString& hint) {
    title_->hide();
    facts_->hide();
    hint_->setText(hint);
    hint_->show();
    layout()->setAlignment(hint_, Qt::AlignTop);
}

// What was read before keeps its place in the view while a run grows.
void Inspector::showGroups(const QString& title, const std::vector<FactGroup>& groups) {
    const bool same = title_->text() == title;
    const int scrolled = same ? facts_->verticalScrollBar()->value() : 0;
    const int current = same ? facts_->currentIndex().row() : -1;
    title_->setText(title);
    title_->show();
    hint_->hide();
    facts_->clear();
    for (const auto& group : groups) {
        auto* head = new QTreeWidgetItem(facts_, {group.title});
        QFont bold = facts_->font();
        bold.setBold(true);
        head->setFont(0, bold);
        head->setFirstColumnSpanned(true);
        head->setForeground(0, palette().color(QPalette::Link));
        head->setSizeHint(0, {1, fontMetrics().height() + 14});
        for (const auto& [name, value] : group.rows) {
            auto* item = new QTreeWidgetItem(facts_, {name, value});
            item->setForeground(0, palette().color(QPalette::PlaceholderText));
            item->setToolTip(1, value.toHtmlEscaped());
            item->setSizeHint(
                0, {fontMetrics().horizontalAdvance(name) + kNameRoom, fontMetrics().height() + 7});
        }
    }
    facts_->show();
    facts_->setCurrentItem(facts_->topLevelItem(current));
    facts_->verticalScrollBar()->setValue(scrolled);
}

}  // namespace receiptbench
