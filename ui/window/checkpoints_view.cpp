#include "ui/window/checkpoints_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/theme.h"
#include "ui/window/run_reader.h"

namespace receiptbench {
namespace {

constexpr int kSide = 30, kAxis = 24, kMark = 6, kReach = 12;

enum Column {
    UpdateColumn,
    StateColumn,
    SizeColumn,
    TookColumn,
    WrittenColumn,
    FileColumn,
    Columns
};

std::vector<std::int64_t> resumesOf(const RunHistory& history) {
    std::vector<std::int64_t> updates;
    for (const auto& line : history.resumes) {
        const auto found = line.is_object() ? line.find("update") : line.end();
        if (line.is_object() && found != line.end() && found->is_number_integer()) {
            updates.push_back(found->get<std::int64_t>());
        }
    }
    return updates;
}

}  // namespace

CheckpointLine::CheckpointLine(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setToolTip(tr("Filled: on disk. Hollow: pruned since. Triangle: resumed here."));
}

void CheckpointLine::show(std::vector<CheckpointEntry> checkpoints,
                          std::vector<std::int64_t> resumes, std::int64_t updates) {
    checkpoints_ = std::move(checkpoints);
    resumes_ = std::move(resumes);
    updates_ = updates;
    for (const auto& checkpoint : checkpoints_) {
        updates_ = std::max(updates_, checkpoint.update);
    }
    update();
}

void CheckpointLine::choose(const QString& file) {
    file_ = file;
    update();
}

double CheckpointLine::place(std::int64_t update) const {
    const double share =
        updates_ > 0 ? static_cast<double>(update) / static_cast<double>(updates_) : 0;
    return kSide + share * (width() - 2 * kSide);
}

void CheckpointLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor muted = palette().color(QPalette::PlaceholderText),
                 accent = palette().color(QPalette::Link);
    painter.setPen(QPen(muted, 2));
    painter.drawLine(QPointF(place(0), kAxis), QPointF(place(updates_), kAxis));
    for (const auto resume : resumes_) {
        const double x = place(resume);
        painter.setPen(Qt::NoPen);
        painter.setBrush(meaningColour(Meaning::Caution));
        painter.drawPolygon(QPolygonF({{x - 4, 4}, {x + 5, 8.5}, {x - 4, 13}}));
    }
    double free = 0;  // where the next number may begin
    for (const auto& checkpoint : checkpoints_) {
        const QPointF at(place(checkpoint.update), kAxis);
        const bool chosen = checkpoint.file == file_;
        painter.setPen(QPen(checkpoint.kept ? accent : muted, chosen ? 3 : 1.5));
        painter.setBrush(checkpoint.kept ? accent : palette().color(QPalette::Base));
        painter.drawEllipse(at, chosen ? kMark + 2 : kMark, chosen ? kMark + 2 : kMark);
        const QString number = QString::number(static_cast<qlonglong>(checkpoint.update));
        const double half = fontMetrics().horizontalAdvance(number) / 2.0;
        if (at.x() - half > free || chosen) {
            painter.setPen(palette().color(QPalette::Text));
            painter.drawText(QPointF(at.x() - half, kAxis + kMark + fontMetrics().ascent() + 4),
                             number);
            free = at.x() + half + 6;
        }
    }
}

void CheckpointLine::mousePressEvent(QMouseEvent* event) {
    const CheckpointEntry* nearest = nullptr;
    double distance = kReach;
    for (const auto& checkpoint : checkpoints_) {
        const double away = std::abs(place(checkpoint.update) - event->position().x());
        if (away <= distance) {
            nearest = &checkpoint;
            distance = away;
        }
    }
    if (nearest != nullptr) {
        Q_EMIT chosen(nearest->file);
    }
}

CheckpointsView::CheckpointsView(Session& session, RunReader& reader, QWidget* parent)
    : QWidget(parent),
      session_(session),
      reader_(reader),
      hint_(makeText({}, this)),
      line_(new CheckpointLine(this)),
      list_(new QTreeWidget(this)),
      resume_(new QPushButton(tr("&Resume from here"), this)) {
    build();
    connect(&reader, &RunReader::changed, this, &CheckpointsView::refresh);
    connect(&session, &Session::selectionChanged, this, &CheckpointsView::refresh);
    connect(&session, &Session::jobChanged, this, [this] { selectionChanged(); });
    refresh();
}

void CheckpointsView::build() {
    hint_->setFocusPolicy(Qt::NoFocus);
    list_->setObjectName(QStringLiteral("checkpointsList"));
    list_->setAccessibleName(tr("Checkpoints of the selected run"));
    list_->setHeaderLabels(
        {tr("Update"), tr("State"), tr("Size"), tr("Took"), tr("Written (UTC)"), tr("File")});
    list_->setRootIsDecorated(false);
    list_->setAlternatingRowColors(true);
    list_->setUniformRowHeights(true);
    list_->setFrameShape(QFrame::NoFrame);
    list_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    list_->header()->setSectionsMovable(false);
    list_->header()->setMinimumSectionSize(72);
    resume_->setObjectName(QStringLiteral("checkpointResume"));
    resume_->setAccessibleName(tr("Resume the run from this checkpoint"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(hint_);
    auto* head = new QHBoxLayout;
    head->addWidget(line_, 1);
    head->addWidget(resume_);
    layout->addLayout(head);
    layout->addWidget(list_, 1);
    connect(list_, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* item) {
        if (!filling_ && item != nullptr) {
            session_.selectCheckpoint(session_.selectedRun(), item->text(FileColumn));
        }
    });
    connect(line_, &CheckpointLine::chosen, this, [this](const QString& file) {
        session_.selectCheckpoint(session_.selectedRun(), file);
    });
    connect(resume_, &QPushButton::clicked, this, &CheckpointsView::resumeFromHere);
}

void CheckpointsView::refresh() {
    const auto* reading = reader_.reading();
    const bool some = reading != nullptr && !reading->checkpoints.empty();
    hint_->setVisible(!some);
    list_->setVisible(some);
    line_->setVisible(some);
    resume_->setVisible(some);
    if (some) {
        line_->show(reading->checkpoints, resumesOf(reading->history),
                    reading->history.updates.empty() ? 0 : reading->history.updates.back().update);
        fill(reading->checkpoints);
    } else if (session_.selectedRun().isEmpty()) {
        hint_->setText(tr("Choose a run on the left to see its checkpoints."));
    } else if (reading == nullptr) {
        hint_->setText(tr("Reading the checkpoints of %1…").arg(session_.selectedRun()));
    } else {
        hint_->setText(reading->problem.isEmpty() ? tr("%1 has written no checkpoint yet. One is "
                                                       "saved at each boundary of its contract.")
                                                        .arg(session_.selectedRun())
                                                  : reading->problem);
    }
    selectionChanged();
}

void CheckpointsView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refresh();  // the icons keep the colours that they were made with
    }
}

void CheckpointsView::fill(const std::vector<CheckpointEntry>& checkpoints) {
    filling_ = true;
    list_->clear();
    for (auto entry = checkpoints.rbegin(); entry != checkpoints.rend(); ++entry) {
        auto* item = new QTreeWidgetItem(list_);
        item->setText(UpdateColumn, QString::number(static_cast<qlonglong>(entry->update)));
        item->setText(StateColumn, entry->kept ? tr("on disk") : tr("pruned"));
        item->setIcon(StateColumn, meaningIcon(entry->kept ? Meaning::Good : Meaning::Neutral));
        item->setText(SizeColumn, bytesText(entry->bytes));
        item->setText(TookColumn, tr("%1 ms").arg(numberText(1000 * entry->seconds, 1)));
        item->setText(WrittenColumn,
                      QString(entry->written).replace(QLatin1Char('T'), QLatin1Char(' ')).left(19));
        item->setText(FileColumn, entry->file);
    }
    filling_ = false;
}

void CheckpointsView::selectionChanged() {
    const auto& file = session_.selection().checkpoint;
    line_->choose(file);
    const auto found = file.isEmpty() ? QList<QTreeWidgetItem*>()
                                      : list_->findItems(file, Qt::MatchExactly, FileColumn);
    filling_ = true;
    list_->setCurrentItem(found.isEmpty() ? nullptr : found.first());
    filling_ = false;
    const bool kept = !found.isEmpty() && found.first()->text(StateColumn) == tr("on disk");
    resume_->setEnabled(kept && !session_.busy());
    resume_->setToolTip(kept ? tr("What the run did after this checkpoint no longer counts")
                             : tr("Choose a checkpoint that is on disk"));
}

void CheckpointsView::resumeFromHere() {
    ResumeRequest request;
    request.run = session_.selection().run.toStdString();
    request.checkpoint = session_.selection().checkpoint.toStdString();
    if (session_.startResume(request)) {
        session_.requestMode(Mode::Run);
    }
}

}  // namespace receiptbench
