// The head of a dock: its title and a button that closes it. It can be dragged like the usual one.
#pragma once

#include <QDockWidget>

namespace receiptbench {

void giveTitle(QDockWidget* dock);

}  // namespace receiptbench
