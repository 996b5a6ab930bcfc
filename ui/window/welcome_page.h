// The first page: the example, one's own images, recent projects, this computer.
#pragma once

#include <QFrame>
#include <QWidget>

#include "ui/session.h"

class QLabel;
class QListWidget;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace receiptbench {

// Where a folder or a manifest may be dropped; a project's folder too.
class DropArea : public QFrame {
    Q_OBJECT

 public:
    explicit DropArea(QWidget* parent = nullptr);

 Q_SIGNALS:
    void dropped(const QString& path);

 protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

 private:
    bool over_ = false;
};

class WelcomePage : public QWidget {
    Q_OBJECT

 public:
    explicit WelcomePage(Session& session, QWidget* parent = nullptr);
    void setExampleRequest(const DemoRequest& request) { example_ = request; }
    // Starts the example in a fresh folder below the user's data, or in the one named.
    bool startExample(const QString& folder = {});
    // A project's folder is opened, anything else imported after asking where to.
    void openOrImport(const QString& path);
    bool open(const QString& folder);
    void askForImport(const QString& source);
    void askForProject();
    void focusFirst();

 private:
    QWidget* buildContent();
    QWidget* buildExample();
    QWidget* buildImages();
    QWidget* buildRecent();
    QWidget* buildState();
    void refreshRecent();
    void refreshState();

    Session& session_;
    DemoRequest example_;
    QPushButton* try_ = nullptr;
    QListWidget* recent_ = nullptr;
    QLabel* noRecent_ = nullptr;
    QFrame* state_ = nullptr;
    QLabel* stateIcon_ = nullptr;
    QLabel* stateText_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QString refused_;  // why the last project was not opened
};

}  // namespace receiptbench
