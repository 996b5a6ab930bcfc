#include "ui/window/log_view.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>

#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr int kLines = 10000;  // older ones are in the runs' own logs

QString lineText(const LogLine& line) {
    QString text = line.time + QStringLiteral("  ") +
                   (line.problem ? LogView::tr("problem: ") : QString()) + line.text;
    if (!line.remedy.isEmpty()) {
        text += QStringLiteral(" — ") + line.remedy;
    }
    return text;
}

}  // namespace

LogView::LogView(Session& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      text_(new QPlainTextEdit(this)),
      follow_(new QPushButton(tr("&Follow the end"), this)) {
    text_->setReadOnly(true);
    text_->setMaximumBlockCount(kLines);
    text_->setObjectName(QStringLiteral("logText"));
    text_->setAccessibleName(tr("Log"));
    text_->setFrameShape(QFrame::NoFrame);
    text_->setPlaceholderText(tr("Nothing has happened yet. What jobs do is said here."));
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    follow_->setObjectName(QStringLiteral("logFollow"));
    follow_->setAccessibleName(tr("Follow the end of the log"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(text_, 1);
    layout->addWidget(follow_, 0, Qt::AlignRight);
    connect(follow_, &QPushButton::clicked, this, [this] {
        text_->verticalScrollBar()->setValue(text_->verticalScrollBar()->maximum());
    });
    connect(text_->verticalScrollBar(), &QScrollBar::valueChanged, this, &LogView::showFollowing);
    connect(&session, &Session::logged, this, &LogView::append);
    append();
    showFollowing();
}

bool LogView::atEnd() const {
    const auto* bar = text_->verticalScrollBar();
    return bar->value() >= bar->maximum();
}

// appendPlainText itself keeps the view where it is unless it stands at the end.
void LogView::append() {
    const auto& log = session_.log();
    for (; shown_ < log.size(); ++shown_) {
        text_->appendPlainText(lineText(log[shown_]));
    }
    showFollowing();
}

void LogView::showFollowing() {
    follow_->setVisible(!atEnd());
}

}  // namespace receiptbench
