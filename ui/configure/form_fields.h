// The fields of the form, from one table: name, words, value, and the rule that core has for it.
#pragma once

#include <QString>
#include <QStringList>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ui/configure/experiment_form.h"

namespace receiptbench {

enum class FieldKind { Line, Choice, Tick };  // a tick's text is "yes" or "no"
enum class FieldGroup { Photos, Memory, Model, Updates, Acceptance, Run };

struct FieldSpec {
    std::string name;  // the contract's, where it is one of its fields: "optimizer.learningRate"
    FieldGroup group;
    FieldKind kind;
    QString label, help;
    std::function<QString(const ExperimentForm&)> get;
    // Takes the text as it was typed; else says why it means nothing, and changes nothing.
    std::function<QString(ExperimentForm&, const QString&)> set;
    // Error when core refuses the form because of this field.
    std::function<void(const ExperimentForm&)> check;
    std::function<bool(const ExperimentForm&)> applies;         // empty: always
    std::function<QStringList(const ExperimentForm&)> choices;  // of a Choice
    QString placeholder;
};

const std::vector<FieldSpec>& formFields();

struct FieldProblem {
    QString message;   // "0,05 is no number: write 0.05, with a point."
    QString proposal;  // a text that would be taken; empty: none is known
};
// What is wrong with this text in this field, as if every other field were right.
std::optional<FieldProblem> problemOf(const FieldSpec& field, const ExperimentForm& form,
                                      const QString& text);

QString budgetText(std::int64_t bytes);  // reads back the same: "64 MiB", "4097 B"; "none" for 0

}  // namespace receiptbench
