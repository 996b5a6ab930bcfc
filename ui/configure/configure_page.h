// Values for an experiment, what they would need, and the buttons that freeze, plan and start it.
#pragma once

#include <QPointer>
#include <QWidget>

#include <map>
#include <vector>

#include "ui/configure/form_fields.h"
#include "ui/configure/project_facts.h"
#include "ui/session.h"
#include "ui/theme.h"

class QComboBox;
class QLabel;
class QLayout;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTabBar;

namespace receiptbench {

class BudgetSlider;
class FieldGrid;
class FieldRow;
class PeakBar;
class PlanTable;
class StatePane;

class ConfigurePage : public QWidget {
    Q_OBJECT

 public:
    ConfigurePage(Session& session, QWidget* parent);

    // What the buttons send.
    FreezeRequest freezeRequest() const { return form_.freeze; }
    TrainRequest trainRequest() const { return form_.train; }
    PlanOptions planOptions() const;
    bool isLoading() const { return loading_; }

 public Q_SLOTS:
    void startEstimate();
    void startFreeze();
    void startPlan();
    void startTraining();

 protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

 private:
    struct Measured {  // by an estimate, before freezing
        PlanResult plan;
        std::int64_t suggestedBudget = 0;
        ExperimentContract contract;  // as it was then
    };

    // configure_layout.cpp
    void build();
    QWidget* makeHead();
    QWidget* makeJobRow();
    QWidget* makeFormSide();
    QWidget* makeResultSide();
    QWidget* makeMeasuredCard();
    QLayout* makeMeasuredHead(QWidget* card);
    QWidget* makeRunCard();
    QWidget* makeCommandRow();
    FieldGrid* makeGroup(FieldGroup group, const QString& title, QWidget* parent);
    void connectSession();

    // configure_page.cpp
    void projectChanged();
    void jobChanged();
    void load();
    void loaded(const ConfigureFacts& facts);
    void edited(FieldRow* row);
    void choosePreset(int index);
    void setBudget(qlonglong bytes);
    void importImages();
    void copyCommand();
    FieldRow* rowOf(const char* name) const;
    bool problemIn(bool runFields) const;
    const Measured* measured(Precision precision) const;
    const PlanResult* shownPlan() const;
    std::optional<FieldProblem> problemAt(const FieldRow& row) const;

    // configure_view.cpp: what is shown follows from the form, the facts and the session.
    void refresh();
    bool sayState();
    void showRows(const FieldRow* except);
    void showHead();
    void showJob();
    void showTabs();
    void showMeasured();
    QString measuredNote() const;
    QString earlierNote() const;
    void showBar();
    void showButtons();
    QString whyNotFreeze() const;
    QString whyNotStart() const;
    void showCommand();

    Session& session_;
    ExperimentForm form_;
    ConfigureFacts facts_;
    std::map<Precision, Measured> estimates_;
    std::vector<FieldRow*> rows_;
    std::vector<FieldGrid*> grids_;

    QStackedWidget* stack_ = nullptr;
    StatePane* state_ = nullptr;
    QWidget *work_ = nullptr, *jobRow_ = nullptr;
    QSplitter* splitter_ = nullptr;
    QLabel *headIcon_ = nullptr, *head_ = nullptr, *hash_ = nullptr, *jobIcon_ = nullptr,
           *jobText_ = nullptr, *presetHelp_ = nullptr, *note_ = nullptr, *earlier_ = nullptr,
           *freezeNote_ = nullptr, *startNote_ = nullptr, *cardTitle_ = nullptr,
           *commandTitle_ = nullptr;
    QProgressBar* bar_ = nullptr;
    QPushButton *import_ = nullptr, *stop_ = nullptr, *estimate_ = nullptr, *plan_ = nullptr,
                *freeze_ = nullptr, *start_ = nullptr, *useBudget_ = nullptr, *copy_ = nullptr;
    QComboBox* preset_ = nullptr;
    QWidget *presetRow_ = nullptr, *freezeRow_ = nullptr;
    BudgetSlider* slider_ = nullptr;
    QTabBar* tabs_ = nullptr;
    PeakBar* peak_ = nullptr;
    PlanTable* table_ = nullptr;
    QPlainTextEdit* command_ = nullptr;

    std::uint64_t asked_ = 0;  // the newest reading; older ones are dropped
    bool stale_ = true, loading_ = false, wasBusy_ = false, own_ = false;
    QString failure_;  // of the last job that this page started
};

}  // namespace receiptbench
