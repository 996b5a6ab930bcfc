// Of photos and contract: the fields that freezing locks.
#include "ui/configure/form_fields.h"

#include <algorithm>
#include <set>

#include "core/data/split.h"
#include "ui/configure/field_makers.h"

namespace receiptbench {

using namespace fields;

namespace {

bool beforeFreezing(const ExperimentForm& form) {
    return !form.frozen;
}

std::vector<CatalogueItem> identities(std::int64_t count) {
    std::vector<CatalogueItem> items(
        static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, 2)));
    for (std::size_t i = 0; i < items.size(); ++i) {
        items[i].path = items[i].identity = items[i].sha256 = std::to_string(i);
        items[i].label = "readable";
    }
    return items;
}

// What reading every photo would end with.
void checkDerivation(const ExperimentForm& form) {
    const std::set<std::string> labels(form.importedLabels.begin(), form.importedLabels.end());
    const bool onlyReadable = labels == std::set<std::string>{"readable"};
    if (form.freeze.data.derive && !onlyReadable) {
        throw Error(ErrorCode::Data,
                    "photos are derived from readable ones only, and others are imported");
    }
    if (!form.freeze.data.derive && labels.size() < 2) {
        throw Error(ErrorCode::Data, "all photos are of one class, and a classifier needs two");
    }
}

void addPhotos(std::vector<FieldSpec>& all) {
    constexpr auto kGroup = FieldGroup::Photos;
    all.push_back(whole(
        "data.syntheticIdentities", kGroup, tr("Drawn receipts"),
        tr("Nothing is imported: so many receipts are drawn, each readable, blurred and cut off."),
        [](auto& form) -> auto& { return form.freeze.data.syntheticIdentities; }));
    all.back().applies = [](const ExperimentForm& form) { return !form.frozen && !form.imported; };
    all.back().check = [](const ExperimentForm& form) {
        splitByIdentity(identities(form.freeze.data.syntheticIdentities), 0.5, 1);
    };
    all.push_back(whole(
        "height", kGroup, tr("Photo height"), tr("Pixels: photos are fitted into this frame."),
        [](auto& form) -> auto& { return form.freeze.contract.height; },
        [](ExperimentForm& form) { form.freeze.data.height = form.freeze.contract.height; }));
    all.push_back(whole(
        "width", kGroup, tr("Photo width"), tr("Pixels: photos are fitted into this frame."),
        [](auto& form) -> auto& { return form.freeze.contract.width; },
        [](ExperimentForm& form) { form.freeze.data.width = form.freeze.contract.width; }));
    all.push_back(number(
        "data.validationShare", kGroup, tr("Validation share"),
        tr("Of the receipts; no receipt lies on both sides. A split that was imported is kept."),
        [](auto& form) -> auto& { return form.freeze.data.validationShare; }));
    all.back().applies = beforeFreezing;
    all.back().check = [](const ExperimentForm& form) {
        splitByIdentity(identities(2), form.freeze.data.validationShare, 1);
    };
    all.push_back(whole(
        "seed", kGroup, tr("Seed"), tr("Of split, first weights, order and augmentation."),
        [](auto& form) -> auto& { return form.freeze.contract.seed; },
        [](ExperimentForm& form) { form.freeze.data.seed = form.freeze.contract.seed; }));
    all.push_back(tick(
        "data.derive", kGroup, tr("Derive blurred and cut-off photos"),
        tr("One of each from every readable photo."),
        [](auto& form) -> auto& { return form.freeze.data.derive; }));
    all.back().applies = [](const ExperimentForm& form) { return !form.frozen && form.imported; };
    all.back().check = checkDerivation;
}

void addMemory(std::vector<FieldSpec>& all) {
    auto spec = base("memoryLimit", FieldGroup::Memory, FieldKind::Line, tr("Memory budget"),
                     tr("All that training may allocate, such as 64 MiB or 1.5 GiB; none: no "
                        "limit. What does not fit is refused, not swapped."));
    spec.get = [](const ExperimentForm& form) { return budgetText(form.freeze.memoryLimit); };
    spec.set = [](ExperimentForm& form, const QString& text) {
        const auto bytes =
            text == QLatin1String("none") ? std::int64_t{0} : parseBytes(text.toStdString());
        if (!bytes || (*bytes == 0 && text != QLatin1String("none"))) {
            return tr("“%1” is no size: write 64 MiB or 1.5 GiB, or none for no limit.").arg(text);
        }
        form.freeze.memoryLimit = *bytes;
        return QString();
    };
    spec.check = {};
    all.push_back(std::move(spec));
}

bool decaysBySteps(const ExperimentForm& form) {
    return form.freeze.contract.schedule.name == "step";
}

// A schedule's own numbers have no usual value: what is not allowed gets one.
void completeSchedule(ExperimentForm& form) {
    auto& contract = form.freeze.contract;
    auto& schedule = contract.schedule;
    if (schedule.name == "step" && schedule.every < 1) {
        schedule.every = std::max<std::int64_t>(1, contract.updates / 3);
        schedule.gamma = 0.1;
    }
    if (schedule.name == "onecycle" && !(schedule.maxLearningRate > 0)) {
        schedule.maxLearningRate = contract.optimizer.learningRate;
    }
}

void addSchedule(std::vector<FieldSpec>& all) {
    constexpr auto kGroup = FieldGroup::Model;
    all.push_back(choice(
        "schedule.name", kGroup, tr("Schedule"), tr("Of the learning rate, by applied updates."),
        {QStringLiteral("warmup_cosine"), QStringLiteral("constant"), QStringLiteral("step"),
         QStringLiteral("onecycle"), QStringLiteral("linear")},
        [](auto& form) -> auto& { return form.freeze.contract.schedule.name; }));
    all.back().set = [set = all.back().set](ExperimentForm& form, const QString& text) {
        const auto refused = set(form, text);
        completeSchedule(form);
        return refused;
    };
    all.push_back(whole(
        "schedule.warmup", kGroup, tr("Warm-up updates"),
        tr("Over which the learning rate rises to its full value."),
        [](auto& form) -> auto& { return form.freeze.contract.schedule.warmup; }));
    all.back().applies = [](const ExperimentForm& form) {
        return form.freeze.contract.schedule.name == "warmup_cosine";
    };
    all.push_back(whole(
        "schedule.every", kGroup, tr("Updates per step"),
        tr("After so many the learning rate falls."),
        [](auto& form) -> auto& { return form.freeze.contract.schedule.every; }));
    all.back().applies = decaysBySteps;
    all.push_back(number(
        "schedule.gamma", kGroup, tr("Factor of a step"),
        tr("The learning rate is multiplied by it."),
        [](auto& form) -> auto& { return form.freeze.contract.schedule.gamma; }));
    all.back().applies = decaysBySteps;
    all.push_back(number(
        "schedule.maxLearningRate", kGroup, tr("Highest learning rate"),
        tr("At the top of the cycle."),
        [](auto& form) -> auto& { return form.freeze.contract.schedule.maxLearningRate; }));
    all.back().applies = [](const ExperimentForm& form) {
        return form.freeze.contract.schedule.name == "onecycle";
    };
}

void addModel(std::vector<FieldSpec>& all) {
    constexpr auto kGroup = FieldGroup::Model;
    all.push_back(whole(
        "model.width", kGroup, tr("Model width"),
        tr("Channels of receiptnet's first block, a multiple of 8."),
        [](auto& form) -> auto& { return form.freeze.contract.model.width; }));
    all.push_back(choice(
        "optimizer.name", kGroup, tr("Optimizer"), tr("PyTorch's update rules."),
        {QStringLiteral("adamw"), QStringLiteral("adam"), QStringLiteral("sgd"),
         QStringLiteral("rmsprop")},
        [](auto& form) -> auto& { return form.freeze.contract.optimizer.name; }));
    all.push_back(number(
        "optimizer.learningRate", kGroup, tr("Learning rate"),
        tr("Its full value; the schedule scales it."),
        [](auto& form) -> auto& { return form.freeze.contract.optimizer.learningRate; }));
    all.push_back(number(
        "optimizer.weightDecay", kGroup, tr("Weight decay"), tr("0: none."),
        [](auto& form) -> auto& { return form.freeze.contract.optimizer.weightDecay; }));
    all.push_back(number(
        "optimizer.momentum", kGroup, tr("Momentum"), tr("0: none."),
        [](auto& form) -> auto& { return form.freeze.contract.optimizer.momentum; }));
    all.back().applies = [](const ExperimentForm& form) {
        const auto& name = form.freeze.contract.optimizer.name;
        return name == "sgd" || name == "rmsprop";
    };
    addSchedule(all);
}

void addUpdates(std::vector<FieldSpec>& all) {
    constexpr auto kGroup = FieldGroup::Updates;
    all.push_back(whole(
        "updates", kGroup, tr("Updates"), tr("Optimizer updates, skipped ones too."),
        [](auto& form) -> auto& { return form.freeze.contract.updates; }));
    all.push_back(whole(
        "examplesPerUpdate", kGroup, tr("Examples per update"),
        tr("The effective batch, whatever the microbatch. 47 divides by none: a wrong "
           "normalisation shows."),
        [](auto& form) -> auto& { return form.freeze.contract.examplesPerUpdate; }));
    auto rule = choice(
        "lastUpdate", kGroup, tr("Last update of an epoch"),
        tr("When too few examples are left: carry them over, apply them, or drop "
           "them."),
        {}, [](auto& form) -> auto& { return form.freeze.contract.acceptLabel; });
    rule.get = [](const ExperimentForm& form) {
        return fromText(toString(form.freeze.contract.lastUpdate));
    };
    rule.set = [](ExperimentForm& form, const QString& text) {
        form.freeze.contract.lastUpdate = parseLastUpdateRule(text.toStdString());
        return QString();
    };
    rule.choices = [](const ExperimentForm&) {
        QStringList names;
        for (const auto each :
             {LastUpdateRule::Carry, LastUpdateRule::Apply, LastUpdateRule::Drop}) {
            names << fromText(toString(each));
        }
        return names;
    };
    all.push_back(std::move(rule));
    all.push_back(number(
        "clipNorm", kGroup, tr("Clip norm"),
        tr("Largest norm of the whole gradient; 0: no clipping."),
        [](auto& form) -> auto& { return form.freeze.contract.clipNorm; }));
    all.push_back(whole(
        "checkpointInterval", kGroup, tr("Checkpoint interval"),
        tr("Updates from one checkpoint to the next."),
        [](auto& form) -> auto& { return form.freeze.contract.checkpointInterval; }));
}

void addAcceptance(std::vector<FieldSpec>& all) {
    constexpr auto kGroup = FieldGroup::Acceptance;
    auto label = choice(
        "acceptLabel", kGroup, tr("Accepted class"), tr("The class whose probability decides."), {},
        [](auto& form) -> auto& { return form.freeze.contract.acceptLabel; });
    label.choices = [](const ExperimentForm& form) {
        QStringList names;
        const auto labels = labelsOf(form);
        for (const auto& name : labels.names()) {
            names << fromText(name);
        }
        return names;
    };
    all.push_back(std::move(label));
    all.push_back(number(
        "acceptanceThreshold", kGroup, tr("Threshold"), tr("Accepted from this probability on."),
        [](auto& form) -> auto& { return form.freeze.contract.acceptanceThreshold; }));
    all.push_back(number(
        "nearThresholdBand", kGroup, tr("Band around it"),
        tr("Photos this close to the threshold are counted as near."),
        [](auto& form) -> auto& { return form.freeze.contract.nearThresholdBand; }));
    all.push_back(number(
        "nonInferiorityMargin", kGroup, tr("Non-inferiority margin"),
        tr("Validation accuracy that another precision may lose and still be preserved."),
        [](auto& form) -> auto& { return form.freeze.contract.nonInferiorityMargin; }));
}

}  // namespace

const std::vector<FieldSpec>& formFields() {
    static const std::vector<FieldSpec> all = [] {
        std::vector<FieldSpec> table;
        addPhotos(table);
        addMemory(table);
        addModel(table);
        addUpdates(table);
        addAcceptance(table);
        addRunFields(table);
        return table;
    }();
    return all;
}

QString budgetText(std::int64_t bytes) {
    if (bytes == 0) {
        return QStringLiteral("none");
    }
    constexpr std::int64_t kKi = 1024;
    const char* unit = "B";
    for (const char* larger : {"KiB", "MiB", "GiB"}) {
        if (bytes % kKi != 0) {
            break;
        }
        bytes /= kKi;
        unit = larger;
    }
    return QStringLiteral("%1 %2").arg(bytes).arg(QLatin1String(unit));
}

}  // namespace receiptbench
