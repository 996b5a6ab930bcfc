// What the precision modes changed against the fp32 baseline: verdicts, changes near the threshold,
// and the rules behind them.
#pragma once

#include <QWidget>

#include <optional>

#include "ui/session.h"
#include "ui/theme.h"

class QLabel;
class QPushButton;
class QScrollArea;
class QStackedWidget;

namespace receiptbench {

class ChangesModel;
class FittedTable;
class RulesModel;
class StatePane;
class VerdictsModel;

class ComparePage : public QWidget {
    Q_OBJECT

 public:
    ComparePage(Session& session, QWidget* parent);

    // Finished runs that the shown comparison does not hold.
    QStringList missing() const;

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    // compare_layout.cpp
    void build();
    QWidget* makeHead();
    QWidget* makeContent();
    void makeTables(QWidget* content);

    void refresh();
    void showComparison();
    void showState();
    bool hasBaseline() const;
    void chooseRun();
    void openPhotos(const QModelIndex& index);
    void copy(const std::string& text, const QString& what);

    Session& session_;
    QStackedWidget* stack_ = nullptr;
    StatePane* state_ = nullptr;
    QScrollArea* content_ = nullptr;
    QPushButton *compare_ = nullptr, *csv_ = nullptr, *markdown_ = nullptr;
    QWidget* staleRow_ = nullptr;
    QLabel *staleIcon_ = nullptr, *stale_ = nullptr, *copied_ = nullptr, *words_ = nullptr,
           *rulesTitle_ = nullptr, *notes_ = nullptr, *small_ = nullptr;
    VerdictsModel* verdicts_ = nullptr;
    ChangesModel* changes_ = nullptr;
    RulesModel* rules_ = nullptr;
    FittedTable *verdictsTable_ = nullptr, *changesTable_ = nullptr, *rulesTable_ = nullptr;
    QString error_, remedy_;
};

}  // namespace receiptbench
