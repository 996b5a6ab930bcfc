// The head of a dock: its title and a button that closes it. It can be dragged like the usual one.
#pragma once

#include <QDockWidget>

class QTabWidget;

namespace receiptbench {

void giveTitle(QDockWidget* dock);
// For a dock whose content has a place for the button in a head of its own.
void giveCloseButtonOnly(QDockWidget* dock, QTabWidget* content);

}  // namespace receiptbench
