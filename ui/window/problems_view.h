// What went wrong, each with its remedy and a button that leads there.
#pragma once

#include <QWidget>

#include "ui/session.h"

class QLabel;
class QVBoxLayout;

namespace receiptbench {

class ProblemsView : public QWidget {
    Q_OBJECT

 public:
    explicit ProblemsView(Session& session, QWidget* parent = nullptr);
    int count() const { return count_; }

 Q_SIGNALS:
    void countChanged(int problems);
    void logRequested();

 private:
    void append();
    void clear();
    QWidget* makeRow(const LogLine& line);

    Session& session_;
    QVBoxLayout* rows_;
    QLabel* none_;
    QWidget* clear_;
    std::size_t seen_ = 0;
    int count_ = 0;
};

}  // namespace receiptbench
