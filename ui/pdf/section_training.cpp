// What happened while training: gradients, ledger, loss.
#include <algorithm>
#include <cmath>

#include "ui/pdf/report_style.h"
#include "ui/pdf/report_values.h"
#include "ui/pdf/sections.h"

namespace receiptbench {

using namespace Qt::StringLiterals;

namespace {

using nlohmann::json;

void gradientPlot(const json& run, DocumentBuilder& out) {
    const auto& check = fieldOf(run, "gradientCheck");
    const auto& layers = listOf(check, "layers");
    DotPlot plot;
    plot.title = u"Relative L2 distance from the full batch, by layer (before the run %1)"_s.arg(
        runLabel(run));
    plot.logarithmic = true;
    plot.series = {{u"accumulated microbatches"_s, {}, {}, {}, 0},
                   {u"deliberately wrong: mean of microbatch means"_s, {}, {}, {}, 1}};
    for (const auto& layer : layers) {
        plot.rows.push_back(plainText(fieldOf(layer, "parameter"), 48));
        plot.series[0].values.push_back(numberOf(fieldOf(layer, "relativeL2")));
        plot.series[1].values.push_back(numberOf(fieldOf(layer, "wrongRelativeL2")));
    }
    const double tolerance = numberOf(fieldOf(check, "tolerance"));
    plot.limits.push_back({tolerance, u"tolerance %1"_s.arg(shortText(tolerance))});
    const double rows = std::clamp(static_cast<double>(plot.rows.size()), 4.0, 60.0);
    out.plots({drawPlot(plot, {out.width(), points(70 + 11 * rows)})});
}

void layerTable(const json& check, DocumentBuilder& out) {
    std::vector<std::vector<Cell>> rows;
    const double tolerance = numberOf(fieldOf(check, "tolerance"));
    for (const auto& layer : listOf(check, "layers")) {
        const double error = numberOf(fieldOf(layer, "relativeL2"));
        const bool good = error <= tolerance || numberOf(fieldOf(layer, "fullNorm")) == 0;
        rows.push_back({plainText(fieldOf(layer, "parameter")),
                        powerText(numberOf(fieldOf(layer, "fullNorm")), 4),
                        Cell(powerText(error), good ? Tone::Plain : Tone::Bad, !good),
                        powerText(numberOf(fieldOf(layer, "wrongRelativeL2"))),
                        powerText(numberOf(fieldOf(layer, "largestAbsolute")))});
    }
    out.table({{u"parameter"_s, false, 36},
               {u"norm of the full batch"_s, true, 18},
               {u"accumulated"_s, true, 15},
               {u"wrong run"_s, true, 15},
               {u"largest difference"_s, true, 16}},
              rows);
}

// "11 × 4 + 3"
QString cutText(const std::vector<std::int64_t>& microbatches) {
    QStringList parts;
    for (std::size_t i = 0; i < microbatches.size();) {
        std::size_t same = 1;
        while (i + same < microbatches.size() && microbatches[i + same] == microbatches[i]) {
            ++same;
        }
        const auto size = QString::number(microbatches[i]);
        parts << (same > 1 ? u"%1 × %2"_s.arg(same).arg(size) : size);
        i += same;
    }
    return parts.join(u" + "_s);
}

std::vector<Cell> checkRow(const json& run) {
    const auto& check = fieldOf(run, "gradientCheck");
    const double error = numberOf(fieldOf(check, "worstRelativeL2")),
                 wrong = numberOf(fieldOf(check, "wrongRelativeL2"));
    const double tolerance = numberOf(fieldOf(check, "tolerance"));
    const bool equal = error <= tolerance, caught = wrong > tolerance;
    const auto size =
        u"%1 × %2"_s.arg(wholeOf(fieldOf(check, "height"))).arg(wholeOf(fieldOf(check, "width")));
    return {Cell(runLabel(run), Tone::Plain, true),
            QString::number(wholeOf(fieldOf(check, "examples"))),
            cutText(wholesOf(fieldOf(check, "microbatches"))),
            isTrue(fieldOf(check, "reducedSize")) ? size + u" (reduced)"_s : size,
            powerText(error),
            powerText(tolerance, 1),
            powerText(wrong),
            equal && caught
                ? Cell(u"✓ equal; wrong run caught"_s, Tone::Good)
                : Cell(equal ? u"✗ wrong run not caught"_s : u"✗ not equal"_s, Tone::Bad, true)};
}

// A series of one figure per update.
PlotLine curveOf(const json& run, const char* key, int style) {
    PlotLine line;
    line.name = runLabel(run);
    line.style = style;
    for (const auto& update : listOf(run, "updates")) {
        line.x.push_back(numberOf(fieldOf(update, "update")));
        line.y.push_back(numberOf(fieldOf(update, key)));
    }
    return line;
}

bool isConstant(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(),
                       [&](double value) { return value == values.front(); });
}

void scalePlot(const json& runs, DocumentBuilder& out) {
    LinePlot plot;
    plot.title = u"Loss scale, before each update"_s;
    plot.xLabel = u"update"_s;
    plot.logarithmic = true;
    int style = 0;
    for (const auto& run : runs) {
        auto line = curveOf(run, "scaleBefore", style++);
        if (line.y.empty() || (isConstant(line.y) && line.y.front() == 1)) {
            continue;  // no scaler in this mode
        }
        line.steps = true;
        for (const auto& update : listOf(run, "updates")) {
            if (!isTrue(fieldOf(update, "wasApplied"))) {
                line.markedX.push_back(numberOf(fieldOf(update, "update")));
                line.markedY.push_back(numberOf(fieldOf(update, "scaleBefore")));
            }
        }
        line.markedName = line.name + u": skipped"_s;
        plot.lines.push_back(line);
    }
    if (!plot.lines.empty()) {
        out.plots({drawPlot(plot, {out.width(), millimetres(48)})});
    }
}

void skipTable(const json& runs, DocumentBuilder& out) {
    out.subheading(u"Skipped updates"_s);
    std::vector<std::vector<Cell>> rows;
    for (const auto& run : runs) {
        for (const auto& update : listOf(run, "updates")) {
            if (isTrue(fieldOf(update, "wasApplied"))) {
                continue;
            }
            const auto& injected = fieldOf(update, "overflowInjected");
            const bool onPurpose =
                injected.is_string() && !injected.get_ref<const std::string&>().empty();
            rows.push_back({Cell(runLabel(run), Tone::Plain, true),
                            QString::number(wholeOf(fieldOf(update, "update"))),
                            plainText(fieldOf(update, "skipReason")),
                            countText(fieldOf(update, "nonFiniteElements")),
                            shortText(numberOf(fieldOf(update, "scaleBefore")), 7),
                            shortText(numberOf(fieldOf(update, "scaleAfter")), 7),
                            onPurpose ? plainText(injected) : QString()});
        }
    }
    if (rows.empty()) {
        out.paragraph(u"None."_s);
        return;
    }
    constexpr std::size_t kShown = 40;
    if (rows.size() > kShown) {
        const auto more = rows.size() - kShown;
        rows.resize(kShown);
        rows.push_back({u"… and %1 more, see the ledgers"_s.arg(more)});
    }
    out.table({{u"run"_s},
               {u"update"_s, true},
               {u"reason"_s},
               {u"elements not\nfinite"_s, true},
               {u"scale\nbefore"_s, true},
               {u"scale\nafter"_s, true},
               {u"injected on purpose"_s}},
              rows);
}

std::vector<Cell> ledgerRow(const json& run) {
    const auto& ledger = fieldOf(run, "ledger");
    const auto skipped = wholeOf(fieldOf(ledger, "skipped"));
    const auto fewest = wholeOf(fieldOf(ledger, "fewestAcceptedInAnUpdate")),
               most = wholeOf(fieldOf(ledger, "mostAcceptedInAnUpdate"));
    return {Cell(runLabel(run), Tone::Plain, true),
            countText(fieldOf(ledger, "attempted")),
            countText(fieldOf(ledger, "applied")),
            Cell(QString::number(skipped), skipped > 0 ? Tone::Bad : Tone::Plain, skipped > 0),
            countText(fieldOf(ledger, "updatesWithNonFiniteGradients")),
            countText(fieldOf(ledger, "acceptedExamples")),
            fewest == most ? QString::number(most) : u"%1–%2"_s.arg(fewest).arg(most),
            joinedText(wholesOf(fieldOf(ledger, "classMix")), u" / "_s),
            countText(fieldOf(ledger, "replans")),
            plainText(fieldOf(run, "normalisation"))};
}

void messages(const json& runs, DocumentBuilder& out) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& run : runs) {
        rows.push_back({Cell(runLabel(run), Tone::Plain, true),
                        QString::number(listOf(run, "checkpoints").size()),
                        QString::number(listOf(run, "resumes").size()),
                        QString::number(wholeOf(fieldOf(run, "damagedLines"))),
                        plainText(fieldOf(run, "state"))});
    }
    out.subheading(u"Checkpoints and resumes"_s);
    out.table({{u"run"_s, false, 30},
               {u"checkpoints"_s, true, 18},
               {u"resumes"_s, true, 17},
               {u"ledger lines cut by a crash"_s, true, 20},
               {u"state"_s, false, 15}},
              rows);
}

}  // namespace

void gradientSection(const SectionInput& in) {
    in.out.note(
        u"Before each run, on a copied model: accumulated microbatches against the full batch, and "
        "beside it the deliberately wrong gradient "
        "(short microbatch means / number of microbatches), which has to be told apart. The "
        "tolerance is for all parameters together; a single layer beyond it is marked."_s);
    std::vector<std::vector<Cell>> rows;
    const json* first = nullptr;
    for (const auto& run : listOf(in.report, "runs")) {
        if (fieldOf(run, "gradientCheck").is_object()) {
            rows.push_back(checkRow(run));
            first = first == nullptr ? &run : first;
        }
    }
    if (first == nullptr) {
        in.out.paragraph(u"No check yet: run receiptbench check."_s);
        return;
    }
    in.out.table({{u"run"_s},
                  {u"examples"_s, true},
                  {u"microbatches"_s},
                  {u"image"_s},
                  {u"worst layer"_s, true},
                  {u"tolerance"_s, true},
                  {u"wrong run"_s, true},
                  {u"result"_s}},
                 rows);
    if (!listOf(fieldOf(*first, "gradientCheck"), "layers").empty()) {
        gradientPlot(*first, in.out);
        layerTable(fieldOf(*first, "gradientCheck"), in.out);
    }
}

void ledgerSection(const SectionInput& in) {
    const auto& runs = listOf(in.report, "runs");
    if (runs.empty()) {
        in.out.paragraph(u"No run yet."_s);
        return;
    }
    std::vector<std::vector<Cell>> rows;
    for (const auto& run : runs) {
        rows.push_back(ledgerRow(run));
    }
    in.out.table({{u"run"_s},
                  {u"attempted"_s, true},
                  {u"applied"_s, true},
                  {u"skipped"_s, true},
                  {u"not\nfinite"_s, true},
                  {u"accepted\nexamples"_s, true},
                  {u"an update"_s, true},
                  {u"class mix"_s, true},
                  {u"replans"_s, true},
                  {u"normalised by"_s}},
                 rows);
    scalePlot(runs, in.out);
    skipTable(runs, in.out);
    messages(runs, in.out);
}

void lossSection(const SectionInput& in) {
    LinePlot loss, norm;
    loss.title = u"Training loss, not smoothed"_s;
    norm.title = u"Gradient norm before clipping"_s;
    loss.xLabel = norm.xLabel = u"update"_s;
    norm.logarithmic = true;
    int style = 0;
    for (const auto& run : listOf(in.report, "runs")) {
        if (!listOf(run, "updates").empty()) {
            loss.lines.push_back(curveOf(run, "loss", style));
            norm.lines.push_back(curveOf(run, "gradientNorm", style));
        }
        ++style;
    }
    if (loss.lines.empty()) {
        in.out.paragraph(u"No update yet."_s);
        return;
    }
    in.out.plots({drawPlot(loss, {in.out.width(), millimetres(72)})});
    in.out.plots({drawPlot(norm, {in.out.width(), millimetres(52)})});
}

}  // namespace receiptbench
