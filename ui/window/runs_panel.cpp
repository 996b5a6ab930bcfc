#include "ui/window/runs_panel.h"

#include <QAction>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/mode_icons.h"
#include "ui/theme.h"
#include "ui/window/runs_model.h"

namespace receiptbench {
namespace {

constexpr int kRowHeight = 54, kTick = 18, kMargin = 10;

// Two lines a run: tick, colour, name and state; precision, loss and memory below.
class RunDelegate : public QStyledItemDelegate {
 public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {option.rect.width(), std::max(kRowHeight, 2 * option.fontMetrics.height() + 22)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        drawGround(*painter, option);
        drawTick(*painter, option, index);
        const QRect field = option.rect.adjusted(kMargin + kTick + 10, 0, -kMargin, 0);
        painter->setPen(Qt::NoPen);
        painter->setBrush(index.data(RunsModel::ColourRole).value<QColor>());
        painter->drawRoundedRect(QRectF(field.left(), field.top() + 12, 4, field.height() - 24), 2,
                                 2);
        drawWords(*painter, option, index, field.adjusted(12, 9, 0, -9));
        painter->restore();
    }

 protected:
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override {
        const bool key = event->type() == QEvent::KeyPress &&
                         static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
        const bool click = event->type() == QEvent::MouseButtonRelease &&
                           tickRect(option)
                               .adjusted(-8, -8, 8, 8)
                               .contains(static_cast<QMouseEvent*>(event)->pos());
        if (!key && !click) {
            return false;
        }
        const bool drawn = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        return model->setData(index, drawn ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
    }

 private:
    static QRect tickRect(const QStyleOptionViewItem& option) {
        return {option.rect.left() + kMargin, option.rect.center().y() - kTick / 2, kTick, kTick};
    }
    static void drawGround(QPainter& painter, const QStyleOptionViewItem& option) {
        const bool chosen = option.state & QStyle::State_Selected;
        QColor accent = option.palette.color(QPalette::Link);
        const QRectF field = QRectF(option.rect).adjusted(4, 2, -4, -2);
        if (chosen || (option.state & QStyle::State_MouseOver)) {
            QColor ground = accent;
            ground.setAlphaF(chosen ? 0.16F : 0.07F);
            painter.setPen(Qt::NoPen);
            painter.setBrush(ground);
            painter.drawRoundedRect(field, 6, 6);
        }
        if (option.state & QStyle::State_HasFocus) {
            painter.setPen(QPen(accent, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(field.adjusted(1, 1, -1, -1), 6, 6);
        }
    }
    static void drawTick(QPainter& painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) {
        QStyleOptionViewItem tick = option;
        tick.rect = tickRect(option);
        tick.state &= ~(QStyle::State_HasFocus | QStyle::State_On | QStyle::State_Off);
        tick.state |= index.data(Qt::CheckStateRole).toInt() == Qt::Checked ? QStyle::State_On
                                                                            : QStyle::State_Off;
        option.widget->style()->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &tick,
                                              &painter, option.widget);
    }
    // Below the name, smaller: precision and loss on the left, memory on the right.
    static void drawWords(QPainter& painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index, const QRect& field) {
        const auto state = static_cast<RunState>(index.data(RunsModel::StateRole).toInt());
        const int line = option.fontMetrics.height();
        const QString word = runStateWord(state);
        const int wordWidth = option.fontMetrics.horizontalAdvance(word);
        QRect top(field.left(), field.top(), field.width(), line);
        painter.setFont(option.font);
        painter.setPen(runStateColour(state));
        painter.drawText(top, Qt::AlignRight | Qt::AlignVCenter, word);
        runStateIcon(state).paint(
            &painter, QRect(top.right() - wordWidth - 18, top.top() + (line - 13) / 2, 13, 13));
        top.setRight(top.right() - wordWidth - 24);
        const QColor muted = option.palette.color(QPalette::PlaceholderText);
        QFont bold = option.font;
        bold.setBold(true);
        const QString name = index.data(RunsModel::NameRole).toString();
        drawElided(painter, bold, option.palette.color(QPalette::Text), name, top);
        top.setLeft(top.left() + QFontMetrics(bold).horizontalAdvance(name) + 7);
        QFont small = option.font;
        small.setPointSizeF(0.92 * small.pointSizeF());
        drawElided(painter, small, muted, index.data(RunsModel::KindRole).toString(), top);

        QRect bottom(field.left(), field.bottom() - line + 1, field.width(), line);
        const QString peak = index.data(RunsModel::PeakRole).toString();
        painter.setFont(small);
        painter.setPen(muted);
        painter.drawText(bottom, Qt::AlignRight | Qt::AlignVCenter, peak);
        bottom.setRight(bottom.right() - QFontMetrics(small).horizontalAdvance(peak) - 8);
        drawElided(painter, small, muted, index.data(RunsModel::DetailRole).toString(), bottom);
    }
    static void drawElided(QPainter& painter, const QFont& font, const QColor& colour,
                           const QString& text, const QRect& field) {
        if (field.width() > 0) {
            painter.setFont(font);
            painter.setPen(colour);
            painter.drawText(field, Qt::AlignLeft | Qt::AlignVCenter,
                             QFontMetrics(font).elidedText(text, Qt::ElideRight, field.width()));
        }
    }
};

}  // namespace

RunsPanel::RunsPanel(Session& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      shown_(new QSortFilterProxyModel(this)),
      filter_(new QLineEdit(this)),
      list_(new QListView(this)),
      hint_(makeText({}, this)) {
    shown_->setSourceModel(new RunsModel(session, this));
    shown_->setFilterRole(RunsModel::SearchRole);
    shown_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    filter_->setPlaceholderText(tr("Filter runs"));
    filter_->setAccessibleName(tr("Filter runs"));
    filter_->setObjectName(QStringLiteral("runsFilter"));
    filter_->setClearButtonEnabled(true);
    hint_->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    hint_->setContentsMargins(16, 24, 16, 16);
    buildList();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(filter_);
    layout->addWidget(hint_);
    layout->addWidget(list_, 1);

    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        choosing_ = true;  // a run that the filter hides stays the chosen one
        shown_->setFilterFixedString(text);
        selectionFromSession();
    });
    connect(&session, &Session::selectedRunChanged, this, &RunsPanel::selectionFromSession);
    connect(&session, &Session::projectChanged, this, &RunsPanel::showHint);
    connect(shown_, &QAbstractItemModel::modelReset, this, &RunsPanel::selectionFromSession);
    connect(shown_, &QAbstractItemModel::layoutChanged, this, &RunsPanel::showHint);
    selectionFromSession();
}

void RunsPanel::buildList() {
    list_->setObjectName(QStringLiteral("runsList"));
    list_->setAccessibleName(tr("Runs of the project"));
    list_->setModel(shown_);
    list_->setItemDelegate(new RunDelegate(list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setMouseTracking(true);
    list_->setUniformItemSizes(true);
    list_->setContextMenuPolicy(Qt::ActionsContextMenu);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &RunsPanel::selectionToSession);
    connect(list_, &QListView::activated, this, [this] { session_.requestMode(Mode::Run); });
}

void RunsPanel::setRunActions(const QList<QAction*>& actions) {
    list_->addActions(actions);
}

void RunsPanel::selectionFromSession() {
    choosing_ = true;
    const auto found = shown_->match(shown_->index(0, 0), RunsModel::NameRole,
                                     session_.selectedRun(), 1, Qt::MatchExactly);
    list_->setCurrentIndex(found.isEmpty() ? QModelIndex() : found.first());
    choosing_ = false;
    showHint();
}

void RunsPanel::selectionToSession() {
    const auto name = list_->currentIndex().data(RunsModel::NameRole).toString();
    if (!choosing_ && !name.isEmpty()) {
        session_.selectRun(name);
    }
}

void RunsPanel::showHint() {
    const bool none = session_.runs().empty();
    hint_->setText(session_.project() == nullptr ? tr("No project is open.")
                   : none ? tr("No runs yet. Configure one (Ctrl+2) and start it.")
                          : tr("No run fits the filter."));
    hint_->setVisible(shown_->rowCount() == 0);
    list_->setVisible(shown_->rowCount() > 0);
}

}  // namespace receiptbench
