// The command line that does the same as the current or last job.
#pragma once

#include <QWidget>

#include "ui/session.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace receiptbench {

class CommandView : public QWidget {
    Q_OBJECT

 public:
    explicit CommandView(Session& session, QWidget* parent = nullptr);
    void copy();

 private:
    void refresh();

    Session& session_;
    QLabel* title_;
    QPlainTextEdit* command_;
    QPushButton* copy_;
};

}  // namespace receiptbench
