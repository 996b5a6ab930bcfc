#include "ui/state_pane.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace receiptbench {

namespace {

constexpr int kTextWidth = 520, kIconSize = 32;

}  // namespace

StatePane::StatePane(QWidget* parent)
    : QWidget(parent),
      icon_(new QLabel(this)),
      title_(makeTitle({}, this)),
      text_(makeText({}, this)),
      bar_(new QProgressBar(this)),
      button_(new QPushButton(this)) {
    title_->setAlignment(Qt::AlignHCenter);
    text_->setAlignment(Qt::AlignHCenter);
    bar_->setRange(0, 0);
    bar_->setTextVisible(false);
    bar_->setMaximumWidth(kTextWidth / 2);
    button_->setObjectName(QStringLiteral("stateButton"));
    // The texts fill a column of their own: aligned by themselves, wrapped ones would lose lines.
    auto* column = new QVBoxLayout;
    column->setSpacing(12);
    column->addStretch(2);
    column->addWidget(icon_, 0, Qt::AlignHCenter);
    column->addWidget(title_);
    column->addWidget(text_);
    column->addWidget(bar_, 0, Qt::AlignHCenter);
    column->addWidget(button_, 0, Qt::AlignHCenter);
    column->addStretch(3);
    auto* middle = new QWidget(this);
    middle->setMaximumWidth(kTextWidth);
    middle->setLayout(column);
    auto* layout = new QHBoxLayout(this);
    layout->addStretch(1);
    layout->addWidget(middle, 1000);
    layout->addStretch(1);
    connect(button_, &QPushButton::clicked, this, [this] {
        if (act_) {
            act_();
        }
    });
    set({}, {}, {}, false);
}

void StatePane::say(Meaning meaning, const QString& title, const QString& text,
                    const QString& action, std::function<void()> act) {
    icon_->setPixmap(meaningIcon(meaning).pixmap(kIconSize));
    act_ = std::move(act);
    set(title, text, action, false);
}

void StatePane::sayBusy(const QString& title, const QString& text) {
    icon_->clear();
    act_ = {};
    set(title, text, {}, true);
}

QString StatePane::title() const {
    return title_->text();
}

void StatePane::set(const QString& title, const QString& text, const QString& action, bool busy) {
    title_->setText(title);
    text_->setText(text);
    text_->setVisible(!text.isEmpty());
    icon_->setVisible(!busy);
    bar_->setVisible(busy);
    bar_->setAccessibleName(title);
    button_->setText(action);
    button_->setAccessibleName(action.isEmpty() ? tr("Next step") : action);
    button_->setVisible(!action.isEmpty());
}

}  // namespace receiptbench
