// The fields of a run, which stay open after freezing.
#include "ui/configure/field_makers.h"

namespace receiptbench::fields {
namespace {

// What would be refused on starting is said before.
void checkPrecision(const ExperimentForm& form) {
    const auto found = form.unsupported.find(form.train.precision);
    if (found != form.unsupported.end() && !found->second.empty()) {
        throw Error(ErrorCode::NoDevice, "Not supported here: " + found->second);
    }
    if (form.frozen && form.train.precision != Precision::Fp32 && form.baseline.empty()) {
        throw Error(ErrorCode::Data,
                    toString(form.train.precision) + " is compared with a finished fp32 run",
                    "train fp32 first");
    }
}

FieldSpec precisionField() {
    auto spec = base("precision", FieldGroup::Run, FieldKind::Choice, tr("Precision"),
                     tr("fp32 is the baseline that the others are compared with."));
    spec.get = [](const ExperimentForm& form) { return fromText(toString(form.train.precision)); };
    spec.set = [](ExperimentForm& form, const QString& text) {
        form.train.precision = parsePrecision(text.toStdString());
        return QString();
    };
    spec.choices = [](const ExperimentForm&) {
        QStringList names;
        for (const auto each : {Precision::Fp32, Precision::Bf16, Precision::Fp16}) {
            names << fromText(toString(each));
        }
        return names;
    };
    spec.check = checkPrecision;
    return spec;
}

FieldSpec microbatchField() {
    auto spec = base("microbatch", FieldGroup::Run, FieldKind::Line, tr("Microbatch"),
                     tr("Examples at a time. Empty: the plan's choice."));
    spec.placeholder = tr("from the plan");
    spec.get = [](const ExperimentForm& form) {
        return form.train.microbatch ? QString::number(*form.train.microbatch) : QString();
    };
    spec.set = [](ExperimentForm& form, const QString& text) {
        const auto value = parseInt(text.toStdString());
        if (!value && !text.isEmpty()) {
            return noNumber(text);
        }
        form.train.microbatch = value;
        return QString();
    };
    spec.check = [](const ExperimentForm& form) {
        const auto most = form.freeze.contract.examplesPerUpdate;
        const auto value = form.train.microbatch.value_or(1);
        if (value < 1 || value > most) {
            throw Error(ErrorCode::Usage, "",
                        "allowed: 1 to " + std::to_string(most) + ", the examples of an update");
        }
    };
    return spec;
}

FieldSpec nameField() {
    auto spec = base("name", FieldGroup::Run, FieldKind::Line, tr("Name of the run"),
                     tr("Of its folder. Empty: the precision's name; a taken one gets a number."));
    spec.placeholder = tr("as the precision");
    spec.get = [](const ExperimentForm& form) { return fromText(form.train.name); };
    spec.set = [](ExperimentForm& form, const QString& text) {
        form.train.name = text.toStdString();
        return QString();
    };
    spec.check = [](const ExperimentForm& form) {
        if (!form.train.name.empty()) {
            checkRunName(form.train.name);
        }
    };
    return spec;
}

}  // namespace

void addRunFields(std::vector<FieldSpec>& all) {
    all.push_back(precisionField());
    all.push_back(microbatchField());
    all.push_back(nameField());
    auto again = base("onOverBudget", FieldGroup::Run, FieldKind::Tick,
                      tr("Halve the microbatch when the budget is hit"),
                      tr("Else the run stops there, with its last checkpoint saved."));
    again.get = [](const ExperimentForm& form) {
        return form.train.onOverBudget == OverBudgetPolicy::Replan ? QStringLiteral("yes")
                                                                   : QStringLiteral("no");
    };
    again.set = [](ExperimentForm& form, const QString& text) {
        form.train.onOverBudget =
            text == QLatin1String("yes") ? OverBudgetPolicy::Replan : OverBudgetPolicy::Stop;
        return QString();
    };
    again.check = {};
    all.push_back(std::move(again));
}

}  // namespace receiptbench::fields
