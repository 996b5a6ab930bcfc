#include "ui/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QLayout>
#include <QPainter>
#include <QScreen>
#include <QStackedWidget>
#include <QTimer>
#include <QToolBar>

#include "ui/mode_icons.h"
#include "ui/pages.h"
#include "ui/theme.h"
#include "ui/window/bottom_panel.h"
#include "ui/window/dock_title.h"
#include "ui/window/inspector.h"
#include "ui/window/mode_bar.h"
#include "ui/window/problems_view.h"
#include "ui/window/run_reader.h"
#include "ui/window/runs_panel.h"
#include "ui/window/status_line.h"
#include "ui/window/welcome_page.h"
#include "ui/window/window_settings.h"

namespace receiptbench {
namespace {

constexpr QSize kUsualSize(1440, 900), kSmallest(900, 620);
constexpr int kInspectorFrom = 1240;  // narrower windows keep their width for the page
constexpr int kRunsDock = 290, kInspectorDock = 310, kBottomDock = 220, kNarrowestDock = 220;

// Without the style's gradient and margins.
class EdgeBar : public QToolBar {
 public:
    EdgeBar(const QString& title, QWidget* parent) : QToolBar(title, parent) {
        setMovable(false);
        setFloatable(false);
        layout()->setContentsMargins(0, 0, 0, 0);
    }

 protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).fillRect(rect(), palette().color(QPalette::Window));
    }
};

// In the order in which Tab would reach it.
QWidget* firstFocusable(QWidget* pane) {
    if (pane->focusPolicy() & Qt::TabFocus) {
        return pane;
    }
    for (auto* child : pane->findChildren<QWidget*>()) {
        if ((child->focusPolicy() & Qt::TabFocus) && child->isVisible() && child->isEnabled()) {
            return child;
        }
    }
    return nullptr;
}

}  // namespace

MainWindow::MainWindow(Session& session, PageFactories pages, AppearanceKeeper* appearance,
                       QWidget* parent)
    : QMainWindow(parent),
      session_(session),
      factories_(std::move(pages)),
      appearance_(appearance) {
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(applicationIcon());
    setContextMenuPolicy(Qt::NoContextMenu);
    setMinimumSize(kSmallest);
    buildFrame();
    buildMenus();
    connectSession();
    restoreLayout();
    setMode(Mode::Welcome);
    refreshTitle();
    refreshActions();
    welcome_->focusFirst();
    QTimer::singleShot(0, this, &MainWindow::makeRemainingPages);
}

void MainWindow::buildFrame() {
    reader_ = new RunReader(session_, this);
    modes_ = new ModeBar(this);
    auto* edge = new EdgeBar(tr("Pages"), this);
    edge->setObjectName(QStringLiteral("modeBar"));
    edge->addWidget(modes_);
    addToolBar(Qt::LeftToolBarArea, edge);

    stack_ = new QStackedWidget(this);
    setCentralWidget(stack_);
    welcome_ = static_cast<WelcomePage*>(makeWelcomePage(session_, stack_));
    pages_[Mode::Welcome] = welcome_;
    stack_->addWidget(welcome_);

    runs_ = new RunsPanel(session_, this);
    panel_ = new BottomPanel(session_, *reader_, this);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    runsDock_ = addDock(tr("Runs"), "runsDock", runs_, Qt::LeftDockWidgetArea);
    inspectorDock_ = addDock(tr("Inspector"), "inspectorDock",
                             new Inspector(session_, *reader_, this), Qt::RightDockWidgetArea);
    panelDock_ = addDock(tr("Details"), "detailsDock", panel_, Qt::BottomDockWidgetArea);

    giveCloseButtonOnly(panelDock_, panel_);
    status_ = new StatusLine(session_, this);
    setStatusBar(status_);
    status_->setProblems(panel_->problems()->count());
    connect(panel_->problems(), &ProblemsView::countChanged, status_, &StatusLine::setProblems);
    connect(status_, &StatusLine::problemsRequested, this,
            [this] { showTab(BottomPanel::ProblemsTab); });
    connect(modes_, &ModeBar::modeChosen, this, &MainWindow::setMode);
}

QDockWidget* MainWindow::addDock(const QString& title, const char* name, QWidget* content,
                                 Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(QString::fromLatin1(name));
    dock->setAccessibleName(title);
    content->setMinimumWidth(kNarrowestDock);
    dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable);
    dock->setWidget(content);
    giveTitle(dock);
    dock->installEventFilter(this);
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::connectSession() {
    connect(&session_, &Session::modeRequested, this, &MainWindow::setMode);
    connect(&session_, &Session::photosRequested, this,
            [this](const QString& title, const std::vector<std::int64_t>& ids) {
                const bool made = pages_.count(Mode::Data) > 0;
                setMode(Mode::Data);
                if (!made) {
                    session_.requestPhotos(title, ids);  // the page was not there yet to hear it
                }
            });
    connect(&session_, &Session::projectChanged, this, &MainWindow::refreshTitle);
    for (const auto signal : {&Session::projectChanged, &Session::runsChanged, &Session::jobChanged,
                              &Session::selectedRunChanged}) {
        connect(&session_, signal, this, &MainWindow::refreshActions);
    }
    connect(&session_, &Session::jobChanged, this, &MainWindow::closeWhenIdle,
            Qt::QueuedConnection);
}

// The window is on screen before its heavier pages are made, one at a time.
void MainWindow::makeRemainingPages() {
    for (const auto& [mode, factory] : factories_) {
        if (pages_.count(mode) == 0) {
            page(mode);
            QTimer::singleShot(0, this, &MainWindow::makeRemainingPages);
            return;
        }
    }
}

QWidget* MainWindow::page(Mode mode) {
    if (const auto found = pages_.find(mode); found != pages_.end()) {
        return found->second;
    }
    const auto factory = factories_.find(mode);
    if (factory == factories_.end()) {
        return nullptr;
    }
    auto* made = factory->second(session_, stack_);
    pages_[mode] = made;
    stack_->addWidget(made);
    return made;
}

void MainWindow::setMode(Mode mode) {
    auto* wanted = page(mode);
    if (wanted == nullptr) {
        return;
    }
    mode_ = mode;
    stack_->setCurrentWidget(wanted);
    modes_->setMode(mode);
    refreshDocks();
}

// The welcome page has the window for itself.
void MainWindow::refreshDocks() {
    const bool work = mode_ != Mode::Welcome;
    const bool wide = width() >= kInspectorFrom || inspectorForced_;
    runsDock_->setVisible(work && actions_["showRuns"]->isChecked());
    inspectorDock_->setVisible(work && wide && actions_["showInspector"]->isChecked());
    panelDock_->setVisible(actions_["showDetails"]->isChecked());
}

void MainWindow::showTab(int tab) {
    panel_->setCurrentIndex(tab);
    actions_["showDetails"]->setChecked(true);
    refreshDocks();
    if (auto* target = firstFocusable(panel_->currentWidget())) {
        target->setFocus(Qt::ShortcutFocusReason);
    }
}

void MainWindow::focusNextPane() {
    QList<QWidget*> panes;
    for (QWidget* pane :
         {static_cast<QWidget*>(modes_), static_cast<QWidget*>(runsDock_),
          static_cast<QWidget*>(stack_->currentWidget()), static_cast<QWidget*>(inspectorDock_),
          static_cast<QWidget*>(panelDock_), static_cast<QWidget*>(status_)}) {
        if (pane->isVisible() && firstFocusable(pane) != nullptr) {
            panes << pane;
        }
    }
    const auto* focused = QApplication::focusWidget();
    int at = -1;
    for (int i = 0; i < panes.size(); ++i) {
        if (focused != nullptr && (panes[i] == focused || panes[i]->isAncestorOf(focused))) {
            at = i;
        }
    }
    if (!panes.isEmpty()) {
        firstFocusable(panes[(at + 1) % panes.size()])->setFocus(Qt::TabFocusReason);
    }
}

void MainWindow::restoreLayout() {
    const auto layout = WindowSettings::layout();
    if (layout.geometry.isEmpty() || !restoreGeometry(layout.geometry)) {
        const QSize room = screen() != nullptr ? screen()->availableSize() : kUsualSize;
        resize(kUsualSize.boundedTo(room));
    }
    resizeDocks({runsDock_, inspectorDock_}, {kRunsDock, kInspectorDock}, Qt::Horizontal);
    resizeDocks({panelDock_}, {kBottomDock}, Qt::Vertical);
    if (!layout.docks.isEmpty()) {
        restoreState(layout.docks);
    }
    actions_["showRuns"]->setChecked(layout.runs);
    actions_["showInspector"]->setChecked(layout.inspector);
    actions_["showDetails"]->setChecked(layout.panel);
}

void MainWindow::saveLayout() {
    WindowSettings::saveLayout({saveGeometry(), saveState(), actions_["showRuns"]->isChecked(),
                                actions_["showInspector"]->isChecked(),
                                actions_["showDetails"]->isChecked()});
}

void MainWindow::refreshTitle() {
    const auto folder = session_.projectFolder();
    setWindowTitle(folder.isEmpty()
                       ? QStringLiteral("receiptbench")
                       : QStringLiteral("%1 — receiptbench").arg(QDir(folder).dirName()));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (session_.busy()) {
        closing_ = true;
        session_.stop();
        event->ignore();
        return;
    }
    saveLayout();
    event->accept();
}

void MainWindow::closeWhenIdle() {
    if (closing_ && !session_.busy()) {
        closing_ = false;
        close();
    }
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    refreshDocks();
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && stack_ != nullptr) {
        for (const auto& [mode, unused] : pages_) {
            if (const auto found = actions_.find("page" + modeName(mode).toStdString());
                found != actions_.end()) {
                found->second->setIcon(modeIcon(mode));
            }
        }
        status_->setProblems(panel_->problems()->count());
    }
}

// A dock closed by its own button is not wanted any more.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Close) {
        for (const auto& [dock, action] :
             {std::pair{runsDock_, "showRuns"}, std::pair{inspectorDock_, "showInspector"},
              std::pair{panelDock_, "showDetails"}}) {
            if (watched == dock && dock != nullptr) {
                actions_[action]->setChecked(false);
            }
        }
    }
    return QMainWindow::eventFilter(watched, event);
}

}  // namespace receiptbench
