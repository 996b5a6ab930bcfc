// A new project: which images, and where the project goes. Nothing is ever written beside the
// images.
#pragma once

#include <QDialog>

#include "core/data/import.h"

class QCheckBox;
class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;

namespace receiptbench {

class ImportDialog : public QDialog {
    Q_OBJECT

 public:
    explicit ImportDialog(const QString& source, QWidget* parent = nullptr);
    QString folder() const;
    ImportOptions options() const;

 private:
    void build();
    QLayout* buildForm();
    void check();
    void suggestFolder();
    void chooseFile();
    void chooseFolder(QLineEdit* into);

    QLineEdit* source_;
    QLineEdit* folder_;
    QCheckBox* derive_;
    QLabel* problem_;
    QPushButton* import_ = nullptr;
    QString suggested_;
};

}  // namespace receiptbench
