// The bottom dock: Log, Problems, Checkpoints, Command.
#pragma once

#include <QTabWidget>

#include "ui/session.h"

namespace receiptbench {

class CommandView;
class LogView;
class ProblemsView;
class RunReader;

class BottomPanel : public QTabWidget {
    Q_OBJECT

 public:
    enum Tab { LogTab, ProblemsTab, CheckpointsTab, CommandTab };

    BottomPanel(Session& session, RunReader& reader, QWidget* parent = nullptr);
    ProblemsView* problems() const { return problems_; }
    CommandView* command() const { return command_; }

 private:
    LogView* log_;
    ProblemsView* problems_;
    CommandView* command_;
};

}  // namespace receiptbench
