#include "ui/data/rejects_view.h"

#include <QAbstractTableModel>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

QString plain(const std::string& text) {
    return QString::fromStdString(printable(text));
}

class RejectsModel : public QAbstractTableModel {
 public:
    RejectsModel(std::vector<Reject> rejects, QObject* parent)
        : QAbstractTableModel(parent), rejects_(std::move(rejects)) {}

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(rejects_.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : 4;
    }
    QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) {
            return {};
        }
        const auto text = cell(rejects_[static_cast<std::size_t>(index.row())], index.column());
        return role == Qt::DisplayRole ? text : text.toHtmlEscaped();
    }
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        static const char* const kNames[] = {
            QT_TRANSLATE_NOOP("receiptbench::RejectsView", "File"),
            QT_TRANSLATE_NOOP("receiptbench::RejectsView", "Line"),
            QT_TRANSLATE_NOOP("receiptbench::RejectsView", "Reason"),
            QT_TRANSLATE_NOOP("receiptbench::RejectsView", "In detail")};
        return orientation == Qt::Horizontal && role == Qt::DisplayRole
                   ? QVariant(RejectsView::tr(kNames[section]))
                   : QVariant();
    }

 private:
    static QString cell(const Reject& reject, int column) {
        switch (column) {
            case 0:
                return plain(reject.path);
            case 1:
                return reject.line > 0 ? QString::number(reject.line) : QString();
            case 2:
                return plain(toString(reject.reason));
            default:
                return plain(reject.message);
        }
    }
    std::vector<Reject> rejects_;
};

}  // namespace

RejectsView::RejectsView(QWidget* parent)
    : QWidget(parent), summary_(makeText({}, this)), table_(new QTableView(this)) {
    summary_->setFocusPolicy(Qt::NoFocus);
    summary_->setObjectName(QStringLiteral("rejectsSummary"));
    table_->setObjectName(QStringLiteral("rejectsTable"));
    table_->setAccessibleName(tr("Rejected files"));
    table_->setShowGrid(false);
    table_->setAlternatingRowColors(true);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setTabKeyNavigation(false);
    table_->setTextElideMode(Qt::ElideMiddle);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    auto* back = new QPushButton(tr("&Back"), this);
    back->setObjectName(QStringLiteral("closeRejects"));
    back->setAccessibleName(tr("Back to the photos"));
    auto* row = new QHBoxLayout;
    row->addWidget(summary_, 1);
    row->addWidget(back);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    layout->addLayout(row);
    layout->addWidget(table_, 1);
    connect(back, &QPushButton::clicked, this, &RejectsView::closed);
}

void RejectsView::show(std::vector<Reject> rejects) {
    const auto count = rejects.size();
    summary_->setText(
        count == 0
            ? tr("No file was rejected.")
            : tr("%1 files were not taken: %2.").arg(count).arg(plain(countByReason(rejects))));
    auto* before = table_->model();
    table_->setModel(new RejectsModel(std::move(rejects), table_));
    delete before;
    table_->setColumnWidth(0, 300);
    table_->setColumnWidth(1, 60);
    table_->setColumnWidth(2, 130);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setFocus();
}

void RejectsView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        Q_EMIT closed();
        return;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace receiptbench
