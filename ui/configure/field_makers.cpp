#include "ui/configure/field_makers.h"

namespace receiptbench::fields {
namespace {

// Of a field of the contract: core's own rules.
void checkContract(const ExperimentForm& form) {
    validateContract(form.freeze.contract);
}

}  // namespace

QString noNumber(const QString& text) {
    return text.isEmpty() ? tr("A number belongs here.")
           : text.contains(u',')
               ? tr("“%1” is no number here: the decimal sign is a point, and nothing groups "
                    "digits.")
                     .arg(text)
               : tr("“%1” is no number.").arg(text);
}

FieldSpec base(const char* name, FieldGroup group, FieldKind kind, const QString& label,
               const QString& help) {
    FieldSpec spec;
    spec.name = name;
    spec.group = group;
    spec.kind = kind;
    spec.label = label;
    spec.help = help;
    spec.check = checkContract;
    return spec;
}

}  // namespace receiptbench::fields
