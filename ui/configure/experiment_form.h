// What the Configure page edits, as plain values: the two requests that it sends, and what the
// project says about them.
#pragma once

#include <QString>

#include <map>
#include <string>
#include <vector>

#include "core/workbench/project.h"
#include "core/workbench/training.h"

namespace receiptbench {

struct ExperimentForm {
    FreezeRequest freeze;
    TrainRequest train;

    // Facts that the rules of the fields need.
    bool frozen = false, imported = false;
    bool readableOnly = false;                // imported so that freezing derives the other classes
    std::vector<std::string> importedLabels;  // of the catalogue's classes
    std::string baseline;                     // the finished fp32 run; empty: none
    std::map<Precision, std::string> unsupported;  // why this computer cannot do it; empty: it can
};

LabelMap labelsOf(const ExperimentForm& form);  // that the contract has or would have

struct Preset {
    QString name, help;
    FreezeRequest values;
};
const std::vector<Preset>& presets();
// Everything but what depends on this project: source of the photos, accept label and budget.
void applyPreset(ExperimentForm& form, const Preset& preset);
bool matches(const ExperimentForm& form, const Preset& preset);

// A form before anything was typed: the standard preset, for this project.
ExperimentForm freshForm(const ExperimentForm& facts);

}  // namespace receiptbench
