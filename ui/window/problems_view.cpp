#include "ui/window/problems_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/mode_icons.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr int kIcon = 20;
constexpr int kMostRows = 200;  // the log has them all

}  // namespace

ProblemsView::ProblemsView(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setAccessibleName(tr("Problems"));
    auto* inside = new QWidget(area);
    rows_ = new QVBoxLayout(inside);
    rows_->setContentsMargins(10, 8, 10, 8);
    none_ = makeText(tr("No problems. What goes wrong is listed here, with a way on."), inside);
    none_->setFocusPolicy(Qt::NoFocus);
    rows_->addWidget(none_);
    rows_->addStretch(1);
    area->setWidget(inside);
    auto* clear = new QPushButton(tr("C&lear the list"), this);
    clear->setObjectName(QStringLiteral("problemsClear"));
    clear->setAccessibleName(tr("Clear the list of problems"));
    clear->hide();
    clear_ = clear;
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(area, 1);
    layout->addWidget(clear, 0, Qt::AlignRight);
    connect(clear, &QPushButton::clicked, this, &ProblemsView::clear);
    connect(&session, &Session::logged, this, &ProblemsView::append);
    append();
}

// The newest comes first.
void ProblemsView::append() {
    const auto& log = session_.log();
    const int before = count_;
    for (; seen_ < log.size(); ++seen_) {
        if (log[seen_].problem) {
            rows_->insertWidget(0, makeRow(log[seen_]));
            ++count_;
        }
    }
    while (count_ > kMostRows) {  // below the rows: the sentence for an empty list, and the stretch
        delete rows_->takeAt(rows_->count() - 3)->widget();
        --count_;
    }
    none_->setVisible(count_ == 0);
    clear_->setVisible(count_ > 0);
    if (count_ != before) {
        Q_EMIT countChanged(count_);
    }
}

void ProblemsView::clear() {
    while (count_ > 0) {
        rows_->takeAt(0)->widget()->deleteLater();
        --count_;
    }
    none_->show();
    clear_->hide();
    Q_EMIT countChanged(0);
}

QWidget* ProblemsView::makeRow(const LogLine& line) {
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 4, 0, 4);
    auto* icon = new QLabel(row);
    icon->setPixmap(meaningIcon(Meaning::Bad).pixmap(kIcon, kIcon));
    icon->setFixedWidth(kIcon + 6);
    auto* words = makeText(
        line.text + (line.remedy.isEmpty() ? QString() : QLatin1Char('\n') + line.remedy), row);
    words->setAccessibleName(tr("Problem at %1").arg(line.time));
    auto* time = new QLabel(line.time, row);
    const bool leads = line.fixAt.has_value();
    auto* button =
        new QPushButton(leads ? tr("Go to %1").arg(modeName(*line.fixAt)) : tr("Show in log"), row);
    button->setObjectName(QStringLiteral("problemButton"));
    button->setAccessibleName(tr("%1, for the problem of %2").arg(button->text(), line.time));
    layout->addWidget(icon, 0, Qt::AlignTop);
    layout->addWidget(words, 1);
    layout->addWidget(time, 0, Qt::AlignTop);
    layout->addWidget(button, 0, Qt::AlignTop);
    connect(button, &QPushButton::clicked, this, [this, mode = line.fixAt] {
        if (mode) {
            session_.requestMode(*mode);
        } else {
            Q_EMIT logRequested();
        }
    });
    return row;
}

}  // namespace receiptbench
