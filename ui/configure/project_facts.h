// What the Configure page reads of a project: off the UI thread, since a catalogue may be long.
#pragma once

#include <QString>

#include <map>
#include <string>

#include "core/train/planner.h"
#include "ui/configure/experiment_form.h"

namespace receiptbench {

struct ConfigureFacts {
    std::string folder;
    ExperimentForm form;  // its facts; of a frozen project the contract and the budget as well
    std::string hash;     // of the frozen contract
    std::map<Precision, PlanResult> plans;
    std::map<Precision, std::string> slow;  // why a precision is slow here
    QString error, remedy;                  // when it cannot be read
};
ConfigureFacts readConfigureFacts(const std::string& folder);  // never throws

}  // namespace receiptbench
