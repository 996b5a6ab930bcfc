// The drills done so far, each with its verdict.
#pragma once

#include <QWidget>

#include <vector>

#include "core/workbench/drill.h"

class QLabel;
class QListWidget;
class QPushButton;

namespace receiptbench {

class DrillList : public QWidget {
    Q_OBJECT

 public:
    explicit DrillList(QWidget* parent);

    void show(std::vector<DrillResult> drills);  // keeps the selection
    void select(const std::string& folder);
    const DrillResult* selected() const;

 Q_SIGNALS:
    void replayRequested();
    void selectionChanged();

 private:
    void updateButton();

    std::vector<DrillResult> drills_;
    QLabel* summary_;
    QListWidget* list_;
    QPushButton* replay_;
};

}  // namespace receiptbench
