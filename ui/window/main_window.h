// The window: mode bar, pages, docks, menus, status bar. Knows of pages only how to make them.
#pragma once

#include <QKeySequence>
#include <QMainWindow>
#include <functional>
#include <map>

#include "ui/session.h"

class QAction;
class QDockWidget;
class QMenu;
class QStackedWidget;

namespace receiptbench {

class AppearanceKeeper;
class BottomPanel;
class ModeBar;
class RunReader;
class RunsPanel;
class StatusLine;
class WelcomePage;

using PageFactory = std::function<QWidget*(Session&, QWidget*)>;
using PageFactories =
    std::map<Mode, PageFactory>;  // every page but Welcome, which is the window's own

class MainWindow : public QMainWindow {
    Q_OBJECT

 public:
    // appearance: may be null (then the menu has no choice of light and dark).
    MainWindow(Session& session, PageFactories pages, AppearanceKeeper* appearance = nullptr,
               QWidget* parent = nullptr);

    WelcomePage* welcome() const { return welcome_; }
    Mode mode() const { return mode_; }
    void setMode(Mode mode);
    QWidget* page(Mode mode);  // made when first asked for

 protected:
    // During a job: stops it at the boundary, and closes once it has saved.
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    using Act = std::function<void()>;

    void buildFrame();
    QDockWidget* addDock(const QString& title, const char* name, QWidget* content,
                         Qt::DockWidgetArea area);
    void restoreLayout();
    void saveLayout();
    void connectSession();
    void makeRemainingPages();
    void refreshDocks();
    void refreshActions();
    void refreshTitle();
    void closeWhenIdle();
    void showTab(int tab);
    void focusNextPane();

    // main_window_actions.cpp
    void buildMenus();
    void buildFileMenu();
    void buildRunMenu();
    void buildViewMenu();
    void buildPanelCommands(QMenu* menu);
    void buildAppearanceMenu(QMenu* view);
    void buildHelpMenu();
    QAction* addCommand(QMenu* menu, const QString& text, const QKeySequence& keys,
                        const char* name, Act act);
    QAction* addToggle(QMenu* menu, const QString& text, const QKeySequence& keys, const char* name,
                       bool on);
    void fillRecentMenu(QMenu* menu);
    void resumeSelected();
    void drillSelected();
    void showShortcuts();
    void showAbout();

    Session& session_;
    PageFactories factories_;
    AppearanceKeeper* appearance_;
    Mode mode_ = Mode::Welcome;
    std::map<Mode, QWidget*> pages_;
    QStackedWidget* stack_ = nullptr;
    ModeBar* modes_ = nullptr;
    WelcomePage* welcome_ = nullptr;
    RunReader* reader_ = nullptr;
    RunsPanel* runs_ = nullptr;
    BottomPanel* panel_ = nullptr;
    StatusLine* status_ = nullptr;
    QDockWidget* runsDock_ = nullptr;
    QDockWidget* inspectorDock_ = nullptr;
    QDockWidget* panelDock_ = nullptr;
    std::map<std::string, QAction*> actions_;  // by object name
    bool inspectorForced_ = false;             // wanted although the window is narrow
    bool closing_ = false;
};

}  // namespace receiptbench
