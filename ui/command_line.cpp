#include "ui/command_line.h"

#include <QStringList>

#include "core/base/text.h"

namespace receiptbench {
namespace {

QString text(const std::string& value) {
    return QString::fromStdString(value);
}
QString number(double value) {
    return text(formatDouble(value));
}

// Collects "--option value" pairs; what equals the default is left out, so that the line stays
// readable.
class Line {
 public:
    Line(const char* command, const QString& project) {
        parts_ << QStringLiteral("receiptbench") << QString::fromLatin1(command);
        if (!project.isEmpty()) {
            option("--project", project);
        }
    }
    Line& word(const QString& value) {
        parts_ << shellQuoted(value);
        return *this;
    }
    Line& flag(const char* name, bool wanted = true) {
        if (wanted) {
            parts_ << QString::fromLatin1(name);
        }
        return *this;
    }
    Line& option(const char* name, const QString& value) {
        parts_ << QString::fromLatin1(name) << shellQuoted(value);
        return *this;
    }
    template <typename Integer>
    Line& count(const char* name, const std::optional<Integer>& value) {
        return value ? option(name, QString::number(static_cast<qlonglong>(*value))) : *this;
    }
    template <typename Value>
    Line& changed(const char* name, const Value& value, const Value& usual) {
        if (value == usual) {
            return *this;
        }
        if constexpr (std::is_same_v<Value, std::string>) {
            return option(name, text(value));
        } else if constexpr (std::is_floating_point_v<Value>) {
            return option(name, number(value));
        } else {
            return option(name, QString::number(value));
        }
    }
    Line& budget(std::int64_t bytes) {
        return bytes > 0 ? option("--budget", QString::number(bytes)) : *this;
    }
    QString text_() const { return parts_.join(QLatin1Char(' ')); }

 private:
    QStringList parts_;
};

QString sizeText(std::int64_t height, std::int64_t width) {
    return QStringLiteral("%1x%2").arg(height).arg(width);
}

void contractOptions(Line& line, const ExperimentContract& contract) {
    const ExperimentContract usual;
    line.changed("--accept", contract.acceptLabel, usual.acceptLabel)
        .changed("--threshold", contract.acceptanceThreshold, usual.acceptanceThreshold)
        .changed("--near-band", contract.nearThresholdBand, usual.nearThresholdBand)
        .changed("--margin", contract.nonInferiorityMargin, usual.nonInferiorityMargin)
        .changed("--updates", contract.updates, usual.updates)
        .changed("--examples-per-update", contract.examplesPerUpdate, usual.examplesPerUpdate)
        .changed("--last-update", toString(contract.lastUpdate), toString(usual.lastUpdate))
        .changed("--checkpoint-interval", contract.checkpointInterval, usual.checkpointInterval)
        .changed("--clip-norm", contract.clipNorm, usual.clipNorm)
        .changed("--model", contract.model.name, usual.model.name)
        .changed("--model-width", contract.model.width, usual.model.width)
        .changed("--optimizer", contract.optimizer.name, usual.optimizer.name)
        .changed("--lr", contract.optimizer.learningRate, usual.optimizer.learningRate)
        .changed("--weight-decay", contract.optimizer.weightDecay, usual.optimizer.weightDecay)
        .changed("--momentum", contract.optimizer.momentum, usual.optimizer.momentum)
        .changed("--schedule", contract.schedule.name, usual.schedule.name)
        .changed("--warmup", contract.schedule.warmup, usual.schedule.warmup)
        .changed("--schedule-floor", contract.schedule.floor, usual.schedule.floor)
        .changed("--step-every", contract.schedule.every, usual.schedule.every)
        .changed("--step-gamma", contract.schedule.gamma, usual.schedule.gamma)
        .changed("--max-lr", contract.schedule.maxLearningRate, usual.schedule.maxLearningRate)
        .changed("--label-smoothing", contract.loss.labelSmoothing, usual.loss.labelSmoothing)
        .flag("--no-horizontal-flip", !contract.augmentation.horizontalFlip)
        .flag("--no-vertical-flip", !contract.augmentation.verticalFlip)
        .changed("--seed", contract.seed, usual.seed);
}

}  // namespace

QString shellQuoted(const QString& value) {
    bool plain = !value.isEmpty();
    for (const QChar c : value) {
        plain = plain && (c.isLetterOrNumber() || QStringLiteral("/._-+=:,%@").contains(c));
    }
    if (plain) {
        return value;
    }
    QString quoted = value;
    return QLatin1Char('\'') + quoted.replace(QLatin1Char('\''), QStringLiteral("'\\''")) +
           QLatin1Char('\'');
}

QString demoCommand(const DemoRequest& request) {
    const DemoRequest usual;
    Line line("demo", {});
    line.option("--out", text(request.out));
    if (!request.data.empty()) {
        line.option("--data", text(request.data));
    }
    line.flag("--derive", request.derive)
        .budget(request.memoryLimit)
        .count("--updates", request.updates);
    if (request.height && request.width) {
        line.option("--size", sizeText(*request.height, *request.width));
    }
    if (request.modes != usual.modes) {
        QStringList names;
        for (const auto mode : request.modes) {
            names << text(toString(mode));
        }
        line.option("--modes", names.join(QLatin1Char(',')));
    }
    line.count("--microbatch", request.microbatch)
        .changed("--identities", request.identities, usual.identities)
        .changed("--threads", request.threads, usual.threads)
        .changed("--seed", request.seed, usual.seed);
    return line.text_();
}

QString importCommand(const QString& project, const ImportOptions& options) {
    Line line("import", project);
    line.flag("--derive", !options.impliedLabel.empty()).flag("--strict", options.strict);
    for (const auto& [column, name] : options.columns) {
        line.option("--column", text(column + "=" + name));
    }
    return line.word(text(options.source)).text_();
}

QString freezeCommand(const QString& project, const FreezeRequest& request) {
    Line line("freeze", project);
    line.option("--size", sizeText(request.data.height, request.data.width))
        .flag("--derive", request.data.derive);
    line.changed("--example", request.data.syntheticIdentities, std::int64_t{0})
        .changed("--validation-share", request.data.validationShare,
                 FreezeOptions{}.validationShare)
        .budget(request.memoryLimit);
    contractOptions(line, request.contract);
    return line.text_();
}

QString planCommand(const QString& project, const PlanOptions& options) {
    return Line("plan", project)
        .option("--precision", text(toString(options.precision)))
        .count("--microbatch", options.microbatch)
        .budget(options.memoryLimit)
        .text_();
}

QString trainCommand(const QString& project, const TrainRequest& request) {
    Line line("train", project);
    line.option("--precision", text(toString(request.precision)));
    if (!request.name.empty()) {
        line.option("--name", text(request.name));
    }
    line.count("--microbatch", request.microbatch);
    if (request.memoryFormat) {
        line.option("--memory-format", text(toString(*request.memoryFormat)));
    }
    line.budget(request.memoryLimit.value_or(0));
    if (request.onOverBudget == OverBudgetPolicy::Replan) {
        line.option("--on-over-budget", QStringLiteral("replan"));
    }
    line.changed("--threads", request.threads, TrainRequest{}.threads)
        .flag("--wrong-normalisation", request.normalisation == Normalisation::MeanOfMeans)
        .count("--stop-after", request.stopAfter);
    QStringList overflows;
    for (const auto update : request.injectOverflowAt) {
        overflows << QString::number(update);
    }
    if (!overflows.isEmpty()) {
        line.option("--inject-overflow-at", overflows.join(QLatin1Char(',')));
    }
    return line.text_();
}

QString resumeCommand(const QString& project, const ResumeRequest& request) {
    Line line("train", project);
    line.option("--name", text(request.run)).flag("--resume");
    if (!request.checkpoint.empty()) {
        line.word(text(request.checkpoint));
    }
    return line.count("--microbatch", request.microbatch)
        .count("--threads", request.threads)
        .count("--stop-after", request.stopAfter)
        .text_();
}

QString drillCommand(const QString& project, const DrillRequest& request) {
    return Line("drill", project)
        .option("--mode", QStringLiteral("kill"))
        .count("--at-update", request.atUpdate)
        .count("--call", request.call)
        .option("--when", text(toString(request.when)))
        .count("--microbatch", request.resumeMicrobatch)
        .word(text(request.run))
        .text_();
}

QString compareCommand(const QString& project) {
    return Line("compare", project).text_();
}

QString reportCommand(const QString& project, const QString& file) {
    return Line("report", project).option("--output", file).text_();
}

}  // namespace receiptbench
