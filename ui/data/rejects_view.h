// The files that were not taken, each with its reason.
#pragma once

#include <QWidget>

#include <vector>

#include "core/data/import.h"

class QLabel;
class QTableView;

namespace receiptbench {

class RejectsView : public QWidget {
    Q_OBJECT

 public:
    explicit RejectsView(QWidget* parent);
    void show(std::vector<Reject> rejects);

 Q_SIGNALS:
    void closed();

 protected:
    void keyPressEvent(QKeyEvent* event) override;

 private:
    QLabel* summary_;
    QTableView* table_;
};

}  // namespace receiptbench
