// How the table of fields is written: a field from the value it stands for.
#pragma once

#include <type_traits>

#include "core/base/text.h"
#include "ui/configure/configure_page.h"
#include "ui/configure/form_fields.h"

namespace receiptbench::fields {

inline QString fromText(const std::string& text) {
    return QString::fromStdString(printable(text));
}
inline QString tr(const char* text) {
    return ConfigurePage::tr(text);
}
QString noNumber(const QString& text);
// Its check is the contract's.
FieldSpec base(const char* name, FieldGroup group, FieldKind kind, const QString& label,
               const QString& help);
void addRunFields(std::vector<FieldSpec>& all);

// Ref: ExperimentForm -> reference to the value.
template <typename Ref>
FieldSpec number(const char* name, FieldGroup group, const QString& label, const QString& help,
                 Ref ref) {
    auto spec = base(name, group, FieldKind::Line, label, help);
    spec.get = [ref](const ExperimentForm& form) { return fromText(formatDouble(ref(form))); };
    spec.set = [ref](ExperimentForm& form, const QString& text) {
        const auto value = parseDouble(text.toStdString());
        if (value) {
            ref(form) = *value;
        }
        return value ? QString() : noNumber(text);
    };
    return spec;
}

// then: what follows from the new value in another part of the form.
template <typename Ref>
FieldSpec whole(const char* name, FieldGroup group, const QString& label, const QString& help,
                Ref ref, std::function<void(ExperimentForm&)> then = {}) {
    auto spec = base(name, group, FieldKind::Line, label, help);
    spec.get = [ref](const ExperimentForm& form) {
        return QString::number(static_cast<qlonglong>(ref(form)));
    };
    spec.set = [ref, then](ExperimentForm& form, const QString& text) {
        const auto value = parseInt(text.toStdString());
        if (!value) {
            return parseDouble(text.toStdString()) ? tr("A whole number belongs here.")
                                                   : noNumber(text);
        }
        using Value = std::remove_reference_t<decltype(ref(form))>;
        if (std::is_unsigned_v<Value> && *value < 0) {
            return tr("A whole number of 0 or more belongs here.");
        }
        ref(form) = static_cast<Value>(*value);
        if (then) {
            then(form);
        }
        return QString();
    };
    return spec;
}

template <typename Ref>
FieldSpec choice(const char* name, FieldGroup group, const QString& label, const QString& help,
                 const QStringList& choices, Ref ref) {
    auto spec = base(name, group, FieldKind::Choice, label, help);
    spec.get = [ref](const ExperimentForm& form) { return fromText(ref(form)); };
    spec.set = [ref](ExperimentForm& form, const QString& text) {
        ref(form) = text.toStdString();
        return QString();
    };
    spec.choices = [choices](const ExperimentForm&) { return choices; };
    return spec;
}

template <typename Ref>
FieldSpec tick(const char* name, FieldGroup group, const QString& label, const QString& help,
               Ref ref) {
    auto spec = base(name, group, FieldKind::Tick, label, help);
    spec.get = [ref](const ExperimentForm& form) {
        return ref(form) ? QStringLiteral("yes") : QStringLiteral("no");
    };
    spec.set = [ref](ExperimentForm& form, const QString& text) {
        ref(form) = text == QLatin1String("yes");
        return QString();
    };
    return spec;
}

}  // namespace receiptbench::fields
