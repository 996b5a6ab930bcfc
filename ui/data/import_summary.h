// What was imported and is not frozen yet: classes, warnings, and the step that comes next.
#pragma once

#include <QWidget>

#include "core/workbench/gallery.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace receiptbench {

class ImportSummary : public QWidget {
    Q_OBJECT

 public:
    explicit ImportSummary(QWidget* parent);
    void show(const Gallery& gallery);

 Q_SIGNALS:
    void freezeWanted();
    void rejectsWanted();

 private:
    QLabel *title_, *text_, *warnings_;
    QTableWidget* classes_;
    QPushButton *rejects_, *freeze_;
};

}  // namespace receiptbench
