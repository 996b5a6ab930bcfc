// The values at a plot's cursor, in a place that stays where it is while they change.
#pragma once

#include <QColor>
#include <QWidget>

#include <vector>

namespace receiptbench {

class ReadOut : public QWidget {
    Q_OBJECT

 public:
    struct Item {
        QColor colour;  // invalid: no mark
        QString name, value;
        bool dashed = false;
        bool operator==(const Item&) const = default;
    };

    explicit ReadOut(QWidget* parent);
    void show(std::vector<Item> items);
    QString text() const;  // "update 3, loss 0.5"

 protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

 private:
    int lineHeight() const;
    int columns() const;
    void fit();

    std::vector<Item> items_;
    int itemWidth_ = 0;  // of the widest one so far
};

}  // namespace receiptbench
