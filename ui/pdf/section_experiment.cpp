// What the experiment is: contract and data, precision table, plans, environment, how to recompute.
#include <algorithm>
#include <cmath>

#include "ui/pdf/report_values.h"
#include "ui/pdf/sections.h"

namespace receiptbench {

using namespace Qt::StringLiterals;

namespace {

using nlohmann::json;

QString yesNo(const json& value) {
    return value.is_boolean() ? (value.get<bool>() ? u"yes"_s : u"no"_s) : notAvailable();
}

QString listText(const json& list, const QString& separator = u", "_s) {
    QStringList parts;
    if (list.is_array()) {
        for (const auto& value : list) {
            parts << (value.is_string() ? plainText(value) : shortText(numberOf(value)));
        }
    }
    return parts.join(separator);
}

QString numberText(const json& object, const char* key) {
    return shortText(numberOf(fieldOf(object, key)), 6);
}

QString optimizerText(const json& optimizer) {
    return u"%1, learning rate %2, weight decay %3"_s.arg(plainText(fieldOf(optimizer, "name")),
                                                          numberText(optimizer, "learningRate"),
                                                          numberText(optimizer, "weightDecay"));
}

QString scheduleText(const json& schedule) {
    const auto name = plainText(fieldOf(schedule, "name")).replace(QLatin1Char('_'), u" and "_s);
    const auto warmup = wholeOf(fieldOf(schedule, "warmup"));
    return warmup > 0 ? u"%1, %2 updates of warm-up"_s.arg(name).arg(warmup) : name;
}

QString augmentationText(const json& augmentation) {
    QStringList parts;
    if (isTrue(fieldOf(augmentation, "horizontalFlip"))) {
        parts << u"horizontal flip"_s;
    }
    if (isTrue(fieldOf(augmentation, "verticalFlip"))) {
        parts << u"vertical flip"_s;
    }
    return parts.isEmpty() ? u"none"_s : parts.join(u", "_s);
}

Cell digest(const json& value) {
    Cell cell(plainText(value));
    cell.fixedWidth = true;
    return cell;
}

// A table of names and values. Filled row by row: one large initializer list of cells takes the
// compiler minutes.
class Fields {
 public:
    void add(const char* name, Cell value) {
        rows_.emplace_back();
        rows_.back().emplace_back(QString::fromLatin1(name));
        rows_.back().push_back(std::move(value));
    }
    const std::vector<std::vector<Cell>>& rows() const { return rows_; }

 private:
    std::vector<std::vector<Cell>> rows_;
};

void dataFields(const json& contract, Fields& fields) {
    fields.add("labels", listText(fieldOf(contract, "labels")));
    fields.add("accepted when", u"p(%1) ≥ %2, near the threshold within ± %3"_s.arg(
                                    plainText(fieldOf(contract, "acceptLabel")),
                                    numberText(contract, "acceptanceThreshold"),
                                    numberText(contract, "nearThresholdBand")));
    fields.add("non-inferiority margin", u"%1 of validation accuracy"_s.arg(percentText(
                                             numberOf(fieldOf(contract, "nonInferiorityMargin")))));
    fields.add("image", u"%1 × %2 (height × width), %3"_s.arg(
                            numberText(contract, "height"), numberText(contract, "width"),
                            plainText(fieldOf(contract, "resizeRule"))));
    fields.add("normalisation",
               u"mean %1; deviation %2"_s.arg(listText(fieldOf(contract, "mean")),
                                              listText(fieldOf(contract, "standardDeviation"))));
    fields.add("augmentation", augmentationText(fieldOf(contract, "augmentation")));
    fields.add("split", digest(fieldOf(contract, "splitDigest")));
    fields.add("frozen pixels", digest(fieldOf(contract, "datasetDigest")));
}

QString lossText(const json& loss) {
    const auto weights = listText(fieldOf(loss, "classWeights"));
    return u"%1, %2, label smoothing %3, class weights %4"_s.arg(
        plainText(fieldOf(loss, "name")), plainText(fieldOf(loss, "reduction")),
        numberText(loss, "labelSmoothing"), weights.isEmpty() ? u"all 1"_s : weights);
}

void trainingFields(const json& contract, Fields& fields) {
    const auto& model = fieldOf(contract, "model");
    fields.add("model", u"%1, width %2"_s.arg(plainText(fieldOf(model, "name")),
                                              numberText(model, "width")));
    fields.add("initial weights", digest(fieldOf(model, "revision")));
    fields.add("optimizer", optimizerText(fieldOf(contract, "optimizer")));
    fields.add("schedule", scheduleText(fieldOf(contract, "schedule")));
    fields.add("loss", lossText(fieldOf(contract, "loss")));
    fields.add("examples per update", u"%1; the last, partial update of an epoch: %2"_s.arg(
                                          numberText(contract, "examplesPerUpdate"),
                                          plainText(fieldOf(contract, "lastUpdate"))));
    fields.add("updates",
               u"%1 attempted, a checkpoint every %2"_s.arg(
                   numberText(contract, "updates"), numberText(contract, "checkpointInterval")));
    fields.add("gradient clipping", numberOf(fieldOf(contract, "clipNorm")) == 0
                                        ? u"none"_s
                                        : u"norm %1"_s.arg(numberText(contract, "clipNorm")));
    fields.add("seed", plainText(fieldOf(contract, "seed").dump()));
}

void dataPart(const json& data, DocumentBuilder& out) {
    const auto& rejects = listOf(data, "rejects");
    auto words = u"%1 training and %2 validation examples"_s.arg(
        countText(fieldOf(data, "train")), countText(fieldOf(data, "validation")));
    if (fieldOf(data, "imported").is_number()) {
        words += u" from %1 imported photos; %2 files rejected"_s
                     .arg(countText(fieldOf(data, "imported")))
                     .arg(rejects.size());
    }
    out.subheading(u"Data"_s);
    out.paragraph(words + QLatin1Char('.'));
    for (const auto& warning : listOf(data, "warnings")) {
        out.bullet(plainText(warning), Tone::Bad);
    }
    constexpr std::size_t kShown = 30;
    std::vector<std::vector<Cell>> rows;
    for (const auto& reject : rejects) {
        if (rows.size() == kShown) {
            rows.push_back({u"… and %1 more, see rejects.csv"_s.arg(rejects.size() - kShown)});
            break;
        }
        rows.push_back({plainText(fieldOf(reject, "path")), plainText(fieldOf(reject, "reason")),
                        plainText(fieldOf(reject, "message"))});
    }
    if (!rows.empty()) {
        out.table(
            {{u"rejected file"_s, false, 35}, {u"reason"_s, false, 18}, {u"message"_s, false, 47}},
            rows);
    }
}

QString acceptedText(const json& ledger) {
    const auto fewest = wholeOf(fieldOf(ledger, "fewestAcceptedInAnUpdate")),
               most = wholeOf(fieldOf(ledger, "mostAcceptedInAnUpdate"));
    return fewest == most ? QString::number(most) : u"%1–%2"_s.arg(fewest).arg(most);
}

Cell peakCell(const json& run) {
    const auto& peak = fieldOf(fieldOf(fieldOf(run, "ledger"), "peak"), "total");
    const auto limit = wholeOf(fieldOf(run, "memoryLimit"));
    return limit > 0 && wholeOf(peak) > limit
               ? Cell(bytesText(peak) + u" ✗ over"_s, Tone::Bad, true)
               : Cell(bytesText(peak));
}

std::vector<Cell> precisionRow(const json& run) {
    const auto& ledger = fieldOf(run, "ledger");
    const auto& metrics = fieldOf(run, "metrics");
    return {Cell(runLabel(run), Tone::Plain, true),
            plainText(fieldOf(run, "precision")),
            QString::number(wholeOf(fieldOf(run, "microbatch"))),
            plainText(fieldOf(run, "memoryFormat")),
            peakCell(run),
            wholeOf(fieldOf(run, "memoryLimit")) > 0 ? bytesText(fieldOf(run, "memoryLimit"))
                                                     : u"none"_s,
            fixedText(numberOf(fieldOf(ledger, "examplesPerSecond")), 1),
            acceptedText(ledger),
            percentText(numberOf(fieldOf(metrics, "accuracy")), 2),
            fixedText(numberOf(fieldOf(metrics, "macroF1")), 4),
            fixedText(numberOf(fieldOf(metrics, "nll")), 4)};
}

QString budgetText(const json& bytes) {
    return wholeOf(bytes) > 0 ? bytesText(bytes) : u"none"_s;
}

QString planLimits(const json& plan) {
    const auto budget = u"Budget %1"_s.arg(budgetText(fieldOf(plan, "memoryLimit")));
    const auto& one = fieldOf(plan, "bytesForOneExample");  // 0: not tried
    return wholeOf(one) > 0 ? u"%1; one example needs %2."_s.arg(budget, bytesText(one))
                            : budget + u'.';
}

std::vector<Cell> probeRow(const json& probe, const json& chosen) {
    const auto& plan = fieldOf(probe, "plan");
    const bool isChosen = chosen.is_object() && plan == chosen;
    const bool fits = isTrue(fieldOf(probe, "fits"));
    return {Cell(QString::number(wholeOf(fieldOf(plan, "microbatch"))), Tone::Plain, isChosen),
            Cell(plainText(fieldOf(plan, "memoryFormat")), Tone::Plain, isChosen),
            fits ? Cell(isChosen ? u"✓ chosen"_s : u"✓ fits"_s, isChosen ? Tone::Good : Tone::Plain,
                        isChosen)
                 : Cell(u"✗ does not fit"_s, Tone::Bad),
            fits ? bytesText(fieldOf(fieldOf(probe, "peak"), "total")) : notAvailable(),
            fits ? fixedText(numberOf(fieldOf(probe, "examplesPerSecond")), 1) : notAvailable(),
            plainText(fieldOf(probe, "reason"))};
}

}  // namespace

QString runLabel(const json& run) {
    const auto name = plainText(fieldOf(run, "name"), 60),
               kind = plainText(fieldOf(run, "kind"), 20);
    return kind == u"run"_s || kind == name || kind == notAvailable()
               ? name
               : u"%1 (%2)"_s.arg(name, kind);
}

void contractSection(const SectionInput& in) {
    in.out.note(
        u"Frozen before any run and hashed. Runs of one contract differ in precision "
        "and microbatch plan only."_s);
    in.out.command(u"SHA-256 %1"_s.arg(plainText(fieldOf(in.report, "contractHash"))));
    Fields fields;
    dataFields(fieldOf(in.report, "contract"), fields);
    trainingFields(fieldOf(in.report, "contract"), fields);
    in.out.table({{u"field"_s, false, 24}, {u"value"_s, false, 76}}, fields.rows());
    dataPart(fieldOf(in.report, "data"), in.out);
}

void precisionSection(const SectionInput& in) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& run : listOf(in.report, "runs")) {
        rows.push_back(precisionRow(run));
    }
    if (rows.empty()) {
        in.out.paragraph(u"No run yet: run receiptbench train --precision fp32."_s);
        return;
    }
    in.out.note(
        u"Recomputed from the runs' ledgers; peak is the largest sum of live bytes, "
        "speed the median over the updates."_s);
    in.out.table({{u"run"_s},
                  {u"precision"_s},
                  {u"micro-\nbatch"_s, true},
                  {u"memory format"_s},
                  {u"peak"_s, true},
                  {u"budget"_s, true},
                  {u"examples\nper s"_s, true},
                  {u"accepted\nan update"_s, true},
                  {u"accuracy"_s, true},
                  {u"macro F1"_s, true},
                  {u"NLL"_s, true}},
                 rows);
}

void planSection(const SectionInput& in) {
    const auto& plans = fieldOf(in.report, "plans");
    if (!plans.is_object() || plans.empty()) {
        in.out.paragraph(u"Nothing was tried yet: run receiptbench plan."_s);
        return;
    }
    in.out.note(
        u"Found by trying each size on a copied model within the budget, not by guessing."_s);
    for (const auto& [name, plan] : plans.items()) {
        in.out.subheading(plainText(name));
        if (const auto& reason = fieldOf(plan, "notSupported");
            reason.is_string() && !reason.get_ref<const std::string&>().empty()) {
            in.out.paragraph(u"Not supported: "_s + plainText(reason));
            continue;
        }
        in.out.note(planLimits(plan));
        std::vector<std::vector<Cell>> rows;
        for (const auto& probe : listOf(plan, "probes")) {
            rows.push_back(probeRow(probe, fieldOf(plan, "chosen")));
        }
        in.out.table({{u"microbatch"_s, true, 11},
                      {u"memory format"_s, false, 15},
                      {u"result"_s, false, 16},
                      {u"peak"_s, true, 12},
                      {u"examples/s"_s, true, 12},
                      {u"reason"_s, false, 34}},
                     rows);
    }
}

void environmentSection(const SectionInput& in) {
    const auto& environment = fieldOf(in.report, "environment");
    QStringList libraries;
    for (const auto& library : listOf(environment, "libraries")) {
        const auto name = plainText(fieldOf(library, "name"));
        const auto version = plainText(fieldOf(library, "version"));
        libraries << (version.startsWith(name) ? version : name + u' ' + version);
    }
    in.out.paragraph(u"Frozen on %1, budget %2. %3"_s.arg(
        plainText(fieldOf(environment, "device")),
        wholeOf(fieldOf(environment, "memoryLimit")) > 0
            ? bytesText(fieldOf(environment, "memoryLimit"))
            : u"none"_s,
        libraries.isEmpty() ? QString() : u"Libraries: %1."_s.arg(libraries.join(u", "_s))));
    std::vector<std::vector<Cell>> rows;
    for (const auto& run : listOf(in.report, "runs")) {
        const auto& of = fieldOf(run, "environment");
        rows.push_back({Cell(runLabel(run), Tone::Plain, true), plainText(fieldOf(run, "created")),
                        plainText(fieldOf(run, "state")), plainText(fieldOf(of, "torchVersion")),
                        plainText(fieldOf(of, "device")), plainText(fieldOf(of, "cpuCapability")),
                        QString::number(wholeOf(fieldOf(of, "threads"))),
                        yesNo(fieldOf(of, "oneDnn")), yesNo(fieldOf(of, "deterministic"))});
    }
    if (!rows.empty()) {
        in.out.table({{u"run"_s},
                      {u"created (UTC)"_s},
                      {u"state"_s},
                      {u"Torch"_s},
                      {u"device"_s},
                      {u"CPU capability"_s},
                      {u"threads"_s, true},
                      {u"oneDNN"_s},
                      {u"deterministic"_s}},
                     rows);
    }
}

void recomputeSection(const SectionInput& in) {
    for (const auto& line : listOf(in.report, "howToRecompute")) {
        in.out.bullet(plainText(line));
    }
    in.out.note(
        u"This document holds the figures of %1 version %2; the same object "
        "is report/report.json of the project."_s.arg(
            plainText(fieldOf(in.report, "schema")),
            shortText(numberOf(fieldOf(in.report, "version")))));
}

}  // namespace receiptbench
