// One facet: its values with how many photos each would show, one of them chosen.
#pragma once

#include <QStringList>
#include <QWidget>

#include <cstdint>
#include <vector>

class QLabel;
class QListWidget;

namespace receiptbench {

class FacetList : public QWidget {
    Q_OBJECT

 public:
    FacetList(const QString& title, QWidget* parent);

    void setTitle(const QString& title);
    // all: for the first row, "all", which is no choice.
    void show(const QStringList& values, const std::vector<std::int64_t>& counts, std::int64_t all,
              int choice);
    int choice() const;                   // -1: all
    std::int64_t count(int value) const;  // as shown; -1: all

 Q_SIGNALS:
    void chosen(int value);  // by the user

 protected:
    void changeEvent(QEvent* event) override;

 private:
    void fit();
    QLabel* title_;
    QListWidget* list_;
};

}  // namespace receiptbench
