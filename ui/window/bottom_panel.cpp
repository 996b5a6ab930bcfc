#include "ui/window/bottom_panel.h"

#include <QTabBar>

#include "ui/window/checkpoints_view.h"
#include "ui/window/command_view.h"
#include "ui/window/log_view.h"
#include "ui/window/problems_view.h"

namespace receiptbench {

BottomPanel::BottomPanel(Session& session, RunReader& reader, QWidget* parent)
    : QTabWidget(parent),
      log_(new LogView(session, this)),
      problems_(new ProblemsView(session, this)),
      command_(new CommandView(session, this)) {
    setDocumentMode(true);
    setObjectName(QStringLiteral("bottomTabs"));
    setAccessibleName(tr("Log, problems, checkpoints and command"));
    tabBar()->setAccessibleName(accessibleName());
    addTab(log_, tr("Log"));
    addTab(problems_, tr("Problems"));
    addTab(new CheckpointsView(session, reader, this), tr("Checkpoints"));
    addTab(command_, tr("Command"));
    const auto count = [this](int problems) {
        setTabText(ProblemsTab, problems > 0 ? tr("Problems (%1)").arg(problems) : tr("Problems"));
    };
    count(problems_->count());
    connect(problems_, &ProblemsView::countChanged, this, count);
    connect(problems_, &ProblemsView::logRequested, this, [this] { setCurrentIndex(LogTab); });
}

}  // namespace receiptbench
