#include "ui/configure/field_row.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr int kEditorHeight = 30;

QString bare(const QString& label) {
    return QString(label).remove(u'&');
}

// Looks like a link, and is reached and pressed by key as a button is.
QPushButton* makeLink(QWidget* parent) {
    auto* link = new QPushButton(parent);
    link->setFlat(true);
    link->setCursor(Qt::PointingHandCursor);
    auto font = link->font();
    font.setUnderline(true);
    link->setFont(font);
    return link;
}

}  // namespace

FieldRow::FieldRow(const FieldSpec& spec, QWidget* parent) : QWidget(parent), spec_(spec) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    makeEditor();
    makeProblem();
    if (spec.kind != FieldKind::Tick) {
        auto* label = new QLabel(spec.label, this);
        label->setBuddy(editor());
        label->setToolTip(spec.help);
        layout->addWidget(label);
        editor()->setMinimumHeight(kEditorHeight);
    }
    layout->addWidget(editor());
    layout->addWidget(problemBox_);
    layout->addStretch();
    editor()->setObjectName(QStringLiteral("field-") + QString::fromStdString(spec.name));
    editor()->setAccessibleName(bare(spec.label));
    editor()->setToolTip(spec.help);
    describe();
}

QWidget* FieldRow::editor() const {
    return line_ != nullptr    ? static_cast<QWidget*>(line_)
           : combo_ != nullptr ? static_cast<QWidget*>(combo_)
                               : static_cast<QWidget*>(check_);
}

void FieldRow::makeEditor() {
    switch (spec_.kind) {
        case FieldKind::Line:
            line_ = new QLineEdit(this);
            line_->setPlaceholderText(spec_.placeholder);
            connect(line_, &QLineEdit::textEdited, this, &FieldRow::edited);
            break;
        case FieldKind::Choice:
            combo_ = new QComboBox(this);
            combo_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
            combo_->setMinimumContentsLength(8);
            combo_->setFocusPolicy(Qt::StrongFocus);
            connect(combo_, &QComboBox::activated, this, &FieldRow::edited);
            break;
        case FieldKind::Tick:
            check_ = new QCheckBox(spec_.label, this);
            connect(check_, &QCheckBox::clicked, this, &FieldRow::edited);
            break;
    }
}

void FieldRow::makeProblem() {
    problemBox_ = new QWidget(this);
    problemIcon_ = new QLabel(problemBox_);
    problem_ = new QLabel(problemBox_);
    problem_->setTextFormat(Qt::PlainText);
    problem_->setWordWrap(true);
    problem_->setObjectName(QStringLiteral("problem-") + QString::fromStdString(spec_.name));
    fix_ = makeLink(problemBox_);
    fix_->setObjectName(QStringLiteral("fix-") + QString::fromStdString(spec_.name));
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(problem_);
    words->addWidget(fix_, 0, Qt::AlignLeft);
    auto* row = new QHBoxLayout(problemBox_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    row->addWidget(problemIcon_, 0, Qt::AlignTop);
    row->addLayout(words, 1);
    connect(fix_, &QPushButton::clicked, this, &FieldRow::fix);
    say({});
}

QString FieldRow::text() const {
    if (line_ != nullptr) {
        return line_->text().trimmed();
    }
    if (combo_ != nullptr) {
        return combo_->currentText();
    }
    return check_->isChecked() ? QStringLiteral("yes") : QStringLiteral("no");
}

void FieldRow::setText(const QString& text) {
    const QSignalBlocker quiet(editor());
    if (line_ != nullptr) {
        line_->setText(text);
        line_->setCursorPosition(0);
    } else if (combo_ != nullptr) {
        combo_->setCurrentIndex(combo_->findText(text));
    } else {
        check_->setChecked(text == QLatin1String("yes"));
    }
}

void FieldRow::showForm(const ExperimentForm& form) {
    if (combo_ != nullptr) {
        const auto choices = spec_.choices(form);
        QStringList shown;
        for (int i = 0; i < combo_->count(); ++i) {
            shown << combo_->itemText(i);
        }
        if (shown != choices) {
            const QSignalBlocker quiet(combo_);
            combo_->clear();
            combo_->addItems(choices);
        }
    }
    const auto wanted = spec_.get(form);
    auto trial = form;  // "0.0020" means what is stored: it is left as it was typed
    if (line_ == nullptr || !spec_.set(trial, text()).isEmpty() || spec_.get(trial) != wanted) {
        setText(wanted);
    }
}

void FieldRow::say(const std::optional<FieldProblem>& problem) {
    hasProblem_ = problem.has_value();
    proposal_ = problem ? problem->proposal : QString();
    problemIcon_->setPixmap(meaningIcon(Meaning::Bad).pixmap(16));
    auto colours = palette();
    colours.setColor(QPalette::WindowText, meaningColour(Meaning::Bad));
    problem_->setPalette(colours);
    problem_->setText(problem ? problem->message : QString());
    const auto shown = proposal_ == QLatin1String("yes")  ? tr("Switch it on")
                       : proposal_ == QLatin1String("no") ? tr("Switch it off")
                                                          : tr("Use %1").arg(proposal_);
    fix_->setText(tr("Fix: %1").arg(shown));
    fix_->setAccessibleName(tr("Fix %1: %2").arg(bare(spec_.label), shown));
    auto link = palette();
    link.setColor(QPalette::ButtonText, link.color(QPalette::Link));
    fix_->setPalette(link);
    fix_->setVisible(!proposal_.isEmpty());
    problemBox_->setVisible(hasProblem_);
    if (line_ != nullptr) {  // a frame of its own, beside the icon and the words
        line_->setStyleSheet(
            hasProblem_ ? QStringLiteral("QLineEdit { border: 2px solid %1; border-radius: 3px; "
                                         "padding: 2px 4px; }")
                              .arg(meaningColour(Meaning::Bad).name())
                        : QString());
    }
    describe();
}

void FieldRow::fix() {
    setText(proposal_);
    editor()->setFocus(Qt::OtherFocusReason);
    Q_EMIT edited();
}

void FieldRow::setLocked(bool locked) {
    locked_ = locked;
    if (line_ != nullptr) {
        line_->setReadOnly(locked);  // still to be read and copied
        auto colours = palette();
        if (locked) {
            colours.setColor(QPalette::Base, colours.color(QPalette::Window));
        }
        line_->setPalette(colours);
    } else {
        editor()->setEnabled(!locked);
    }
    describe();
}

void FieldRow::describe() {
    editor()->setAccessibleDescription(hasProblem_ ? problem_->text()
                                       : locked_
                                           ? tr("Locked by the frozen contract. %1").arg(spec_.help)
                                           : spec_.help);
}

void FieldRow::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && problem_ != nullptr) {
        setLocked(locked_);
        if (hasProblem_) {
            say(FieldProblem{problem_->text(), proposal_});
        }
    }
}

}  // namespace receiptbench
