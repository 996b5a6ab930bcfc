// The window's pages. Each shows its empty, loading, failed and finished state by itself and listens to the session only.
#pragma once

#include <QWidget>

namespace receiptbench {

class Session;

// Each in ui/pages/<name>_page.cpp (with a private header where tests need the class).
QWidget* makeWelcomePage(Session& session, QWidget* parent);
QWidget* makeDataPage(Session& session, QWidget* parent);
QWidget* makeConfigurePage(Session& session, QWidget* parent);
QWidget* makeRunPage(Session& session, QWidget* parent);
QWidget* makeComparePage(Session& session, QWidget* parent);
QWidget* makeRecoveryPage(Session& session, QWidget* parent);
QWidget* makeReportPage(Session& session, QWidget* parent);

}  // namespace receiptbench
