// What is wrong at a field, in core's words, and a text that would do.
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/configure/configure_page.h"
#include "ui/configure/form_fields.h"

namespace receiptbench {
namespace {

// The form with usual values in every field, for these photos, this optimizer and this schedule:
// what is refused in it lies at the one field that is then changed.
ExperimentForm soundForm(const ExperimentForm& form) {
    auto sound = freshForm(form);
    auto& contract = sound.freeze.contract;
    contract.examplesPerUpdate = form.freeze.contract.examplesPerUpdate;  // bounds the microbatch
    contract.examplesPerUpdate = std::max<std::int64_t>(1, contract.examplesPerUpdate);
    contract.optimizer.name = form.freeze.contract.optimizer.name;
    contract.schedule.name = form.freeze.contract.schedule.name;
    contract.schedule.every = 1;
    contract.schedule.maxLearningRate = contract.optimizer.learningRate;
    contract.labels = labelsOf(form);
    if (contract.labels.size() < 2) {  // said at the field that could give more
        contract.labels = LabelMap({"readable", "other"});
    }
    contract.acceptLabel = contract.labels.name(0);
    sound.train.precision = form.train.precision;
    return sound;
}

QString sentence(QString text) {
    if (!text.isEmpty()) {
        text[0] = text[0].toUpper();
        text += text.endsWith(u'.') ? QString() : QStringLiteral(".");
    }
    return text;
}

// "contract field ... is -1 / allowed: above 0": the field is beside it, the value in it.
QString messageOf(const Error& error) {
    const auto hint = QString::fromStdString(printable(error.hint()));
    if (hint.startsWith(QLatin1String("allowed: "))) {
        return ConfigurePage::tr("Not allowed here. Allowed: %1.").arg(hint.mid(9));
    }
    return sentence(QString::fromStdString(printable(error.what()))) +
           (hint.isEmpty() ? QString() : QStringLiteral(" ") + sentence(hint));
}

// Empty when the text is taken and allowed.
QString refusal(const FieldSpec& field, const ExperimentForm& form, const QString& text) {
    auto trial = soundForm(form);
    if (field.group == FieldGroup::Photos) {
        trial.freeze.data = form.freeze.data;
    }
    try {
        const auto unread = field.set(trial, text);
        if (unread.isEmpty() && field.check) {
            field.check(trial);
        }
        return unread;
    } catch (const Error& error) {
        return messageOf(error);
    }
}

// In the order of likeness to what was typed.
QStringList candidates(const FieldSpec& field, const ExperimentForm& form, const QString& text) {
    QStringList texts;
    if (field.kind == FieldKind::Tick) {
        texts << QStringLiteral("yes") << QStringLiteral("no");
    }
    auto pointed = text.trimmed();
    pointed.replace(u',', u'.');
    texts << text.trimmed() << pointed;
    if (const auto value = parseDouble(pointed.toStdString()); value && std::abs(*value) < 1e9) {
        const auto rounded = std::llround(std::abs(*value));
        const auto eighths = std::llround(std::abs(*value) / 8);
        texts << QString::fromStdString(formatDouble(std::abs(*value))) << QString::number(rounded)
              << QString::number(eighths > 0 ? 8 * eighths : rounded)
              << QString::fromStdString(formatDouble(std::abs(*value) / 100));  // percent
    }
    if (field.choices) {
        texts << field.choices(form);
    }
    return texts << field.get(soundForm(form)) << QStringLiteral("64 MiB");
}

}  // namespace

std::optional<FieldProblem> problemOf(const FieldSpec& field, const ExperimentForm& form,
                                      const QString& text) {
    const auto message = refusal(field, form, text);
    if (message.isEmpty()) {
        return std::nullopt;
    }
    for (const auto& candidate : candidates(field, form, text)) {
        if (candidate != text && refusal(field, form, candidate).isEmpty()) {
            return FieldProblem{message, candidate};
        }
    }
    return FieldProblem{message, {}};
}

}  // namespace receiptbench
