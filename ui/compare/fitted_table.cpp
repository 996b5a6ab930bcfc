#include "ui/compare/fitted_table.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include "ui/cells.h"

namespace receiptbench {

FittedTable::FittedTable(const char* name, const QString& title, QWidget* parent)
    : QTableView(parent) {
    setObjectName(QString::fromLatin1(name));
    setAccessibleName(title);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setShowGrid(false);
    setAlternatingRowColors(true);
    setItemDelegate(new RoomyDelegate(this));
    setTabKeyNavigation(false);
    setWordWrap(false);
    setIconSize({16, 16});
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 12);
    horizontalHeader()->setHighlightSections(false);
}

void FittedTable::setModel(QAbstractItemModel* model) {
    QTableView::setModel(model);
    connect(model, &QAbstractItemModel::modelReset, this, &FittedTable::fit);
    fit();
}

void FittedTable::fit() {
    resizeColumnsToContents();
    updateGeometry();
}

int FittedTable::wantedHeight() const {
    const int rows = model() == nullptr ? 0 : model()->rowCount();
    return horizontalHeader()->sizeHint().height() + rows * verticalHeader()->defaultSectionSize() +
           horizontalScrollBar()->sizeHint().height() + 2 * frameWidth();
}

QSize FittedTable::sizeHint() const {
    return {QTableView::sizeHint().width(), wantedHeight()};
}
QSize FittedTable::minimumSizeHint() const {
    return {240, wantedHeight()};
}

void FittedTable::keyPressEvent(QKeyEvent* event) {
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) &&
        currentIndex().isValid()) {
        Q_EMIT activated(currentIndex());
        return;
    }
    QTableView::keyPressEvent(event);
}

// Up and down scroll the page.
void FittedTable::wheelEvent(QWheelEvent* event) {
    if (event->angleDelta().x() == 0) {
        event->ignore();
        return;
    }
    QTableView::wheelEvent(event);
}

}  // namespace receiptbench
