// A table as high as its rows, inside a page that scrolls; wide ones scroll sideways.
#pragma once

#include <QTableView>

namespace receiptbench {

class FittedTable : public QTableView {
    Q_OBJECT

 public:
    FittedTable(const char* name, const QString& title, QWidget* parent);
    void setModel(QAbstractItemModel* model) override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    void fit();  // after its columns have changed

 protected:
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

 private:
    int wantedHeight() const;
};

}  // namespace receiptbench
