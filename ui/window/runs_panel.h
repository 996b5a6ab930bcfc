// The dock of runs: filter, tick what is drawn, choose one.
#pragma once

#include <QLineEdit>
#include <QListView>
#include <QSortFilterProxyModel>
#include <QWidget>

#include "ui/session.h"

class QLabel;
class QMenu;

namespace receiptbench {

class RunsPanel : public QWidget {
    Q_OBJECT

 public:
    explicit RunsPanel(Session& session, QWidget* parent = nullptr);
    QLineEdit* filter() const { return filter_; }
    // What can be done with the selected run; owned by the window.
    void setRunActions(const QList<QAction*>& actions);

 private:
    void buildList();
    void selectionFromSession();
    void selectionToSession();
    void showHint();

    Session& session_;
    QSortFilterProxyModel* shown_;
    QLineEdit* filter_;
    QListView* list_;
    QLabel* hint_;
    bool choosing_ = false;  // a selection is being carried over: not an act of the user
};

}  // namespace receiptbench
