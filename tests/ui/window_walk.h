// Walks over everything that a window shows: its texts, its actions, what can have the focus.
#pragma once

#include <QAbstractButton>
#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace receiptbench {

inline void addModelTexts(const QAbstractItemModel* model, const QModelIndex& parent,
                          QStringList& texts) {
    if (model == nullptr) {
        return;
    }
    for (int row = 0; row < model->rowCount(parent); ++row) {
        for (int column = 0; column < model->columnCount(parent); ++column) {
            const auto at = model->index(row, column, parent);
            texts << at.data(Qt::DisplayRole).toString()
                  << at.data(Qt::AccessibleTextRole).toString();
            if (column == 0) {
                addModelTexts(model, at, texts);
            }
        }
    }
}

// What stands on every visible widget below, in a fixed order.
inline QStringList visibleTexts(const QWidget& window) {
    QStringList texts;
    for (const auto* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible()) {
            continue;
        }
        if (const auto* label = qobject_cast<const QLabel*>(widget)) {
            texts << label->text();
        } else if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
            texts << button->text();
        } else if (const auto* line = qobject_cast<const QLineEdit*>(widget)) {
            texts << line->text();
        } else if (const auto* spin = qobject_cast<const QAbstractSpinBox*>(widget)) {
            texts << spin->text();
        } else if (const auto* plain = qobject_cast<const QPlainTextEdit*>(widget)) {
            texts << plain->toPlainText();
        } else if (const auto* rich = qobject_cast<const QTextEdit*>(widget)) {
            texts << rich->toPlainText();
        } else if (const auto* view = qobject_cast<const QAbstractItemView*>(widget)) {
            addModelTexts(view->model(), {}, texts);
        }
    }
    texts.removeAll(QString());
    return texts;
}

// "QPushButton 'objectName'" of what can have the focus and has no name for a screen reader.
inline QStringList namelessWidgets(const QWidget& window) {
    QStringList nameless;
    for (auto* widget : window.findChildren<QWidget*>()) {
        // Parts of Qt's own widgets; a combo box's list is its popup.
        const auto* label = qobject_cast<const QLabel*>(widget);
        const bool silent = label != nullptr && label->text().isEmpty();  // nothing to read out
        const bool inner = widget->objectName().startsWith(QStringLiteral("qt_")) ||
                           widget->inherits("QComboBoxListView");
        if (inner || silent || widget->focusPolicy() == Qt::NoFocus ||
            widget->focusProxy() != nullptr) {
            continue;
        }
        auto* seen = QAccessible::queryAccessibleInterface(widget);
        if (seen == nullptr || seen->text(QAccessible::Name).trimmed().isEmpty()) {
            nameless << QStringLiteral("%1 '%2' in %3")
                            .arg(QString::fromLatin1(widget->metaObject()->className()),
                                 widget->objectName(),
                                 widget->parentWidget() != nullptr
                                     ? widget->parentWidget()->objectName()
                                     : QString());
        }
    }
    return nameless;
}

// The actions of a menu and its submenus that do something.
inline QList<QAction*> leafActions(const QMenu* menu) {
    QList<QAction*> leaves;
    for (auto* action : menu->actions()) {
        if (action->menu() != nullptr) {
            leaves << leafActions(action->menu());
        } else if (!action->isSeparator()) {
            leaves << action;
        }
    }
    return leaves;
}

}  // namespace receiptbench
