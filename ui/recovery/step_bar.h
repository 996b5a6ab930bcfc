// The time line of a replay: numbered stations, each with its name. Arrow keys, Home, End and the
// mouse move along it.
#pragma once

#include <QStringList>
#include <QWidget>

#include "ui/theme.h"

namespace receiptbench {

class StepBar : public QWidget {
    Q_OBJECT

 public:
    explicit StepBar(QWidget* parent);

    void setSteps(const QStringList& names, const std::vector<Meaning>& meanings);
    void setCurrent(int step);
    int current() const { return current_; }
    int count() const { return static_cast<int>(names_.size()); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

 Q_SIGNALS:
    void currentRequested(int step);

 protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

 private:
    double centre(int step) const;
    void paintStation(QPainter& painter, int step) const;

    QStringList names_;
    std::vector<Meaning> meanings_;
    int current_ = 0;
};

}  // namespace receiptbench
