// What a page shows instead of its content: empty, loading or failed, in words and with the next
// step.
#pragma once

#include <QWidget>

#include <functional>

#include "ui/theme.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace receiptbench {

class StatePane : public QWidget {
    Q_OBJECT

 public:
    explicit StatePane(QWidget* parent);

    // action: the button's words; empty: no button.
    void say(Meaning meaning, const QString& title, const QString& text, const QString& action = {},
             std::function<void()> act = {});
    void sayBusy(const QString& title, const QString& text);
    QString title() const;

 private:
    void set(const QString& title, const QString& text, const QString& action, bool busy);

    QLabel *icon_, *title_, *text_;
    QProgressBar* bar_;
    QPushButton* button_;
    std::function<void()> act_;
};

}  // namespace receiptbench
