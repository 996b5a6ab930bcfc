// Steps through the stored result of a finished drill, by hand or by itself.
#pragma once

#include <QTimer>
#include <QWidget>

#include "ui/recovery/replay_steps.h"

class QLabel;
class QPushButton;
class QStackedWidget;
class QTableWidget;

namespace receiptbench {

class FolderView;
class StepBar;

class ReplayView : public QWidget {
    Q_OBJECT

 public:
    explicit ReplayView(QWidget* parent);

    void show(const DrillResult& drill);
    // They follow later: read from the two ledgers.
    void showReceipts(const DrillReceipts& receipts);
    void setWaiting(const QString& why);  // where the receipts would stand
    const DrillResult& drill() const { return drill_; }
    const std::vector<ReplayStep>& steps() const { return steps_; }
    int current() const;

 public Q_SLOTS:
    void go(int step);
    void play(bool on);

 Q_SIGNALS:
    void closed();

 protected:
    void changeEvent(QEvent* event) override;

 private:
    void build();
    QWidget* makeHead();
    QWidget* makeFoot();
    void rebuildSteps(const DrillReceipts* receipts);
    void present(bool animated);
    void fillTable(const ReplayStep& step, bool animated);
    void revealRows();
    void updateFoot();

    DrillResult drill_;
    std::vector<ReplayStep> steps_;
    QString waiting_;
    QLabel *title_ = nullptr, *icon_ = nullptr, *head_ = nullptr, *text_ = nullptr,
           *count_ = nullptr;
    StepBar* bar_ = nullptr;
    QStackedWidget* content_ = nullptr;
    FolderView* folder_ = nullptr;
    QTableWidget* table_ = nullptr;
    QPushButton *back_ = nullptr, *next_ = nullptr, *play_ = nullptr;
    QTimer playing_, revealing_;
    int revealed_ = 0;
};

}  // namespace receiptbench
