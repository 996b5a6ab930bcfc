// Where memory and time went.
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/pdf/report_style.h"
#include "ui/pdf/report_values.h"
#include "ui/pdf/sections.h"

namespace receiptbench {

using namespace Qt::StringLiterals;

namespace {

using nlohmann::json;

constexpr double kMiB = 1024.0 * 1024.0;

struct Part {
    const char* key;
    const char* name;
    QColor fill;
};
// From the bottom of the stack; neighbours differ in lightness, too.
const std::array<Part, 6>& memoryParts() {
    static const std::array<Part, 6> kParts{{{"parameters", "parameters", QColor(0x3b, 0x44, 0x4f)},
                                             {"gradients", "gradients", kSky},
                                             {"optimizer", "optimizer", kBlue},
                                             {"inputs", "inputs", kYellow},
                                             {"activations", "activations and workspace", kGreen},
                                             {"other", "other", kPurple.lighter(115)}}};
    return kParts;
}
const std::array<Part, 6>& timeParts() {
    static const std::array<Part, 6> kParts{{{"data", "data", kSky},
                                             {"forward", "forward", kBlue},
                                             {"backward", "backward", kOrange},
                                             {"optimizer", "optimizer", kGreen},
                                             {"checkpoint", "checkpoint", QColor(0x3b, 0x44, 0x4f)},
                                             {"other", "other", QColor(0xc4, 0xca, 0xd1)}}};
    return kParts;
}

// By name; the array form is in the categories' order.
double categoryOf(const json& parts, std::size_t index) {
    if (parts.is_array()) {
        return index < parts.size() ? numberOf(parts[index]) : std::nan("");
    }
    return numberOf(fieldOf(parts, memoryParts()[index].key));
}

template <typename Values, typename Keep>
StackPlot memoryStack(const Values& samples, Keep keep) {
    StackPlot plot;
    for (const auto& part : memoryParts()) {
        plot.parts.push_back({QString::fromLatin1(part.name), part.fill, {}});
    }
    for (const auto& sample : samples) {
        if (!keep(sample)) {
            continue;
        }
        plot.x.push_back(numberOf(fieldOf(sample, "seconds")));
        for (std::size_t p = 0; p < plot.parts.size(); ++p) {
            plot.parts[p].values.push_back(categoryOf(fieldOf(sample, "byCategory"), p) / kMiB);
        }
    }
    return plot;
}

void addBudget(const json& run, std::vector<LimitLine>& limits) {
    if (const auto limit = wholeOf(fieldOf(run, "memoryLimit")); limit > 0) {
        limits.push_back({static_cast<double>(limit) / kMiB,
                          u"budget %1"_s.arg(bytesText(fieldOf(run, "memoryLimit")))});
    }
}

StackPlot wholeTrace(const json& run) {
    auto plot = memoryStack(listOf(run, "memoryTrace"), [](const json&) { return true; });
    plot.title = runLabel(run);
    plot.xLabel = u"seconds since the run's start"_s;
    plot.yLabel = u"MiB live"_s;
    addBudget(run, plot.limits);
    return plot;
}

// The update that reached the peak, phase by phase.
StackPlot peakUpdateTrace(const json& run) {
    const auto update = wholeOf(fieldOf(fieldOf(run, "ledger"), "peakAtUpdate"));
    auto plot = memoryStack(listOf(run, "memoryTrace"), [&](const json& sample) {
        return wholeOf(fieldOf(sample, "update")) == update;
    });
    plot.title = u"%1: update %2, which reached the peak"_s.arg(runLabel(run)).arg(update);
    plot.xLabel = u"seconds since the run's start"_s;
    plot.yLabel = u"MiB live"_s;
    addBudget(run, plot.limits);
    return plot;
}

void peakTable(const json& runs, DocumentBuilder& out) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& run : runs) {
        const auto& ledger = fieldOf(run, "ledger");
        const auto& peak = fieldOf(ledger, "peak");
        if (!peak.is_object()) {
            continue;
        }
        std::vector<Cell> row{Cell(runLabel(run), Tone::Plain, true),
                              Cell(bytesText(fieldOf(peak, "total")), Tone::Plain, true)};
        for (std::size_t p = 0; p < memoryParts().size(); ++p) {
            row.push_back(bytesText(json(categoryOf(fieldOf(peak, "atPeak"), p))));
        }
        row.push_back(bytesText(fieldOf(peak, "reserved")));
        row.push_back(QString::number(wholeOf(fieldOf(ledger, "peakAtUpdate"))));
        rows.push_back(row);
    }
    if (rows.empty()) {
        return;
    }
    out.subheading(u"At the peak, by category"_s);
    out.table({{u"run"_s},
               {u"peak"_s, true},
               {u"parameters"_s, true},
               {u"gradients"_s, true},
               {u"optimizer"_s, true},
               {u"inputs"_s, true},
               {u"activations,\nworkspace"_s, true},
               {u"other"_s, true},
               {u"allocated\n+ kept"_s, true},
               {u"at\nupdate"_s, true}},
              rows);
}

const json* firstOf(const json& runs, const char* kind) {
    for (const auto& run : runs) {
        if (plainText(fieldOf(run, "kind")) == QLatin1String(kind)) {
            return &run;
        }
    }
    return runs.empty() ? nullptr : &runs.front();
}

}  // namespace

void memorySection(const SectionInput& in) {
    const auto& runs = listOf(in.report, "runs");
    std::vector<PlotPicture> row;
    in.out.note(
        u"Live bytes by category, sampled at the borders of the phases and at new "
        "peaks. The budget is enforced: an allocation beyond it fails."_s);
    if (const auto* baseline = firstOf(runs, "run");
        baseline != nullptr && !listOf(*baseline, "memoryTrace").empty()) {
        in.out.plots({drawPlot(peakUpdateTrace(*baseline), {in.out.width(), millimetres(58)})});
    }
    for (const auto& run : runs) {
        if (listOf(run, "memoryTrace").empty()) {
            continue;
        }
        auto plot = wholeTrace(run);
        plot.legend = false;  // the colours of the plot above
        row.push_back(drawPlot(plot, {in.out.columnWidth(), millimetres(42)}));
        if (row.size() == 2) {
            in.out.plots(row);
            row.clear();
        }
    }
    if (!row.empty()) {
        in.out.plots(row);
    }
    peakTable(runs, in.out);
    if (runs.empty()) {
        in.out.paragraph(u"No run yet."_s);
    }
}

void timeSection(const SectionInput& in) {
    BarPlot plot;
    plot.xLabel = u"seconds"_s;
    for (const auto& part : timeParts()) {
        plot.parts.push_back({QString::fromLatin1(part.name), part.fill, {}});
    }
    std::vector<std::vector<Cell>> rows;
    for (const auto& run : listOf(in.report, "runs")) {
        const auto& seconds = fieldOf(run, "timeBreakdown");
        double total = 0;
        std::vector<Cell> cells{Cell(runLabel(run), Tone::Plain, true)};
        for (std::size_t p = 0; p < plot.parts.size(); ++p) {
            const double value = numberOf(fieldOf(seconds, timeParts()[p].key));
            plot.parts[p].values.push_back(value);
            total += std::isfinite(value) ? value : 0;
            cells.push_back(fixedText(value, 2));
        }
        cells.push_back(Cell(fixedText(total, 2), Tone::Plain, true));
        plot.rows.push_back(runLabel(run));
        rows.push_back(cells);
    }
    if (rows.empty()) {
        in.out.paragraph(u"No run yet."_s);
        return;
    }
    in.out.plots({drawPlot(
        plot, {in.out.width(),
               points(70 + 20 * static_cast<double>(std::min<std::size_t>(rows.size(), 24)))})});
    std::vector<Column> columns{{u"seconds in"_s, false, 23}};
    for (const auto& part : timeParts()) {
        columns.push_back({QString::fromLatin1(part.name), true, 11});
    }
    columns.push_back({u"all"_s, true, 11});
    in.out.table(columns, rows);
}

}  // namespace receiptbench
