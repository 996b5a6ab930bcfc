// What the trained models do: validation, changes near the threshold with the photos, crash and
// recovery.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "ui/pdf/report_style.h"
#include "ui/pdf/report_values.h"
#include "ui/pdf/sections.h"

namespace receiptbench {

using namespace Qt::StringLiterals;

namespace {

using nlohmann::json;

std::vector<const json*> validatedRuns(const json& report) {
    std::vector<const json*> runs;
    for (const auto& run : listOf(report, "runs")) {
        if (fieldOf(run, "metrics").is_object()) {
            runs.push_back(&run);
        }
    }
    return runs;
}

double boundOf(const json& interval, std::size_t index) {
    return interval.is_array() && index < interval.size() ? numberOf(interval[index])
                                                          : std::nan("");
}

PlotPicture accuracyPlot(const std::vector<const json*>& runs, DocumentBuilder& out) {
    DotPlot plot;
    plot.title = u"Accuracy, 95 % interval (Wilson)"_s;
    plot.xLabel = u"percent"_s;
    plot.series = {{u"accuracy"_s, {}, {}, {}, 0}};
    for (const auto* run : runs) {
        const auto& metrics = fieldOf(*run, "metrics");
        plot.rows.push_back(runLabel(*run));
        plot.series[0].values.push_back(100 * numberOf(fieldOf(metrics, "accuracy")));
        plot.series[0].low.push_back(100 * boundOf(fieldOf(metrics, "accuracyInterval"), 0));
        plot.series[0].high.push_back(100 * boundOf(fieldOf(metrics, "accuracyInterval"), 1));
    }
    return drawPlot(
        plot, {out.columnWidth(),
               points(70 + 18 * static_cast<double>(std::min<std::size_t>(runs.size(), 20)))});
}

std::optional<PlotPicture> differencePlot(const json& report, std::size_t rows,
                                          DocumentBuilder& out) {
    DotPlot plot;
    plot.title = u"Change against the baseline, 95 % interval (paired)"_s;
    plot.xLabel = u"percentage points of accuracy"_s;
    plot.series = {{u"middle of the interval"_s, {}, {}, {}, 1}};
    for (const auto& run : listOf(fieldOf(report, "comparison"), "runs")) {
        const double low = 100 * boundOf(fieldOf(run, "accuracyDifference"), 0),
                     high = 100 * boundOf(fieldOf(run, "accuracyDifference"), 1);
        plot.rows.push_back(plainText(fieldOf(fieldOf(run, "facts"), "name"), 60));
        plot.series[0].values.push_back(low / 2 + high / 2);
        plot.series[0].low.push_back(low);
        plot.series[0].high.push_back(high);
    }
    if (plot.rows.empty()) {
        return std::nullopt;
    }
    const double margin =
        100 * numberOf(fieldOf(fieldOf(report, "contract"), "nonInferiorityMargin"));
    plot.limits.push_back({-margin, u"margin −%1"_s.arg(shortText(margin))});
    return drawPlot(plot, {out.columnWidth(),
                           points(70 + 18 * static_cast<double>(std::min<std::size_t>(rows, 20)))});
}

void metricsTable(const std::vector<const json*>& runs, DocumentBuilder& out) {
    std::vector<std::vector<Cell>> rows;
    for (const auto* run : runs) {
        const auto& metrics = fieldOf(*run, "metrics");
        const auto figure = [&](const char* key) {
            return Cell(fixedText(numberOf(fieldOf(metrics, key)), 4));
        };
        const auto& interval = fieldOf(metrics, "accuracyInterval");
        rows.push_back({Cell(runLabel(*run), Tone::Plain, true),
                        u"%1 / %2"_s.arg(countText(fieldOf(metrics, "correct")),
                                         countText(fieldOf(metrics, "examples"))),
                        percentText(numberOf(fieldOf(metrics, "accuracy")), 2),
                        u"%1–%2"_s.arg(fixedText(100 * boundOf(interval, 0), 1),
                                       percentText(boundOf(interval, 1), 1)),
                        figure("balancedAccuracy"), figure("macroF1"), figure("nll"),
                        figure("brier"), figure("ece"), figure("auroc"), figure("averagePrecision"),
                        wholeOf(fieldOf(metrics, "invalid")) > 0
                            ? Cell(countText(fieldOf(metrics, "invalid")), Tone::Bad, true)
                            : Cell(countText(fieldOf(metrics, "invalid")))});
    }
    out.table({{u"run"_s},
               {u"correct"_s, true},
               {u"accuracy"_s, true},
               {u"95 % interval"_s, true},
               {u"balanced"_s, true},
               {u"macro F1"_s, true},
               {u"NLL"_s, true},
               {u"Brier"_s, true},
               {u"ECE"_s, true},
               {u"AUROC"_s, true},
               {u"average\nprecision"_s, true},
               {u"invalid"_s, true}},
              rows);
}

QString labelAt(const json& report, std::size_t index) {
    const auto& labels = listOf(fieldOf(report, "contract"), "labels");
    return index < labels.size() ? plainText(labels[index], 30) : QString::number(index);
}

// Classes with precision, recall, F1 and the row of the confusion matrix, shaded by its share.
void classTable(const json& report, const json& run, DocumentBuilder& out) {
    const auto& metrics = fieldOf(run, "metrics");
    const auto& classes = listOf(metrics, "classes");
    const auto& confusion = listOf(metrics, "confusion");
    if (classes.empty()) {
        return;
    }
    constexpr std::size_t kMostColumns = 8;
    std::vector<Column> columns{{u"true class"_s},
                                {u"photos"_s, true},
                                {u"precision"_s, true},
                                {u"recall"_s, true},
                                {u"F1"_s, true}};
    const std::size_t shown = classes.size() <= kMostColumns ? classes.size() : 0;
    for (std::size_t c = 0; c < shown; ++c) {
        columns.push_back({u"said\n"_s + labelAt(report, c), true});
    }
    std::vector<std::vector<Cell>> rows;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        const auto& one = classes[c];
        std::vector<Cell> row{Cell(labelAt(report, c), Tone::Plain, true),
                              countText(fieldOf(one, "support")),
                              fixedText(numberOf(fieldOf(one, "precision")), 3),
                              fixedText(numberOf(fieldOf(one, "recall")), 3),
                              fixedText(numberOf(fieldOf(one, "f1")), 3)};
        const double support = static_cast<double>(wholeOf(fieldOf(one, "support")));
        for (std::size_t said = 0; said < shown; ++said) {
            const auto& counts = c < confusion.size() ? confusion[c] : json();
            Cell cell(counts.is_array() && said < counts.size() ? countText(counts[said])
                                                                : notAvailable(),
                      Tone::Plain, said == c);
            if (counts.is_array() && said < counts.size() && support > 0) {
                const double share =
                    std::clamp(static_cast<double>(wholeOf(counts[said])) / support, 0.0, 1.0);
                const auto& end = said == c ? kGoodFill : kBadFill;
                const auto mix = [&](int to) {
                    return static_cast<int>(
                        std::lround(255 + (to - 255) * std::min(1.0, 0.15 + share)));
                };
                cell.fill = share > 0 ? QColor(mix(end.red()), mix(end.green()), mix(end.blue()))
                                      : QColor();
            }
            row.push_back(cell);
        }
        rows.push_back(row);
    }
    out.subheading(u"%1, class by class"_s.arg(runLabel(run)));
    out.table(columns, rows);
}

QString signedPercentPoints(const json& interval) {
    if (!interval.is_array()) {
        return notAvailable();
    }
    return u"%1–%2"_s.arg(fixedText(100 * boundOf(interval, 0), 1),
                          percentText(boundOf(interval, 1), 1));
}

void changesTable(const json& run, DocumentBuilder& out) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& change : listOf(run, "changes")) {
        const bool all = plainText(fieldOf(change, "label")) == u"all"_s;
        const double p = numberOf(fieldOf(change, "holmP"));
        rows.push_back({Cell(plainText(fieldOf(change, "label"), 40), Tone::Plain, true),
                        countText(fieldOf(change, "examples")),
                        countText(fieldOf(change, "acceptToReject")),
                        countText(fieldOf(change, "rejectToAccept")),
                        countText(fieldOf(change, "nearThreshold")),
                        fixedText(numberOf(fieldOf(change, "largestChange")), 4),
                        fixedText(numberOf(fieldOf(change, "meanChange")), 4),
                        signedPercentPoints(fieldOf(change, "changedShare")),
                        all && std::isnan(p) ? shortText(numberOf(fieldOf(change, "mcnemarP")), 3)
                                             : shortText(p, 3),
                        Cell(plainText(fieldOf(change, "words")),
                             p < 0.05 ? Tone::Bad : Tone::Plain, p < 0.05)});
    }
    out.table({{u"true class"_s},
               {u"photos"_s, true},
               {u"accept →\nreject"_s, true},
               {u"reject →\naccept"_s, true},
               {u"baseline\nnear"_s, true},
               {u"largest\nchange"_s, true},
               {u"mean\nchange"_s, true},
               {u"share changed\n(95 %)"_s, true},
               {u"p (exact,\nHolm)"_s, true},
               {u"in words"_s}},
              rows);
}

void flippedPhotos(const json& run, const PhotoSource& photos, DocumentBuilder& out) {
    constexpr std::size_t kShown = 18;
    std::vector<std::pair<QImage, QString>> shown;
    std::size_t all = 0;
    for (const auto& change : listOf(run, "changes")) {
        if (fieldOf(change, "label") == json("all")) {
            continue;  // the same photos once more
        }
        for (const auto& id : listOf(change, "flipped")) {
            ++all;
            if (shown.size() < kShown) {
                const auto row = wholeOf(id);
                shown.emplace_back(
                    photos ? photos(row) : QImage(),
                    u"photo %1\n%2"_s.arg(row).arg(plainText(fieldOf(change, "label"), 30)));
            }
        }
    }
    if (all == 0) {
        out.note(u"No photo changed sides."_s);
        return;
    }
    out.photos(all == shown.size()
                   ? u"Photos whose decision flipped, with their true class:"_s
                   : u"The first %1 of %2 photos whose decision flipped, with their true class:"_s
                         .arg(shown.size())
                         .arg(all),
               shown);
}

void tapeTable(const json& drill, DocumentBuilder& out) {
    constexpr std::size_t kBefore = 24, kAfter = 12;
    const auto& tape = listOf(drill, "tape");
    const auto crash = wholeOf(fieldOf(drill, "crashedAtCall"));
    const auto when = plainText(fieldOf(drill, "when"));
    std::vector<std::vector<Cell>> rows;
    for (std::size_t i = 0; i < tape.size(); ++i) {
        const auto index = wholeOf(fieldOf(tape[i], "index"));
        if (index < crash - static_cast<std::int64_t>(kBefore) ||
            index > crash + static_cast<std::int64_t>(kAfter)) {
            continue;
        }
        const bool here = index == crash;
        auto path = plainText(fieldOf(tape[i], "path"), 300);
        Cell where(path.section(QLatin1Char('/'), -1));
        if (path.contains(u" -> "_s)) {  // a rename: both names without their folders
            where.text = path.section(u" -> "_s, 0, 0).section(QLatin1Char('/'), -1) + u" → "_s +
                         path.section(u" -> "_s, 1).section(QLatin1Char('/'), -1);
        }
        where.fixedWidth = true;
        rows.push_back({QString::number(index), plainText(fieldOf(tape[i], "operation")), where,
                        wholeOf(fieldOf(tape[i], "bytes")) > 0
                            ? bytesText(fieldOf(tape[i], "bytes"))
                            : QString(),
                        here ? Cell(u"✗ died %1 this call"_s.arg(when), Tone::Bad, true)
                        : index < crash ? Cell(u"done"_s, Tone::Quiet)
                                        : Cell(u"never reached"_s, Tone::Quiet)});
        if (here) {
            for (auto& cell : rows.back()) {
                cell.fill = kBadFill;
            }
        }
    }
    out.table({{u"call"_s, true, 7},
               {u"operation"_s, false, 16},
               {u"file"_s, false, 41},
               {u"bytes"_s, true, 12},
               {u"what happened"_s, false, 24}},
              rows);
}

// One row per name, its size at the three moments.
void directoryTable(const json& drill, DocumentBuilder& out) {
    std::map<QString, std::vector<Cell>> byName;
    const char* kMoments[] = {"before", "afterCrash", "afterRecovery"};
    for (std::size_t moment = 0; moment < 3; ++moment) {
        for (const auto& entry : listOf(drill, kMoments[moment])) {
            auto& cells = byName[plainText(fieldOf(entry, "name"))];
            cells.resize(4, Cell(u"–"_s, Tone::Quiet));
            cells[moment + 1] = Cell(plainText(fieldOf(entry, "kind")) == u"file"_s
                                         ? bytesText(fieldOf(entry, "size"))
                                         : plainText(fieldOf(entry, "kind")));
        }
    }
    std::vector<std::vector<Cell>> rows;
    for (auto& [name, cells] : byName) {
        cells[0] = Cell(name);
        cells[0].fixedWidth = true;
        rows.push_back(cells);
    }
    if (!rows.empty()) {
        out.table({{u"checkpoint folder"_s, false, 46},
                   {u"before"_s, true, 18},
                   {u"after the crash"_s, true, 18},
                   {u"after recovery"_s, true, 18}},
                  rows);
    }
}

QString textOr(const json& value, const QString& otherwise) {
    return value.is_string() && !value.get_ref<const std::string&>().empty()
               ? plainText(value, 1000)
               : otherwise;
}

void chainPart(const json& drill, DocumentBuilder& out) {
    out.bullet(u"Recovery took %1 and continued at update %2."_s
                   .arg(textOr(fieldOf(drill, "chosen"), u"no checkpoint"_s))
                   .arg(wholeOf(fieldOf(drill, "resumedAtUpdate"))));
    for (const auto& rejected : listOf(drill, "rejected")) {
        out.bullet(u"Set aside: %1 – %2"_s.arg(plainText(fieldOf(rejected, "file")),
                                               plainText(fieldOf(rejected, "reason"))));
    }
    for (const auto& name : listOf(drill, "removedTemporaries")) {
        out.bullet(u"Removed temporary: %1"_s.arg(plainText(name)));
    }
    const bool first = isTrue(fieldOf(drill, "firstUpdateEqual"));
    out.bullet(
        u"%1 of %2 updates after it equal the uninterrupted run bit for bit "
        "(losses and receipt chain); the first one %3."_s
            .arg(wholeOf(fieldOf(drill, "equalUpdates")))
            .arg(wholeOf(fieldOf(drill, "comparedUpdates")))
            .arg(first ? u"is equal"_s : u"differs"_s));
    if (const auto reason = textOr(fieldOf(drill, "notBitExact"), {}); !reason.isEmpty()) {
        out.bullet(u"Not bit-exact by design (%1): tolerance %2, measured difference %3."_s.arg(
            reason, shortText(numberOf(fieldOf(drill, "tolerance"))),
            powerText(numberOf(fieldOf(drill, "measuredDifference")))));
    }
    if (const auto control = textOr(fieldOf(drill, "negativeControl"), {}); !control.isEmpty()) {
        const bool differs = isTrue(fieldOf(drill, "negativeControlDiffers"));
        out.bullet(u"Negative control: %1 – %2"_s.arg(control,
                                                      differs ? u"the chain differs, as it must."_s
                                                              : u"the chain does NOT differ."_s),
                   differs ? Tone::Plain : Tone::Bad);
    }
}

}  // namespace

void validationSection(const SectionInput& in) {
    const auto runs = validatedRuns(in.report);
    if (runs.empty()) {
        in.out.paragraph(u"No run has been validated yet."_s);
        return;
    }
    in.out.note(
        u"On the frozen validation set. Undefined figures are n/a and left out of means; a "
        "prediction that is not a number counts as invalid, never as a class."_s);
    std::vector<PlotPicture> plots{accuracyPlot(runs, in.out)};
    if (auto difference = differencePlot(in.report, runs.size(), in.out)) {
        plots.push_back(*difference);
    }
    in.out.plots(plots);
    metricsTable(runs, in.out);
    for (const auto* run : runs) {
        classTable(in.report, *run, in.out);
    }
}

void thresholdSection(const SectionInput& in) {
    const auto& comparison = fieldOf(in.report, "comparison");
    if (!comparison.is_object()) {
        in.out.paragraph(noComparison(in.report));
        return;
    }
    const auto& contract = fieldOf(in.report, "contract");
    in.out.note(
        u"Accepted when p(%1) ≥ %2. Against the baseline %3; p-values by "
        "McNemar's exact test, corrected over the classes (Holm)."_s.arg(
            plainText(fieldOf(contract, "acceptLabel")),
            shortText(numberOf(fieldOf(contract, "acceptanceThreshold"))),
            plainText(fieldOf(fieldOf(comparison, "baseline"), "name"))));
    for (const auto& run : listOf(comparison, "runs")) {
        in.out.subheading(plainText(fieldOf(fieldOf(run, "facts"), "name"), 60));
        if (listOf(run, "changes").empty()) {
            in.out.paragraph(u"Not compared: another validation set, or no predictions."_s);
            continue;
        }
        changesTable(run, in.out);
        flippedPhotos(run, in.photos, in.out);
    }
}

void recoverySection(const SectionInput& in) {
    const auto& drills = listOf(in.report, "recovery");
    if (drills.empty()) {
        in.out.paragraph(u"No drill yet: run receiptbench drill."_s);
        return;
    }
    for (const auto& drill : drills) {
        const bool proven = isTrue(fieldOf(drill, "proven"));
        const auto run = plainText(fieldOf(drill, "run"), 60);
        const auto death =
            wholeOf(fieldOf(drill, "childSignal")) != 0
                ? u"died by signal %1"_s.arg(wholeOf(fieldOf(drill, "childSignal")))
                : u"ended with exit code %1"_s.arg(wholeOf(fieldOf(drill, "childExit")));
        in.out.subheading(u"Drill of %1"_s.arg(run));
        in.out.card(proven ? u"✓ Recovery proven"_s : u"✗ Recovery NOT proven"_s,
                    u"A child process training a copy of %1 %2 %3 call %4 of writing the "
                    "checkpoint of update %5."_s.arg(run, death, plainText(fieldOf(drill, "when")))
                        .arg(wholeOf(fieldOf(drill, "crashedAtCall")))
                        .arg(wholeOf(fieldOf(drill, "crashedAtUpdate"))),
                    proven ? Tone::Good : Tone::Bad);
        chainPart(drill, in.out);
        tapeTable(drill, in.out);
        directoryTable(drill, in.out);
    }
}

}  // namespace receiptbench
