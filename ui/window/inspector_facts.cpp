#include "ui/window/inspector_facts.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "core/base/json.h"
#include "core/base/text.h"
#include "ui/mode_icons.h"
#include "ui/theme.h"
#include "ui/window/runs_model.h"

namespace receiptbench {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("receiptbench::Inspector", text);
}
QString fromText(const std::string& text) {
    return QString::fromStdString(printable(text));
}
QString whole(std::int64_t value) {
    return QString::number(static_cast<qlonglong>(value));
}
QString shortest(double value) {
    return QString::fromStdString(formatDouble(value));
}
QString seconds(double value) {
    return tr("%1 ms").arg(numberText(1000 * value, 1));
}
// "2026-12-01T05:53:00.048Z" as people write it.
QString moment(QString utc) {
    return utc.isEmpty()
               ? utc
               : utc.replace(QLatin1Char('T'), QLatin1Char(' ')).left(19) + QStringLiteral(" UTC");
}
QString digest(const std::string& text) {
    return text.empty() ? tr("none") : fromText(text);
}

// A log may be from elsewhere: a field of another type is as good as none.
template <typename Value>
Value field(const nlohmann::json& object, const char* name, Value usual) {
    const auto found = object.find(name);
    if (found == object.end()) {
        return usual;
    }
    try {
        return found->template get<Value>();
    } catch (const nlohmann::json::exception&) {
        return usual;
    }
}

QString joined(const std::vector<std::int64_t>& values) {
    QStringList words;
    for (const auto value : values) {
        words << whole(value);
    }
    return words.isEmpty() ? tr("none") : words.join(QStringLiteral(", "));
}

FactGroup planFacts(const RunDescription& run) {
    return {tr("Plan"),
            {{tr("Precision"), fromText(toString(run.plan.precision))},
             {tr("Microbatch"), whole(run.plan.microbatch)},
             {tr("Memory format"), fromText(toString(run.plan.memoryFormat))},
             {tr("Threads"), whole(run.plan.threads)},
             {tr("Memory limit"), run.memoryLimit > 0 ? bytesText(run.memoryLimit) : tr("none")},
             {tr("Normalisation"), run.normalisation == Normalisation::AcceptedCount
                                       ? tr("accepted examples")
                                       : tr("mean of means (wrong)")}}};
}

FactGroup ledgerFacts(const RunOverview& run, const RunHistory& history) {
    std::int64_t applied = 0, skipped = 0, accepted = 0, peak = 0;
    double time = 0;
    for (const auto& update : history.updates) {
        ++(update.wasApplied ? applied : skipped);
        accepted += update.accepted;
        peak = std::max(peak, update.memory.total);
        time += update.seconds.total();
    }
    FactGroup group{tr("Result"), {{tr("State"), runStateWord(run.state)}}};
    if (!run.problem.empty()) {
        group.rows.emplace_back(tr("Problem"), fromText(run.problem));
    }
    group.rows.emplace_back(tr("Updates"), tr("%1 applied, %2 skipped").arg(applied).arg(skipped));
    group.rows.emplace_back(tr("Examples"), whole(accepted));
    group.rows.emplace_back(
        tr("Examples/s"),
        time > 0 ? numberText(static_cast<double>(accepted) / time, 1) : tr("n/a"));
    group.rows.emplace_back(tr("Last loss"), history.updates.empty()
                                                 ? tr("n/a")
                                                 : numberText(history.updates.back().loss, 6));
    group.rows.emplace_back(tr("Peak memory"),
                            peak > 0 ? peakText(peak, run.description.memoryLimit) : tr("n/a"));
    group.rows.emplace_back(tr("Checkpoints"),
                            whole(static_cast<std::int64_t>(history.checkpoints.size())));
    group.rows.emplace_back(tr("Resumes"),
                            whole(static_cast<std::int64_t>(history.resumes.size())));
    if (history.damagedLines > 0) {
        group.rows.emplace_back(tr("Log lines cut short"), whole(history.damagedLines));
    }
    if (history.end.is_object()) {
        if (const auto error = field<std::string>(history.end, "error", ""); !error.empty()) {
            group.rows.emplace_back(tr("Ended with"), fromText(error));
        }
    }
    return group;
}

FactGroup stepFacts(const UpdateRecord& record) {
    FactGroup step{
        tr("Step"),
        {{tr("Applied"),
          record.wasApplied ? tr("yes") : tr("skipped: %1").arg(fromText(record.skipReason))},
         {tr("Loss"), numberText(record.loss, 6)},
         {tr("Gradient norm"),
          record.gradientNorm ? numberText(*record.gradientNorm, 6) : tr("not finite")},
         {tr("Clip factor"), numberText(record.clipFactor, 6)},
         {tr("Learning rate"), shortest(record.learningRate)},
         {tr("Loss scale"),
          tr("%1 → %2").arg(shortest(record.scaleBefore), shortest(record.scaleAfter))},
         {tr("Totals"), tr("%1 applied, %2 skipped").arg(record.applied).arg(record.skipped)}}};
    if (!record.overflowInjected.empty()) {
        step.rows.emplace_back(tr("Overflow, on purpose"), fromText(record.overflowInjected));
    }
    if (record.nonFiniteElements > 0) {
        step.rows.emplace_back(tr("Not finite"),
                               tr("%1 gradient elements").arg(record.nonFiniteElements));
    }
    return step;
}

FactGroup exampleFacts(const UpdateRecord& record) {
    FactGroup data{tr("Examples"),
                   {{tr("Accepted"), whole(record.accepted)},
                    {tr("Microbatches"), joined(record.microbatches)},
                    {tr("By class"), joined(record.classMix)},
                    {tr("Denominator"), shortest(record.denominator)},
                    {tr("Epoch"), whole(record.epoch + 1)},
                    {tr("Stream position"), whole(record.position)}}};
    for (const auto& replan : record.replans) {
        data.rows.emplace_back(tr("Replanned"), fromText(replan));
    }
    return data;
}

FactGroup memoryFacts(const MemoryPeaks& peaks) {
    FactGroup memory{tr("Peak memory"), {{tr("Total"), bytesText(peaks.total)}}};
    for (int category = 0; category < kMemoryCategories; ++category) {
        memory.rows.emplace_back(fromText(toString(static_cast<MemoryCategory>(category))),
                                 bytesText(peaks.atPeak[static_cast<std::size_t>(category)]));
    }
    return memory;
}

FactGroup timeFacts(const PhaseSeconds& time) {
    return {tr("Time"),
            {{tr("Total"), seconds(time.total())},
             {tr("Data"), seconds(time.data)},
             {tr("Forward"), seconds(time.forward)},
             {tr("Backward"), seconds(time.backward)},
             {tr("Optimizer"), seconds(time.optimizer)},
             {tr("Checkpoint"), seconds(time.checkpoint)}}};
}

}  // namespace

std::vector<CheckpointEntry> checkpointEntries(const RunHistory& history,
                                               const std::vector<std::string>& onDisk) {
    std::vector<CheckpointEntry> entries;
    for (const auto& line : history.checkpoints) {
        if (!line.is_object()) {
            continue;
        }
        CheckpointEntry entry;
        const auto file = field<std::string>(line, "file", "");
        entry.file = fromText(file);
        entry.update = field<std::int64_t>(line, "update", 0);
        entry.generation = field<std::int64_t>(line, "generation", 0);
        entry.written = fromText(field<std::string>(line, "time", ""));
        entry.digest = fromText(field<std::string>(line, "digest", ""));
        entry.seconds = field<double>(line, "seconds", 0);
        entry.bytes = field<std::int64_t>(line, "bytes", 0);
        for (const auto& [part, bytes] :
             field<std::map<std::string, std::int64_t>>(line, "bytesByPart", {})) {
            entry.parts.emplace_back(fromText(part), bytes);
        }
        entry.kept = std::find(onDisk.begin(), onDisk.end(), file) != onDisk.end();
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::vector<FactGroup> runFacts(const RunOverview& run, const RunHistory& history) {
    const auto& about = run.description;
    FactGroup identity{
        tr("Identity"),
        {{tr("Contract"), digest(about.contractHash)},
         {tr("Split"), digest(about.splitDigest)},
         {tr("Dataset"), digest(about.datasetDigest)},
         {tr("Started"), moment(fromText(about.created))},
         {tr("LibTorch"), fromText(about.environment.torchVersion)},
         {tr("CPU capability"), fromText(about.environment.cpuCapability)},
         {tr("Device"), fromText(about.environment.device)},
         {tr("Deterministic"), about.environment.deterministic ? tr("yes") : tr("no")},
         {tr("Folder"), fromText(run.folder)}}};
    return {ledgerFacts(run, history), planFacts(about), std::move(identity)};
}

std::vector<FactGroup> updateFacts(const UpdateRecord& record) {
    FactGroup proof{
        tr("Proof"),
        {{tr("Ids digest"), digest(record.idsDigest)}, {tr("Receipt"), digest(record.receipt)}}};
    return {stepFacts(record), exampleFacts(record), memoryFacts(record.memory),
            timeFacts(record.seconds), std::move(proof)};
}

std::vector<FactGroup> checkpointFacts(const CheckpointEntry& checkpoint) {
    FactGroup about{tr("Checkpoint"),
                    {{tr("Update"), whole(checkpoint.update)},
                     {tr("Generation"), whole(checkpoint.generation)},
                     {tr("On disk"), checkpoint.kept ? tr("yes") : tr("no, pruned")},
                     {tr("Written"), moment(checkpoint.written)},
                     {tr("Took"), seconds(checkpoint.seconds)},
                     {tr("Size"), bytesText(checkpoint.bytes)},
                     {tr("File"), checkpoint.file},
                     {tr("Digest"), checkpoint.digest}}};
    FactGroup parts{tr("Size by part"), {}};
    for (const auto& [name, bytes] : checkpoint.parts) {
        parts.rows.emplace_back(name, bytesText(bytes));
    }
    std::vector<FactGroup> groups{std::move(about)};
    if (!parts.rows.empty()) {
        groups.push_back(std::move(parts));
    }
    return groups;
}

}  // namespace receiptbench
