#include "ui/plots/replot_queue.h"

#include <QCoreApplication>
#include <QWidget>

#include <algorithm>

namespace receiptbench {
namespace {

constexpr int kTickMilliseconds = 20;
constexpr qint64 kApartMilliseconds = 100;  // 10 Hz: more is not seen

}  // namespace

ReplotQueue& ReplotQueue::instance() {
    static auto* queue = new ReplotQueue(QCoreApplication::instance());
    return *queue;
}

ReplotQueue::ReplotQueue(QObject* parent) : QObject(parent) {
    timer_.setInterval(kTickMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &ReplotQueue::tick);
}

void ReplotQueue::add(QWidget* plot, std::function<void()> replot) {
    waiting_.push_back({plot, std::move(replot), false, {}});
}

void ReplotQueue::remove(QWidget* plot) {
    std::erase_if(waiting_, [plot](const Waiting& entry) { return entry.plot == plot; });
}

void ReplotQueue::ask(QWidget* plot) {
    for (auto& entry : waiting_) {
        if (entry.plot == plot) {
            entry.asked = true;
        }
    }
    if (!timer_.isActive()) {
        timer_.start();
    }
}

void ReplotQueue::tick() {
    bool later = false;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const auto place = (next_ + i) % waiting_.size();
        auto& entry = waiting_[place];
        // A hidden plot asks again when it is shown.
        if (!entry.asked || !entry.plot->isVisible() || entry.plot->window()->isMinimized()) {
            continue;
        }
        if (entry.last.isValid() && entry.last.elapsed() < kApartMilliseconds) {
            later = true;
            continue;
        }
        entry.asked = false;
        entry.last.start();
        next_ = place + 1;
        entry.replot();
        return;
    }
    if (!later) {
        timer_.stop();
    }
}

}  // namespace receiptbench
