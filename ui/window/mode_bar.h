// The window's left edge: one button with picture and word for each page.
#pragma once

#include <QAbstractButton>
#include <QWidget>
#include <map>

#include "ui/session.h"

namespace receiptbench {

class ModeButton : public QAbstractButton {
    Q_OBJECT

 public:
    ModeButton(Mode mode, const QString& shortcut, QWidget* parent);
    QSize sizeHint() const override;

 protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

 private:
    Mode mode_;
};

class ModeBar : public QWidget {
    Q_OBJECT

 public:
    explicit ModeBar(QWidget* parent = nullptr);
    void setMode(Mode mode);

 Q_SIGNALS:
    void modeChosen(receiptbench::Mode mode);

 protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

 private:
    void moveFocus(int step);
    std::map<Mode, ModeButton*> buttons_;
};

}  // namespace receiptbench
