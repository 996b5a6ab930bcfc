// The right dock: everything known of the selected run, update or checkpoint.
#pragma once

#include <QWidget>

#include "ui/session.h"
#include "ui/window/inspector_facts.h"

class QLabel;
class QSpinBox;
class QTreeWidget;

namespace receiptbench {

class RunReader;

class Inspector : public QWidget {
    Q_OBJECT

 public:
    Inspector(Session& session, RunReader& reader, QWidget* parent = nullptr);

 protected:
    void changeEvent(QEvent* event) override;

 private:
    void build();
    void buildFacts();
    void refresh();
    void showNothing(const QString& hint);
    void showGroups(const QString& title, const std::vector<FactGroup>& groups);
    const UpdateRecord* selectedUpdate() const;
    void offerUpdates();
    void copyCurrent();

    Session& session_;
    RunReader& reader_;
    QLabel* title_;
    QLabel* hint_;
    QWidget* updateRow_;
    QSpinBox* update_;
    QTreeWidget* facts_;
};

}  // namespace receiptbench
