// The command line that does the same as an action of the window.
#pragma once

#include <QString>

#include "core/workbench/demo.h"

namespace receiptbench {

QString shellQuoted(const QString& text);
QString demoCommand(const DemoRequest& request);
QString importCommand(const QString& project, const ImportOptions& options);
QString freezeCommand(const QString& project, const FreezeRequest& request);
QString planCommand(const QString& project, const PlanOptions& options);
QString trainCommand(const QString& project, const TrainRequest& request);
QString resumeCommand(const QString& project, const ResumeRequest& request);
QString drillCommand(const QString& project, const DrillRequest& request);
QString compareCommand(const QString& project);
QString reportCommand(const QString& project, const QString& file);

}  // namespace receiptbench
