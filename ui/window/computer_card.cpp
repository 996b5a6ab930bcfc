#include "ui/window/computer_card.h"

#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/background.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

struct Examined {
    ComputerFacts facts;
    std::string problem;
};

QString fromText(const std::string& text) {
    return QString::fromStdString(printable(text));
}

Examined examine() {
    try {
        return {examineComputer(), {}};
    } catch (const std::exception& error) {
        return {{}, error.what()};
    }
}

QLabel* plain(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

}  // namespace

QFrame* styleCard(QFrame* card) {
    card->setFrameShape(QFrame::StyledPanel);
    card->setAutoFillBackground(true);
    card->setBackgroundRole(QPalette::Base);
    return card;
}

QLabel* makeCardTitle(const QString& text, QWidget* parent) {
    auto* label = plain(text, parent);
    QFont font = label->font();
    font.setBold(true);
    font.setPointSizeF(1.15 * font.pointSizeF());
    label->setFont(font);
    return label;
}

ComputerCard::ComputerCard(QWidget* parent) : QFrame(parent), rows_(new QFormLayout) {
    styleCard(this);
    setObjectName(QStringLiteral("computerCard"));
    setAccessibleName(tr("This computer"));
    waiting_ = plain(tr("Looking at processor and memory…"), this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 16);
    layout->setSpacing(10);
    layout->addWidget(makeCardTitle(tr("This computer"), this));
    layout->addWidget(waiting_);
    rows_->setHorizontalSpacing(14);
    rows_->setVerticalSpacing(6);
    rows_->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
    layout->addLayout(rows_);
    readInBackground<Examined>(this, examine, [this](const Examined& examined) {
        loaded_ = true;
        waiting_->setVisible(!examined.problem.empty());
        waiting_->setText(tr("Could not be examined: %1").arg(fromText(examined.problem)));
        if (examined.problem.empty()) {
            facts_ = examined.facts;
            show();
        }
    });
}

void ComputerCard::addRow(const QString& name, const QString& value) {
    auto* label = plain(name, this);
    label->setForegroundRole(QPalette::PlaceholderText);
    rows_->addRow(label, plain(value, this));
}

void ComputerCard::addMarked(const QString& name, const QString& value, bool good) {
    auto* label = plain(name, this);
    label->setForegroundRole(QPalette::PlaceholderText);
    auto* row = new QHBoxLayout;
    auto* mark = new QLabel(this);
    mark->setPixmap(meaningIcon(good ? Meaning::Good : Meaning::Caution).pixmap(15, 15));
    row->addWidget(mark, 0, Qt::AlignTop);
    row->setSpacing(8);
    row->addWidget(plain(value, this), 1);
    rows_->addRow(label, row);
}

void ComputerCard::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && rows_->rowCount() > 0) {
        // The marks keep the colours that they were made with. Later: widgets are being walked now.
        QMetaObject::invokeMethod(
            this, [this] { show(); }, Qt::QueuedConnection);
    }
}

void ComputerCard::show() {
    while (rows_->rowCount() > 0) {
        rows_->removeRow(0);
    }
    addRow(tr("Processor"), facts_.processor.empty() ? tr("unknown") : fromText(facts_.processor));
    addRow(tr("Cores"), tr("%1, %2").arg(facts_.cores).arg(fromText(facts_.cpuCapability)));
    addRow(
        tr("Memory"),
        tr("%1 free of %2").arg(bytesText(facts_.freeMemoryBytes), bytesText(facts_.memoryBytes)));
    addRow(tr("Budget up to"), bytesText(facts_.suggestedBudget));
    addRow(tr("Device"), fromText(facts_.device));
    for (const auto& [name, ability] : facts_.precisions) {
        addMarked(fromText(name), fromText(ability), ability == "supported");
    }
    for (const auto& problem : facts_.problems) {
        addMarked(tr("Mind"), fromText(problem), false);
    }
}

}  // namespace receiptbench
