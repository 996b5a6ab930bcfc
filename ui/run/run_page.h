// One run while it trains and afterwards: its plots, the proof before it, and how it ended.
#pragma once

#include <QWidget>

#include "ui/session.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace receiptbench {

class RunPlots;
class RunRecords;
class StatePane;
struct LedgerReading;
struct Sentence;

class RunPage : public QWidget {
    Q_OBJECT

 public:
    RunPage(Session& session, QWidget* parent);

    QString shownRun() const { return shown_; }  // empty: none
    RunPlots& plots() { return *plots_; }

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    // run_layout.cpp
    void build();
    QWidget* makeHead();
    QWidget* makeFacts();
    QWidget* makeJobRow();
    QWidget* makeEndRow();

    void connectSession();
    void refresh();
    void liveReset();
    void chooseRun();
    void fillRuns();
    void proposePrecision();
    void showState();
    bool showContent(const LedgerReading* reading);
    void showFacts(const LedgerReading* reading);
    void showJob();
    void showButtons();
    void redraw();
    void grown(const QString& run);
    void start();
    void resume();
    const RunOverview* overview() const;  // of the shown run; null before it is listed
    RunPlan plan() const;
    std::int64_t memoryLimit() const;
    bool trainsNow() const;

    Session& session_;
    RunRecords* records_;
    QString shown_;
    QString drawnKey_;  // of what the plots show
    bool precisionChosen_ = false;
    QStackedWidget* stack_ = nullptr;
    StatePane* state_ = nullptr;
    QWidget *content_ = nullptr, *jobRow_ = nullptr, *endRow_ = nullptr;
    QComboBox *runs_ = nullptr, *precision_ = nullptr;
    QLabel *stateIcon_ = nullptr, *stateWord_ = nullptr, *plan_ = nullptr, *progress_ = nullptr;
    QLabel *checkIcon_ = nullptr, *check_ = nullptr, *jobText_ = nullptr, *endIcon_ = nullptr,
           *end_ = nullptr;
    QProgressBar* bar_ = nullptr;
    QCheckBox* follow_ = nullptr;
    QPushButton *start_ = nullptr, *stop_ = nullptr, *resume_ = nullptr;
    QPushButton *compare_ = nullptr, *recovery_ = nullptr, *report_ = nullptr;
    RunPlots* plots_ = nullptr;
};

}  // namespace receiptbench
