// One field of the form: its words, its editor, and below it what is wrong with a way out.
#pragma once

#include <QWidget>

#include "ui/configure/form_fields.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace receiptbench {

class FieldRow : public QWidget {
    Q_OBJECT

 public:
    FieldRow(const FieldSpec& spec, QWidget* parent);
    const FieldSpec& spec() const { return spec_; }
    QString text() const;
    void setText(const QString& text);  // says nothing
    // Shows what the form says, without disturbing a text that means the same.
    void showForm(const ExperimentForm& form);
    void say(const std::optional<FieldProblem>& problem);
    bool hasProblem() const { return hasProblem_; }
    void setLocked(bool locked);
    QWidget* editor() const;

 Q_SIGNALS:
    void edited();

 protected:
    void changeEvent(QEvent* event) override;

 private:
    void makeEditor();
    void makeProblem();
    void fix();
    void describe();

    const FieldSpec& spec_;
    QLineEdit* line_ = nullptr;
    QComboBox* combo_ = nullptr;
    QCheckBox* check_ = nullptr;
    QWidget* problemBox_ = nullptr;
    QLabel *problemIcon_ = nullptr, *problem_ = nullptr;
    QPushButton* fix_ = nullptr;
    QString proposal_;
    bool hasProblem_ = false, locked_ = false;
};

}  // namespace receiptbench
