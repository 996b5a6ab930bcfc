// Choose a point in a run's checkpoint write, let a real child die there, and see recovery step by
// step.
#pragma once

#include <QPointer>
#include <QWidget>

#include <set>

#include "ui/recovery/tape_facts.h"
#include "ui/session.h"
#include "ui/theme.h"

class QButtonGroup;
class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace receiptbench {

class DrillList;
class ReplayView;
class StatePane;
class TapeModel;
class TapeStrip;

class RecoveryPage : public QWidget {
    Q_OBJECT

 public:
    RecoveryPage(Session& session, QWidget* parent);

    const DrillPoint& point() const { return point_; }
    std::int64_t update() const;  // whose checkpoint write is cut; 0: none
    void choosePoint(const DrillPoint& point);

 public Q_SLOTS:
    void simulateCrash();
    void replaySelected();

 protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

 private:
    void build();
    QWidget* makeHead();
    QWidget* makeWorkshop();
    QWidget* makePointRow();
    QWidget* makeRunningRow();
    void makeTable();
    void connectSession();

    void refresh();  // what is shown follows from the session and what has been read
    void fillRuns();
    void projectChanged();
    void jobChanged();
    void drillsChanged();
    QString runKey() const;  // changes with the run and its updates
    void startReading();
    void tapeRead(const TapeFacts& facts);
    void startReceipts();
    void showPoint();
    void showJob();
    void sayOutcome(Meaning meaning, const QString& text);
    void markMatrix();
    void fitTable();

    Session& session_;
    TapeModel* model_ = nullptr;
    QComboBox *runs_ = nullptr, *updates_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    StatePane* state_ = nullptr;
    QWidget *workshop_ = nullptr, *running_ = nullptr, *outcomeRow_ = nullptr;
    TapeStrip* strip_ = nullptr;
    QTableView* table_ = nullptr;
    QSplitter* splitter_ = nullptr;
    QButtonGroup* when_ = nullptr;
    QLabel *pointLabel_ = nullptr, *outcome_ = nullptr, *outcomeIcon_ = nullptr, *stage_ = nullptr,
           *matrix_ = nullptr;
    QProgressBar* bar_ = nullptr;
    QPushButton *crash_ = nullptr, *stop_ = nullptr;
    DrillList* drills_ = nullptr;
    ReplayView* replay_ = nullptr;

    enum class Reading { Nothing, Tape, Receipts };
    Reading reading_ = Reading::Nothing;
    QString readingKey_;                  // of the tape being read
    QString readKey_;                     // of the tape that is shown
    QString failedKey_, error_, remedy_;  // of the tape that could not be read
    std::string receiptsOf_;       // drill folder whose receipts are shown or could not be read
    std::set<std::string> known_;  // drill folders, to tell the new one
    bool drilling_ = false, wasBusy_ = false;
    DrillPoint point_;
};

}  // namespace receiptbench
