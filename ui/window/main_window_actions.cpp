// The window's menus: everything that it can do, each with a shortcut.
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDesktopServices>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QHeaderView>
#include <QMenuBar>
#include <QMessageBox>
#include <QTreeWidget>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/mode_icons.h"
#include "ui/window/appearance.h"
#include "ui/window/bottom_panel.h"
#include "ui/window/command_view.h"
#include "ui/window/main_window.h"
#include "ui/window/runs_panel.h"
#include "ui/window/welcome_page.h"

namespace receiptbench {
namespace {

constexpr Mode kModes[] = {Mode::Welcome, Mode::Data,     Mode::Configure, Mode::Run,
                           Mode::Compare, Mode::Recovery, Mode::Report};

}  // namespace

QAction* MainWindow::addCommand(QMenu* menu, const QString& text, const QKeySequence& keys,
                                const char* name, Act act) {
    auto* action = menu->addAction(text);
    action->setShortcut(keys);
    action->setObjectName(QString::fromLatin1(name));
    connect(action, &QAction::triggered, this, [act = std::move(act)] { act(); });
    actions_[name] = action;
    return action;
}

QAction* MainWindow::addToggle(QMenu* menu, const QString& text, const QKeySequence& keys,
                               const char* name, bool on) {
    auto* action = menu->addAction(text);
    action->setShortcut(keys);
    action->setObjectName(QString::fromLatin1(name));
    action->setCheckable(true);
    action->setChecked(on);
    actions_[name] = action;
    return action;
}

void MainWindow::buildMenus() {
    buildFileMenu();
    buildRunMenu();
    buildViewMenu();
    buildHelpMenu();
}

void MainWindow::buildFileMenu() {
    auto* menu = menuBar()->addMenu(tr("&File"));
    addCommand(menu, tr("&New project…"), QKeySequence::New, "fileNew",
               [this] { welcome_->askForImport({}); });
    addCommand(menu, tr("&Open project…"), QKeySequence::Open, "fileOpen",
               [this] { welcome_->askForProject(); });
    auto* recent = menu->addMenu(tr("Open &recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecentMenu(recent); });
    fillRecentMenu(recent);
    menu->addSeparator();
    addCommand(menu, tr("&Try the example"), tr("Ctrl+Shift+T"), "fileExample",
               [this] { welcome_->startExample(); });
    addCommand(menu, tr("Show project &folder"), tr("Ctrl+Shift+O"), "fileFolder", [this] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(session_.projectFolder()));
    });
    addCommand(menu, tr("Re&fresh"), QKeySequence::Refresh, "fileRefresh",
               [this] { session_.refreshProject(); });
    menu->addSeparator();
    addCommand(menu, tr("&Quit"), tr("Ctrl+Q"), "fileQuit", [this] { close(); });
}

void MainWindow::fillRecentMenu(QMenu* menu) {
    menu->clear();
    const auto folders = WindowSettings::recentProjects();
    for (const auto& folder : folders) {
        const auto name = QStringLiteral("%1  (%2)").arg(QDir(folder).dirName(), folder);
        auto* action =
            menu->addAction(QString(name).replace(QLatin1Char('&'), QStringLiteral("&&")));
        connect(action, &QAction::triggered, this, [this, folder] { welcome_->open(folder); });
    }
    if (folders.isEmpty()) {
        menu->addAction(tr("None yet"))->setEnabled(false);
    }
}

void MainWindow::buildRunMenu() {
    auto* menu = menuBar()->addMenu(tr("&Run"));
    auto* resume = addCommand(menu, tr("&Resume selected run"), tr("Ctrl+Shift+R"), "runResume",
                              [this] { resumeSelected(); });
    auto* drill = addCommand(menu, tr("Crash &drill of selected run"), tr("Ctrl+Shift+D"),
                             "runDrill", [this] { drillSelected(); });
    addCommand(menu, tr("&Compare runs"), tr("Ctrl+Shift+C"), "runCompare", [this] {
        session_.startCompare();
        setMode(Mode::Compare);
    });
    menu->addSeparator();
    addCommand(menu, tr("Stop after this &update"), tr("Ctrl+Shift+."), "runStopGently",
               [this] { session_.stop(true); });
    addCommand(menu, tr("&Stop now"), tr("Ctrl+."), "runStop", [this] { session_.stop(); });
    menu->addSeparator();
    addCommand(menu, tr("Cop&y the equal command line"), tr("Ctrl+Shift+Y"), "runCopyCommand",
               [this] { panel_->command()->copy(); });
    runs_->setRunActions({resume, drill});
}

void MainWindow::buildViewMenu() {
    auto* menu = menuBar()->addMenu(tr("&View"));
    int number = 0;
    for (const Mode mode : kModes) {
        const auto keys = QStringLiteral("Ctrl+%1").arg(number++);
        auto* action =
            addCommand(menu, modeName(mode), keys, ("page" + modeName(mode).toStdString()).c_str(),
                       [this, mode] { setMode(mode); });
        action->setIcon(modeIcon(mode));
    }
    menu->addSeparator();
    for (auto* toggle : {addToggle(menu, tr("Runs &list"), tr("Ctrl+Shift+U"), "showRuns", true),
                         addToggle(menu, tr("&Inspector"), tr("Ctrl+I"), "showInspector", true),
                         addToggle(menu, tr("&Details"), tr("Ctrl+J"), "showDetails", false)}) {
        connect(toggle, &QAction::triggered, this, &MainWindow::refreshDocks);
    }
    connect(actions_["showInspector"], &QAction::triggered, this, [this](bool wanted) {
        inspectorForced_ = wanted;  // the user wants it however narrow the window is
        refreshDocks();
    });
    buildPanelCommands(menu);
    if (appearance_ != nullptr) {
        buildAppearanceMenu(menu);
    }
}

void MainWindow::buildPanelCommands(QMenu* menu) {
    addCommand(menu, tr("&Filter runs"), tr("Ctrl+Shift+F"), "viewFilter", [this] {
        actions_["showRuns"]->setChecked(true);
        refreshDocks();
        runs_->filter()->setFocus(Qt::ShortcutFocusReason);
    });
    addCommand(menu, tr("Lo&g"), tr("Ctrl+Shift+L"), "viewLog",
               [this] { showTab(BottomPanel::LogTab); });
    addCommand(menu, tr("&Problems"), tr("Ctrl+Shift+M"), "viewProblems",
               [this] { showTab(BottomPanel::ProblemsTab); });
    addCommand(menu, tr("Chec&kpoints"), tr("Ctrl+Shift+K"), "viewCheckpoints",
               [this] { showTab(BottomPanel::CheckpointsTab); });
    addCommand(menu, tr("Co&mmand line"), tr("Ctrl+Shift+N"), "viewCommand",
               [this] { showTab(BottomPanel::CommandTab); });
    menu->addSeparator();
    addCommand(menu, tr("&Next pane"), tr("F6"), "viewNextPane", [this] { focusNextPane(); });
    auto* full = addToggle(menu, tr("F&ull screen"), tr("F11"), "viewFullScreen", false);
    connect(full, &QAction::triggered, this,
            [this](bool on) { on ? showFullScreen() : showNormal(); });
}

void MainWindow::buildAppearanceMenu(QMenu* view) {
    auto* menu = view->addMenu(tr("&Appearance"));
    auto* group = new QActionGroup(this);
    const auto add = [&](const QString& text, const char* keys, const char* name,
                         Appearance appearance) {
        auto* action = addToggle(menu, text, QKeySequence(QLatin1String(keys)), name,
                                 appearance_->wanted() == appearance);
        group->addAction(action);
        connect(action, &QAction::triggered, this,
                [this, appearance] { appearance_->setWanted(appearance); });
    };
    add(tr("Like the &system"), "Ctrl+Alt+1", "appearanceSystem", Appearance::System);
    add(tr("&Light"), "Ctrl+Alt+2", "appearanceLight", Appearance::Light);
    add(tr("&Dark"), "Ctrl+Alt+3", "appearanceDark", Appearance::Dark);
}

void MainWindow::buildHelpMenu() {
    auto* menu = menuBar()->addMenu(tr("&Help"));
    addCommand(menu, tr("&Keyboard shortcuts"), QKeySequence::HelpContents, "helpShortcuts",
               [this] { showShortcuts(); });
    addCommand(menu, tr("&About receiptbench"), tr("Shift+F1"), "helpAbout",
               [this] { showAbout(); });
}

void MainWindow::refreshActions() {
    const bool busy = session_.busy(), open = session_.project() != nullptr;
    const int row = session_.runIndex(session_.selectedRun());
    const auto* run = row >= 0 ? &session_.runs()[static_cast<std::size_t>(row)] : nullptr;
    const bool idle = open && !busy;
    const auto enable = [this](const char* name, bool on) { actions_[name]->setEnabled(on); };
    enable("fileNew", !busy);
    enable("fileOpen", !busy);
    enable("fileExample", !busy);
    enable("fileFolder", open);
    enable("fileRefresh", open);
    enable("runResume", idle && run != nullptr && run->problem.empty() &&
                            run->state != RunState::Finished && run->state != RunState::Running);
    enable("runDrill", idle && run != nullptr && run->description.kind == "run" &&
                           run->state == RunState::Finished);
    enable("runCompare", idle && !session_.runs().empty());
    const bool stoppable = busy && session_.job().state != JobState::Stopping;
    enable("runStop", busy);
    enable("runStopGently", stoppable);
    enable("runCopyCommand", !session_.commandLine().isEmpty());
}

void MainWindow::resumeSelected() {
    ResumeRequest request;
    request.run = session_.selectedRun().toStdString();
    if (session_.startResume(request)) {
        setMode(Mode::Run);
    }
}

void MainWindow::drillSelected() {
    DrillRequest request;
    request.run = session_.selectedRun().toStdString();
    if (session_.startDrill(request)) {
        setMode(Mode::Recovery);
    }
}

void MainWindow::showShortcuts() {
    QDialog dialog(this);
    dialog.setWindowTitle(tr("Keyboard shortcuts"));
    dialog.resize(460, 560);
    auto* list = new QTreeWidget(&dialog);
    list->setAccessibleName(tr("Actions and their shortcuts"));
    list->setHeaderLabels({tr("Action"), tr("Keys")});
    list->setRootIsDecorated(false);
    list->setAlternatingRowColors(true);
    list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list->header()->setStretchLastSection(false);
    list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    for (const auto* action : findChildren<QAction*>()) {
        if (!action->shortcut().isEmpty() && !action->text().isEmpty()) {
            new QTreeWidgetItem(list, {action->text().remove(QLatin1Char('&')),
                                       action->shortcut().toString(QKeySequence::NativeText)});
        }
    }
    list->sortItems(0, Qt::AscendingOrder);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, &dialog);
    connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    auto* layout = new QVBoxLayout(&dialog);
    layout->addWidget(list, 1);
    layout->addWidget(buttons);
    dialog.exec();
}

void MainWindow::showAbout() {
    QMessageBox::about(this, tr("About receiptbench"),
                       tr("receiptbench %1\n\nTrains a receipt-quality image classifier under a "
                          "memory budget and proves that the "
                          "result is preserved.")
                           .arg(QApplication::applicationVersion()));
}

}  // namespace receiptbench
