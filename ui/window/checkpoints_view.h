// The selected run's checkpoints: on a time line and as a list.
#pragma once

#include <QWidget>

#include "ui/session.h"
#include "ui/window/inspector_facts.h"

class QLabel;
class QPushButton;
class QTreeWidget;

namespace receiptbench {

class RunReader;

// One mark for each checkpoint over the updates of the run: filled while it is on disk, hollow once
// pruned; resumes as triangles.
class CheckpointLine : public QWidget {
    Q_OBJECT

 public:
    explicit CheckpointLine(QWidget* parent = nullptr);
    void show(std::vector<CheckpointEntry> checkpoints, std::vector<std::int64_t> resumes,
              std::int64_t updates);
    void choose(const QString& file);
    QSize sizeHint() const override { return {320, 56}; }
    QSize minimumSizeHint() const override { return {160, 56}; }

 Q_SIGNALS:
    void chosen(const QString& file);

 protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

 private:
    double place(std::int64_t update) const;

    std::vector<CheckpointEntry> checkpoints_;
    std::vector<std::int64_t> resumes_;
    std::int64_t updates_ = 0;
    QString file_;
};

class CheckpointsView : public QWidget {
    Q_OBJECT

 public:
    CheckpointsView(Session& session, RunReader& reader, QWidget* parent = nullptr);

 protected:
    void changeEvent(QEvent* event) override;

 private:
    void build();
    void refresh();
    void fill(const std::vector<CheckpointEntry>& checkpoints);
    void selectionChanged();
    void resumeFromHere();

    Session& session_;
    RunReader& reader_;
    QLabel* hint_;
    CheckpointLine* line_;
    QTreeWidget* list_;
    QPushButton* resume_;
    bool filling_ = false;
};

}  // namespace receiptbench
