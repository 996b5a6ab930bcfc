// The status bar: state, update, time left, memory, device, problems, Stop.
#pragma once

#include <QStatusBar>

#include "ui/session.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace receiptbench {

// How full the budget was at the highest point: the fill, a line for the limit, and the words.
class MemoryGauge : public QWidget {
    Q_OBJECT

 public:
    explicit MemoryGauge(QWidget* parent = nullptr);
    void setPeak(std::int64_t peak, std::int64_t limit);
    QString words() const { return words_; }
    QSize sizeHint() const override;

 protected:
    void paintEvent(QPaintEvent* event) override;

 private:
    std::int64_t peak_ = 0, limit_ = 0;
    QString words_;
};

class StatusLine : public QStatusBar {
    Q_OBJECT

 public:
    explicit StatusLine(Session& session, QWidget* parent = nullptr);
    void setProblems(int count);

 Q_SIGNALS:
    void problemsRequested();

 private:
    void build();
    void refresh();
    void refreshMemory();
    QString progressText() const;

    Session& session_;
    QLabel* icon_;
    QLabel* state_;
    QLabel* job_;
    QLabel* progressWords_;
    QProgressBar* progress_;
    QLabel* left_;
    MemoryGauge* gauge_;
    QLabel* device_;
    QToolButton* problems_;
    QPushButton* stop_;
    std::optional<std::pair<JobState, bool>> shown_;  // state and darkness that the icons are for
    std::size_t counted_ = 0;                         // records whose peaks are in peak_
    std::int64_t peak_ = 0;
};

}  // namespace receiptbench
