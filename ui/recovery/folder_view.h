// The checkpoint folder as cards, one a file: name, size as a bar, state as icon and word. What
// changes from one step to the next moves, so that the eye follows it.
#pragma once

#include <QVariantAnimation>
#include <QWidget>

#include <vector>

#include "ui/recovery/replay_steps.h"

namespace receiptbench {

class FolderView : public QWidget {
    Q_OBJECT

 public:
    explicit FolderView(QWidget* parent);

    void show(const std::vector<FileCard>& files, bool animated);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

 protected:
    void paintEvent(QPaintEvent* event) override;

 private:
    const FileCard* earlier(const FileCard& file) const;
    void paintCard(QPainter& painter, const QRectF& box, const FileCard& file) const;
    void paintBar(QPainter& painter, const QRectF& bar, const FileCard& file) const;

    std::vector<FileCard> files_, earlier_;
    QVariantAnimation animation_;
    double progress_ = 1;
};

}  // namespace receiptbench
