// Spreads the replots of all plots: one plot a tick, none more than ten times a second.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <vector>

class QWidget;

namespace receiptbench {

class ReplotQueue : public QObject {
    Q_OBJECT

 public:
    static ReplotQueue& instance();

    void add(QWidget* plot, std::function<void()> replot);
    void remove(QWidget* plot);
    // Replotted once it is visible and its turn has come.
    void ask(QWidget* plot);

 private:
    struct Waiting {
        QWidget* plot;
        std::function<void()> replot;
        bool asked = false;
        QElapsedTimer last;
    };

    explicit ReplotQueue(QObject* parent);
    void tick();

    QTimer timer_;
    std::vector<Waiting> waiting_;
    std::size_t next_ = 0;
};

}  // namespace receiptbench
