// A card of fields, in as many columns as there is room for; fields that do not apply leave no
// hole.
#pragma once

#include <QFrame>

#include <vector>

class QGridLayout;

namespace receiptbench {

class FieldRow;

class FieldGrid : public QFrame {
    Q_OBJECT

 public:
    FieldGrid(const QString& title, QWidget* parent);
    void add(FieldRow* row);
    void addWide(QWidget* widget);  // below the fields, over the whole width
    void arrange();                 // after a field was shown or hidden

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    QGridLayout* grid_;
    std::vector<FieldRow*> rows_;
    std::vector<FieldRow*> placed_;
    int columns_ = 0;
};

}  // namespace receiptbench
