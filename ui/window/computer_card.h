// "This computer": processor, memory, precisions and a budget, examined off the UI thread.
#pragma once

#include <QFrame>

#include "core/workbench/demo.h"

class QFormLayout;
class QLabel;

namespace receiptbench {

class ComputerCard : public QFrame {
    Q_OBJECT

 public:
    explicit ComputerCard(QWidget* parent = nullptr);
    bool loaded() const { return loaded_; }

 protected:
    void changeEvent(QEvent* event) override;

 private:
    void show();
    void addRow(const QString& name, const QString& value);
    void addMarked(const QString& name, const QString& value, bool good);

    QLabel* waiting_;
    QFormLayout* rows_;
    ComputerFacts facts_;
    bool loaded_ = false;
};

// A frame with a title, as the cards of the welcome page have it.
QFrame* styleCard(QFrame* card);
QLabel* makeCardTitle(const QString& text, QWidget* parent);

}  // namespace receiptbench
