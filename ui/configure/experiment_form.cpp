#include "ui/configure/experiment_form.h"

#include "core/workbench/demo.h"
#include "core/workbench/estimate.h"
#include "ui/configure/configure_page.h"

namespace receiptbench {
namespace {

constexpr std::int64_t kDrawnReceipts = 450;  // when nothing is imported: as many as in the example
constexpr std::size_t kStandard = 1;          // among the presets

FreezeRequest valuesOf(const DemoRequest& demo) {
    const auto plan = planDemo(demo);
    FreezeRequest values;
    values.data = plan.data;
    values.contract = plan.contract;
    return values;
}

FreezeRequest photoValues(std::int64_t height, std::int64_t width, std::int64_t updates) {
    DemoRequest demo;
    demo.data = "photos";
    demo.height = height;
    demo.width = width;
    demo.updates = updates;
    return valuesOf(demo);
}

// What a preset leaves as it is.
void keepProject(FreezeRequest& values, const ExperimentForm& form) {
    const auto& own = form.freeze;
    values.memoryLimit = own.memoryLimit;
    values.checkBudget = own.checkBudget;
    values.data.derive = own.data.derive;
    values.data.syntheticIdentities = own.data.syntheticIdentities;
    values.contract.labels = own.contract.labels;
    values.contract.acceptLabel = own.contract.acceptLabel;
}

}  // namespace

LabelMap labelsOf(const ExperimentForm& form) {
    return form.frozen ? form.freeze.contract.labels
                       : expectedLabels(form.importedLabels, form.freeze.data);
}

const std::vector<Preset>& presets() {
    static const std::vector<Preset> all{
        {ConfigurePage::tr("Quick look"),
         ConfigurePage::tr(
             "Small photos and a narrow model: minutes on two cores, as the example."),
         valuesOf({})},
        {ConfigurePage::tr("Standard"),
         ConfigurePage::tr("Photos of 256×192 and 200 updates: readable print, an hour or less."),
         photoValues(256, 192, 200)},
        {ConfigurePage::tr("Thorough"),
         ConfigurePage::tr("Photos of 384×288 and 600 updates: small print counts, for a night."),
         photoValues(384, 288, 600)}};
    return all;
}

void applyPreset(ExperimentForm& form, const Preset& preset) {
    auto values = preset.values;
    keepProject(values, form);
    form.freeze = values;
}

bool matches(const ExperimentForm& form, const Preset& preset) {
    auto values = preset.values;
    keepProject(values, form);
    const auto& own = form.freeze;
    return values.contract == own.contract && values.data.seed == own.data.seed &&
           values.data.validationShare == own.data.validationShare &&
           values.data.height == own.data.height && values.data.width == own.data.width;
}

ExperimentForm freshForm(const ExperimentForm& facts) {
    auto form = facts;
    form.train = {};
    form.freeze = {};
    form.freeze.data.syntheticIdentities = facts.imported ? 0 : kDrawnReceipts;
    form.freeze.data.derive = !facts.imported || facts.readableOnly;
    applyPreset(form, presets()[kStandard]);
    const auto labels = labelsOf(form);
    if (!labels.index(form.freeze.contract.acceptLabel) && labels.size() > 0) {
        form.freeze.contract.acceptLabel = labels.name(0);
    }
    return form;
}

}  // namespace receiptbench
