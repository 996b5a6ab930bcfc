// The call tape as a picture: the calls in a row, below them what exists and what a power cut would
// leave of it, and the chosen crash point. The table beside it holds the same in words, so that the
// strip itself needs no keyboard.
#pragma once

#include <QWidget>

#include "ui/recovery/tape_facts.h"

namespace receiptbench {

class TapeStrip : public QWidget {
    Q_OBJECT

 public:
    explicit TapeStrip(QWidget* parent);

    void show(const std::vector<FileCall>& tape);
    void choose(const DrillPoint& point);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

 Q_SIGNALS:
    void chosen(const receiptbench::DrillPoint& point);

 protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

 private:
    QRectF cell(std::size_t at) const;
    QRectF lane(int number, std::int64_t firstIndex, std::int64_t lastIndex) const;
    double pointX() const;
    void paintCalls(QPainter& painter) const;
    void paintLanes(QPainter& painter) const;
    void paintBar(QPainter& painter, const QRectF& bar, const QString& words, bool durable) const;
    void paintPoint(QPainter& painter) const;

    std::vector<FileCall> tape_;
    std::vector<double> edges_;  // of the calls, as shares of the width
    DrillPoint point_;
};

}  // namespace receiptbench
