// The session's log as text: follows its end until the reader scrolls up.
#pragma once

#include <QWidget>

#include "ui/session.h"

class QPlainTextEdit;
class QPushButton;

namespace receiptbench {

class LogView : public QWidget {
    Q_OBJECT

 public:
    explicit LogView(Session& session, QWidget* parent = nullptr);
    QPlainTextEdit* text() const { return text_; }

 private:
    void append();
    bool atEnd() const;
    void showFollowing();

    Session& session_;
    QPlainTextEdit* text_;
    QPushButton* follow_;
    std::size_t shown_ = 0;
};

}  // namespace receiptbench
