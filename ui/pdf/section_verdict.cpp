// The verdict on each run, with its rules.
#include <algorithm>

#include "ui/pdf/report_values.h"
#include "ui/pdf/sections.h"

namespace receiptbench {

using namespace Qt::StringLiterals;

namespace {

using nlohmann::json;

Tone toneOf(const QString& outcome, bool asExpected) {
    if (outcome == u"preserved"_s) {
        return Tone::Good;
    }
    return asExpected ? Tone::Quiet : Tone::Bad;
}

// Signs, so that the state is not told by colour alone.
Cell ruleState(const json& rule) {
    const auto state = plainText(fieldOf(rule, "state"));
    if (state == u"passed"_s) {
        return {u"✓ passed"_s, Tone::Good};
    }
    return state == u"failed"_s ? Cell(u"✗ failed"_s, Tone::Bad, true) : Cell(state, Tone::Quiet);
}

bool isAsExpected(const json& compared) {
    return plainText(fieldOf(fieldOf(compared, "verdict"), "outcome")) ==
           plainText(fieldOf(compared, "expected"));
}

const json* baselineRun(const json& report) {
    const auto name = fieldOf(fieldOf(fieldOf(report, "comparison"), "baseline"), "name");
    for (const auto& run : listOf(report, "runs")) {
        if (name.is_string() && fieldOf(run, "name") == name) {
            return &run;
        }
    }
    return nullptr;
}

Figure verdictFigure(const json& comparison) {
    int good = 0, all = 0;
    for (const auto& run : listOf(comparison, "runs")) {
        const bool wrong = isTrue(fieldOf(fieldOf(run, "facts"), "wrongNormalisation"));
        all += wrong ? 0 : 1;
        good += !wrong && isAsExpected(run) ? 1 : 0;
    }
    if (all == 0) {
        return {u"–"_s, u"no precision mode compared yet"_s};
    }
    return {u"%1 of %2"_s.arg(good).arg(all),
            all == 1 ? u"precision mode preserves the result"_s
                     : u"precision modes preserve the result"_s,
            good == all ? Tone::Good : Tone::Bad};
}

Figure peakFigure(const json& run) {
    const auto& peak = fieldOf(fieldOf(fieldOf(run, "ledger"), "peak"), "total");
    const auto limit = wholeOf(fieldOf(run, "memoryLimit"));
    const bool over = limit > 0 && wholeOf(peak) > limit;
    return {bytesText(peak),
            limit > 0
                ? u"peak of the baseline, budget %1"_s.arg(bytesText(fieldOf(run, "memoryLimit")))
                : u"peak of the baseline, no budget set"_s,
            over ? Tone::Bad : Tone::Plain};
}

Figure accuracyFigure(const json& run) {
    const auto& metrics = fieldOf(run, "metrics");
    return {percentText(numberOf(fieldOf(metrics, "accuracy"))),
            u"validation accuracy of the baseline, %1 of %2 photos"_s.arg(
                countText(fieldOf(metrics, "correct")), countText(fieldOf(metrics, "examples")))};
}

Figure recoveryFigure(const json& drills) {
    const auto proven = std::count_if(drills.begin(), drills.end(), [](const json& drill) {
        return isTrue(fieldOf(drill, "proven"));
    });
    if (drills.empty()) {
        return {u"–"_s, u"recovery not drilled yet"_s};
    }
    return {u"%1 of %2"_s.arg(proven).arg(drills.size()), u"crash drills recover bit for bit"_s,
            static_cast<std::size_t>(proven) == drills.size() ? Tone::Good : Tone::Bad};
}

// Rules down, runs across; the figures behind each state follow in a part of their own.
void rulesMatrix(const json& compared, DocumentBuilder& out) {
    if (compared.empty()) {
        return;
    }
    constexpr std::size_t kMostRuns = 6;
    std::vector<Column> columns{{u"rule"_s, false, 34}};
    std::vector<std::vector<Cell>> rows;
    for (std::size_t r = 0; r < compared.size() && r < kMostRuns; ++r) {
        columns.push_back({plainText(fieldOf(fieldOf(compared[r], "facts"), "name"), 30)});
        const auto& rules = listOf(fieldOf(compared[r], "verdict"), "rules");
        for (std::size_t i = 0; i < rules.size(); ++i) {
            if (i >= rows.size()) {
                rows.push_back({plainText(fieldOf(rules[i], "name"))});
            }
            rows[i].resize(r + 1);
            rows[i].push_back(ruleState(rules[i]));
        }
    }
    out.subheading(u"The rules behind it"_s);
    out.table(columns, rows);
}

void rulesTable(const json& compared, DocumentBuilder& out) {
    out.subheading(u"%1"_s.arg(plainText(fieldOf(fieldOf(compared, "facts"), "name"))));
    std::vector<std::vector<Cell>> rows;
    for (const auto& rule : listOf(fieldOf(compared, "verdict"), "rules")) {
        rows.push_back({plainText(fieldOf(rule, "name")), ruleState(rule),
                        plainText(fieldOf(rule, "figures"), 2000)});
    }
    out.table({{u"rule"_s, false, 29}, {u"state"_s, false, 13}, {u"figures"_s, false, 58}}, rows);
}

}  // namespace

void verdictSection(const SectionInput& in) {
    const auto& comparison = fieldOf(in.report, "comparison");
    std::vector<Figure> figures{verdictFigure(comparison)};
    if (const auto* baseline = baselineRun(in.report)) {
        figures.push_back(accuracyFigure(*baseline));
        figures.push_back(peakFigure(*baseline));
    }
    figures.push_back(recoveryFigure(listOf(in.report, "recovery")));
    in.out.figures(figures);
    if (!comparison.is_object()) {
        in.out.paragraph(noComparison(in.report));
        return;
    }
    for (const auto& run : listOf(comparison, "runs")) {
        const auto& verdict = fieldOf(run, "verdict");
        const auto outcome = plainText(fieldOf(verdict, "outcome"));
        const bool expected = isAsExpected(run);
        const auto sign = outcome == u"preserved"_s ? u"✓ "_s : u"✗ "_s;
        const bool wrong = isTrue(fieldOf(fieldOf(run, "facts"), "wrongNormalisation"));
        in.out.card(
            sign + u"%1: %2"_s.arg(plainText(fieldOf(fieldOf(run, "facts"), "name")), outcome) +
                (wrong ? expected ? u" – as it must be: the deliberately wrong run"_s
                                  : u" – but it is the deliberately wrong run: the check is blind"_s
                       : QString()),
            plainText(fieldOf(verdict, "words"), 2000),
            wrong && !expected ? Tone::Bad : toneOf(outcome, expected));
    }
    for (const auto& line : listOf(comparison, "notes")) {
        in.out.card(u"– note"_s, plainText(line), Tone::Quiet);
    }
    for (const auto& line : listOf(comparison, "notSupported")) {
        in.out.card(u"– not supported"_s, plainText(line), Tone::Quiet);
    }
    rulesMatrix(listOf(comparison, "runs"), in.out);
}

void rulesSection(const SectionInput& in) {
    const auto& runs = listOf(fieldOf(in.report, "comparison"), "runs");
    if (runs.empty()) {
        in.out.paragraph(noComparison(in.report));
    }
    for (const auto& run : runs) {
        rulesTable(run, in.out);
    }
}

}  // namespace receiptbench
