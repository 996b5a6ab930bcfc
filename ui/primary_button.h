// The one button of a page that most people want: white on Okabe–Ito's blue, 5.2:1 on every ground.
#pragma once

#include <QPushButton>

namespace receiptbench {

class PrimaryButton : public QPushButton {
    Q_OBJECT

 public:
    explicit PrimaryButton(const QString& text, QWidget* parent = nullptr);

 protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace receiptbench
