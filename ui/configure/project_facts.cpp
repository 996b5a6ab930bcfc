#include "ui/configure/project_facts.h"

#include <set>

#include "core/base/text.h"
#include "core/train/trainer.h"

namespace receiptbench {
namespace {

constexpr Precision kPrecisions[] = {Precision::Fp32, Precision::Bf16, Precision::Fp16};

QString plain(const std::string& text) {
    return QString::fromStdString(printable(text));
}

void readFrozen(const Project& project, ConfigureFacts& facts) {
    const auto loaded = project.contract();
    facts.hash = loaded.hash;
    auto& freeze = facts.form.freeze;
    freeze.contract = loaded.contract;
    freeze.memoryLimit = loaded.environment.memoryLimit;
    freeze.data.height = loaded.contract.height;
    freeze.data.width = loaded.contract.width;
    freeze.data.seed = loaded.contract.seed;
    freeze.data.syntheticIdentities = 0;
    facts.form.baseline = baselineRun(project);
    for (const auto precision : kPrecisions) {
        if (auto plan = storedPlan(project, precision)) {
            facts.plans[precision] = std::move(*plan);
        }
    }
}

void readImported(const Project& project, ConfigureFacts& facts) {
    if (!project.files().exists(project.paths().catalogue())) {
        return;
    }
    std::set<std::string> labels;
    for (const auto& item : loadCatalogue(project).items) {
        labels.insert(item.label);
    }
    facts.form.imported = true;
    facts.form.importedLabels.assign(labels.begin(), labels.end());
    facts.form.readableOnly = cataloguesReadableOnly(project);
}

}  // namespace

ConfigureFacts readConfigureFacts(const std::string& folder) {
    ConfigureFacts facts;
    facts.folder = folder;
    try {
        const auto project = Project::open(posixFileSystem(), folder);
        facts.form.frozen = project.isFrozen();
        facts.form.frozen ? readFrozen(project, facts) : readImported(project, facts);
        for (const auto precision : kPrecisions) {
            facts.form.unsupported[precision] = unsupportedReason(precision);
            facts.slow[precision] = slowReason(precision);
        }
    } catch (const Error& error) {
        facts.error = plain(error.what());
        facts.remedy = plain(error.hint());
    } catch (const std::exception& error) {
        facts.error = plain(error.what());
    }
    return facts;
}

}  // namespace receiptbench
