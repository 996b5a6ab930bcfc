// A table's head in two rows: the group above, its columns below.
#pragma once

#include <QHeaderView>

#include <functional>

namespace receiptbench {

class GroupedHeader : public QHeaderView {
    Q_OBJECT

 public:
    GroupedHeader(int groupSize, std::function<QString(int group)> title, QWidget* parent);
    QSize sizeHint() const override;

 protected:
    void paintEvent(QPaintEvent* event) override;
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;

 private:
    int groupSize_;
    std::function<QString(int)> title_;
};

}  // namespace receiptbench
