#include "app/result_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/output.h"
#include "core/base/text.h"

namespace receiptbench {
namespace {

std::string figure(const std::optional<double>& value, const char* pattern) {
    return value ? fmt::format(fmt::runtime(pattern), *value) : "n/a";
}

std::string stateWord(Rule::State state) {
    return state == Rule::State::Passed   ? "passed"
           : state == Rule::State::Failed ? "FAILED"
                                          : "not judged";
}

void showVerdict(const ComparedRun& run, bool everyRule) {
    const auto label = run.kind == "run"              ? ""
                       : run.facts.wrongNormalisation ? " (deliberately wrong)"
                                                      : " (" + run.kind + ")";
    printLine(bold(fmt::format("{}{}: {}{}", run.facts.name, label, toString(run.verdict.outcome),
                               isExpected(run) ? ", as it must be" : "")));
    printLine("  " + run.verdict.words);
    for (const auto& rule : run.verdict.rules) {
        if (everyRule || rule.state == Rule::State::Failed) {
            printLine(fmt::format("  {}: {}: {}", stateWord(rule.state), rule.name, rule.figures));
        }
    }
}

void showChanges(const Comparison& comparison) {
    std::vector<std::vector<std::string>> rows{{"run", "class", "images", "accept>reject",
                                                "reject>accept", "baseline near threshold",
                                                "largest change", "mean change", "in words"}};
    for (const auto& run : comparison.runs) {
        for (const auto& change : run.changes) {
            rows.push_back(
                {run.facts.name, printable(change.label), std::to_string(change.examples),
                 std::to_string(change.acceptToReject), std::to_string(change.rejectToAccept),
                 std::to_string(change.nearThreshold), figure(change.largestChange, "{:.4f}"),
                 figure(change.meanChange, "{:.4f}"), change.words});
        }
    }
    printTable(rows);
}

std::string acceptedText(const nlohmann::json& ledger) {
    const auto fewest = ledger.value("fewestAcceptedInAnUpdate", std::int64_t{0});
    const auto most = ledger.value("mostAcceptedInAnUpdate", std::int64_t{0});
    return fewest == most ? std::to_string(most) : fmt::format("{}-{}", fewest, most);
}

std::vector<std::string> runRow(const nlohmann::json& run) {
    const auto& ledger = run.at("ledger");
    const auto limit = run.at("memoryLimit").get<std::int64_t>();
    const auto peak =
        ledger.at("peak").is_object() ? ledger.at("peak").at("total").get<std::int64_t>() : 0;
    const auto& metrics = run.at("metrics");
    const bool measured = metrics.is_object() && metrics.at("accuracy").is_number();
    return {run.at("name").get<std::string>(),
            run.at("precision").get<std::string>(),
            fmt::format("{} {}", run.at("microbatch").get<std::int64_t>(),
                        run.at("memoryFormat").get<std::string>()),
            formatBytes(peak),
            limit > 0 ? formatBytes(limit) : "none",
            fmt::format("{:.1f}", ledger.at("examplesPerSecond").get<double>()),
            acceptedText(ledger),
            std::to_string(ledger.at("applied").get<std::int64_t>()),
            std::to_string(ledger.at("skipped").get<std::int64_t>()),
            measured ? percent(metrics.at("accuracy").get<double>()) : "n/a"};
}

}  // namespace

void showMetrics(const Metrics& metrics, const LabelMap& labels) {
    printLine(fmt::format("{} of {} correct ({}), 95 % interval {} to {}, {} invalid",
                          metrics.correct, metrics.examples, percent(metrics.accuracy),
                          percent(metrics.accuracyInterval.low),
                          percent(metrics.accuracyInterval.high), metrics.invalid));
    printLine(fmt::format("macro F1 {}, NLL {}", figure(metrics.macroF1, "{:.4f}"),
                          figure(metrics.nll, "{:.4f}")));
    std::vector<std::vector<std::string>> rows{{"class", "images", "precision", "recall", "F1"}};
    for (std::int64_t c = 0; c < labels.size(); ++c) {
        const auto& one = metrics.classes.at(static_cast<std::size_t>(c));
        rows.push_back({printable(labels.name(c)), std::to_string(one.support),
                        figure(one.precision, "{:.4f}"), figure(one.recall, "{:.4f}"),
                        figure(one.f1, "{:.4f}")});
    }
    printTable(rows);
    printLine(bold("true \\ predicted"));
    for (std::int64_t c = 0; c < labels.size(); ++c) {
        printLine(fmt::format("{}: {}", printable(labels.name(c)),
                              fmt::join(metrics.confusion.at(static_cast<std::size_t>(c)), " ")));
    }
}

void showComparison(const Comparison& comparison, bool everyRule) {
    printLine(fmt::format("baseline {}: {} of {} correct ({})", comparison.baseline.name,
                          comparison.baseline.metrics.correct, comparison.baseline.metrics.examples,
                          percent(comparison.baseline.metrics.accuracy)));
    for (const auto& run : comparison.runs) {
        showVerdict(run, everyRule);
    }
    for (const auto& line : comparison.notes) {
        printLine("note: " + line);
    }
    for (const auto& line : comparison.notSupported) {
        printLine("not supported: " + printable(line));
    }
    if (!comparison.runs.empty()) {
        printLine("");
        showChanges(comparison);
    }
}

int verdictExitCode(const Comparison& comparison) {
    int code = 0;
    for (const auto& run : comparison.runs) {
        const bool good = isExpected(run) || (!run.facts.wrongNormalisation &&
                                              run.verdict.outcome == Outcome::Preserved);
        if (!good && run.verdict.outcome != Outcome::NotComparable) {
            return kNotPreserved;  // the graver of the two
        }
        code = good ? code : kNotComparable;
    }
    return code;
}

std::vector<std::string> drillWords(const DrillResult& result) {
    const auto& call = result.tape.at(static_cast<std::size_t>(result.crashedAtCall - 1));
    std::vector<std::string> lines;
    lines.push_back(fmt::format(
        "a child process died by signal {} {} call {} ({}) of the checkpoint write at update {}",
        result.childSignal, toString(result.when), result.crashedAtCall, call.operation,
        result.crashedAtUpdate));
    for (const auto& file : result.rejected) {
        lines.push_back(
            fmt::format("set aside: {}: {}", printable(file.file), printable(file.reason)));
    }
    lines.push_back(
        fmt::format("recovery took {}; the first resumed update ({}) {} the uninterrupted one",
                    result.chosen, result.resumedAtUpdate + 1,
                    result.firstUpdateEqual ? "equals, bit for bit," : "differs from"));
    lines.push_back(fmt::format("{} of {} compared updates are equal bit for bit",
                                result.equalUpdates, result.comparedUpdates));
    if (!result.notBitExact.empty()) {
        lines.push_back(
            fmt::format("not bit-exact ({}): the loss differs by {:.1e} at most, allowed {:.0e}",
                        result.notBitExact, result.measuredDifference, result.tolerance));
    }
    lines.push_back(
        fmt::format("negative control: {}: {}", result.negativeControl,
                    result.negativeControlDiffers ? "differs, as it must" : "DOES NOT DIFFER"));
    lines.push_back(result.proven ? "recovery proven" : "recovery NOT proven");
    return lines;
}

void showRuns(const nlohmann::json& report) {
    std::vector<std::vector<std::string>> rows{{"run", "precision", "microbatch", "peak", "budget",
                                                "examples/s", "accepted/update", "applied",
                                                "skipped", "accuracy"}};
    for (const auto& run : report.at("runs")) {
        rows.push_back(runRow(run));
    }
    printTable(rows);
}

}  // namespace receiptbench
