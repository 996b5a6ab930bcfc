#include "ui/window/command_view.h"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>

#include "ui/theme.h"

namespace receiptbench {

CommandView::CommandView(Session& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      title_(makeText({}, this)),
      command_(new QPlainTextEdit(this)),
      copy_(new QPushButton(tr("Cop&y"), this)) {
    title_->setFocusPolicy(Qt::NoFocus);
    command_->setReadOnly(true);
    command_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    command_->setObjectName(QStringLiteral("commandText"));
    command_->setAccessibleName(tr("Equal command line"));
    copy_->setObjectName(QStringLiteral("commandCopy"));
    copy_->setAccessibleName(tr("Copy the command line"));
    auto* head = new QHBoxLayout;
    head->addWidget(title_, 1);
    head->addWidget(copy_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 8, 10, 8);
    layout->addLayout(head);
    layout->addWidget(command_, 1);
    connect(copy_, &QPushButton::clicked, this, &CommandView::copy);
    connect(&session, &Session::jobChanged, this, &CommandView::refresh);
    connect(&session, &Session::projectChanged, this, &CommandView::refresh);
    refresh();
}

void CommandView::copy() {
    if (!session_.commandLine().isEmpty()) {
        QApplication::clipboard()->setText(session_.commandLine());
    }
}

void CommandView::refresh() {
    const QString command = session_.commandLine();
    if (command_->toPlainText() != command) {  // a selection in it survives progress
        command_->setPlainText(command);
    }
    const QString job = session_.job().title;
    title_->setText(command.isEmpty()
                        ? (job.isEmpty()
                               ? tr("Each job has an equal command line: it will stand here.")
                               : tr("%1 has no command line of its own.").arg(job))
                    : job.isEmpty() ? tr("The same from a terminal:")
                                    : tr("%1, from a terminal:").arg(job));
    copy_->setEnabled(!command.isEmpty());
}

}  // namespace receiptbench
