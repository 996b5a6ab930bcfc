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

    // Those of `run` first. Keeps the selection.
    void show(std::vector<DrillResult> drills, const std::string& run);
    void select(const std::string& folder);
    const DrillResult* selected() const;

 Q_SIGNALS:
    void replayRequested();
    void selectionChanged();

 protected:
    void changeEvent(QEvent* event) override;

 private:
    void fill();
    void updateButton();

    std::vector<DrillResult> drills_;
    QLabel* summary_;
    QListWidget* list_;
    QPushButton* replay_;
};

}  // namespace receiptbench
