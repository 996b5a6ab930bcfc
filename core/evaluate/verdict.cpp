#include "core/evaluate/verdict.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/base/text.h"

namespace receiptbench {
namespace {

using State = Rule::State;

State passedIf(bool good) {
    return good ? State::Passed : State::Failed;
}

State stateOf(const std::optional<bool>& known) {
    return known ? passedIf(*known) : State::NotJudged;
}

std::string signedPercent(double value) {
    return fmt::format("{:+.2f} %", 100 * value);
}

Rule sameContract(const RunFacts& baseline, const RunFacts& candidate) {
    const bool same =
        baseline.contractHash == candidate.contractHash && !candidate.startedFromWeights;
    return {"same contract", passedIf(same),
            candidate.startedFromWeights
                ? "started from other weights than the contract's"
                : fmt::format("{} and {}", baseline.contractHash.substr(0, 12),
                              candidate.contractHash.substr(0, 12))};
}

Rule samePopulation(const RunFacts& baseline, const RunFacts& candidate) {
    const bool same = baseline.validationDigest == candidate.validationDigest &&
                      baseline.metrics.examples == candidate.metrics.examples &&
                      !baseline.validationDigest.empty();
    return {
        "same validation set", passedIf(same),
        fmt::format("{} and {} examples", baseline.metrics.examples, candidate.metrics.examples)};
}

Rule finished(const RunFacts& candidate) {
    const bool whole = candidate.finished && candidate.attempted == candidate.contractUpdates;
    return {"all updates attempted", passedIf(whole),
            fmt::format("{} of {}, {} applied, {} skipped", candidate.attempted,
                        candidate.contractUpdates, candidate.applied, candidate.skipped)};
}

Rule ledgerAddsUp(const RunFacts& candidate) {
    const bool good =
        candidate.attempted == candidate.applied + candidate.skipped &&
        static_cast<std::int64_t>(candidate.acceptedPerUpdate.size()) == candidate.attempted;
    return {"ledger adds up", passedIf(good),
            fmt::format("{} = {} + {}, {} rows", candidate.attempted, candidate.applied,
                        candidate.skipped, candidate.acceptedPerUpdate.size())};
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

// The update from which two columns of the ledger differ (from 1), 0 when they are the same.
template <typename Column>
std::size_t firstDifference(const Column& left, const Column& right) {
    const auto common = std::min(left.size(), right.size());
    for (std::size_t i = 0; i < common; ++i) {
        if (left[i] != right[i]) {
            return i + 1;
        }
    }
    return left.size() == right.size() ? 0 : common + 1;
}

// An epoch's last update may be short under the rule "apply": then both runs have the same short
// ones.
Rule acceptedExamples(const RunFacts& baseline, const RunFacts& candidate,
                      std::int64_t examplesPerUpdate) {
    const auto& accepted = candidate.acceptedPerUpdate;
    const auto exact = std::count(accepted.begin(), accepted.end(), examplesPerUpdate);
    const auto different = firstDifference(baseline.acceptedPerUpdate, accepted);
    std::string figures =
        fmt::format("{} in {} of {} updates, total {} (baseline {})", examplesPerUpdate, exact,
                    accepted.size(), sum(accepted), sum(baseline.acceptedPerUpdate));
    if (different > 0) {
        figures += fmt::format("; differs from update {}", different);
    }
    const bool within = std::all_of(accepted.begin(), accepted.end(), [&](std::int64_t count) {
        return count > 0 && count <= examplesPerUpdate;
    });
    return {"accepted examples per update", passedIf(different == 0 && within), figures};
}

std::string joined(const std::vector<std::int64_t>& values) {
    return fmt::format("{}", fmt::join(values, "/"));
}

std::vector<std::int64_t> totalMix(const RunFacts& facts) {
    std::vector<std::int64_t> total;
    for (const auto& mix : facts.classMixPerUpdate) {
        total.resize(std::max(total.size(), mix.size()));
        for (std::size_t c = 0; c < mix.size(); ++c) {
            total[c] += mix[c];
        }
    }
    return total;
}

Rule classMix(const RunFacts& baseline, const RunFacts& candidate) {
    const auto different = firstDifference(baseline.classMixPerUpdate, candidate.classMixPerUpdate);
    std::string figures = fmt::format("total {} (baseline {})", joined(totalMix(candidate)),
                                      joined(totalMix(baseline)));
    if (different > 0) {
        figures += fmt::format("; differs from update {}", different);
    }
    return {"class mix per update", passedIf(different == 0), figures};
}

Rule sameExamples(const RunFacts& baseline, const RunFacts& candidate) {
    const auto different =
        firstDifference(baseline.idsDigestPerUpdate, candidate.idsDigestPerUpdate);
    return {"same examples in each update", passedIf(different == 0),
            different == 0 ? fmt::format("{} digests equal", candidate.idsDigestPerUpdate.size())
                           : fmt::format("differs from update {}", different)};
}

Rule normalisation(const RunFacts& candidate) {
    return {"loss normalised by accepted examples", passedIf(!candidate.wrongNormalisation),
            candidate.wrongNormalisation
                ? "deliberately wrong: short microbatch means / number of microbatches"
                : "sum of losses / accepted examples"};
}

Rule memory(const RunFacts& baseline, const RunFacts& candidate) {
    if (candidate.memoryLimit <= 0) {
        return {"memory within the budget", State::NotJudged,
                fmt::format("peak {}, no budget set", formatBytes(candidate.peakBytes))};
    }
    const auto figures = fmt::format("peak {} of {}", formatBytes(candidate.peakBytes),
                                     formatBytes(candidate.memoryLimit));
    if (candidate.device != baseline.device || candidate.memoryLimit != baseline.memoryLimit) {
        return {"memory within the budget", State::NotJudged,
                fmt::format("{}; withheld: baseline on {} with {}", figures, baseline.device,
                            formatBytes(baseline.memoryLimit))};
    }
    return {"memory within the budget", passedIf(candidate.peakBytes <= candidate.memoryLimit),
            figures};
}

// Limits are inclusive: a difference of exactly the margin passes, whatever its last bit says.
Rule validation(const RunFacts& baseline, const RunFacts& candidate, double margin,
                Interval difference) {
    constexpr double kRounding = 1e-12;
    const bool good = difference.low >= -margin - kRounding && candidate.metrics.invalid == 0;
    return {"validation not inferior", passedIf(good),
            fmt::format("{}/{} against {}/{}; difference {} to {} (95 %), margin {:.2f} %{}",
                        candidate.metrics.correct, candidate.metrics.examples,
                        baseline.metrics.correct, baseline.metrics.examples,
                        signedPercent(difference.low), signedPercent(difference.high), 100 * margin,
                        candidate.metrics.invalid > 0
                            ? fmt::format("; {} invalid predictions", candidate.metrics.invalid)
                            : std::string())};
}

Rule threshold(const std::vector<ThresholdChange>& changes) {
    if (changes.empty()) {
        return {"acceptance near the threshold", State::NotJudged, "no predictions compared"};
    }
    bool clear = false;
    std::vector<std::string> parts;
    for (const auto& change : changes) {
        clear = clear || change.holmP.value_or(1.0) < 0.05 || change.invalid > 0;
        parts.push_back(fmt::format("{}: -{} +{} ({})", change.label, change.acceptToReject,
                                    change.rejectToAccept, change.words));
    }
    return {"acceptance near the threshold", passedIf(!clear),
            fmt::format("{}", fmt::join(parts, "; "))};
}

std::vector<std::string> failedRules(const std::vector<Rule>& rules) {
    std::vector<std::string> names;
    for (const auto& rule : rules) {
        if (rule.state == State::Failed) {
            names.push_back(rule.name);
        }
    }
    return names;
}

const Rule* find(const std::vector<Rule>& rules, const std::string& name) {
    const auto at = std::find_if(rules.begin(), rules.end(),
                                 [&](const Rule& rule) { return rule.name == name; });
    return at == rules.end() ? nullptr : &*at;
}

// Runs that are not about the same experiment, or did not finish it, are neither preserved nor not:
// what stands in the way.
std::vector<std::string> obstacles(const std::vector<Rule>& rules) {
    std::vector<std::string> names;
    for (const char* name : {"same contract", "same validation set", "all updates attempted"}) {
        const auto* rule = find(rules, name);
        if (rule->state != State::Passed) {
            names.push_back(fmt::format("{} ({})", name, rule->figures));
        }
    }
    if (find(rules, "gradient check")->state == State::NotJudged) {
        names.emplace_back("its gradient check is missing");
    }
    return names;
}

std::string inWords(const RunFacts& candidate, const Verdict& verdict, const RunFacts& baseline) {
    const auto failed = failedRules(verdict.rules);
    if (verdict.outcome == Outcome::Preserved) {
        const auto* recovery = find(verdict.rules, "recovery proven");
        return fmt::format(
            "{} preserves the result of {} ({}/{} against {}/{} correct){}", candidate.name,
            baseline.name, candidate.metrics.correct, candidate.metrics.examples,
            baseline.metrics.correct, baseline.metrics.examples,
            recovery != nullptr && recovery->state != State::Passed ? "; recovery was not drilled"
                                                                    : "");
    }
    if (verdict.outcome == Outcome::NotPreserved) {
        return fmt::format("{} does not preserve the result of {}: {}", candidate.name,
                           baseline.name, fmt::join(failed, ", "));
    }
    return fmt::format("{} cannot be compared with {}: {}", candidate.name, baseline.name,
                       fmt::join(obstacles(verdict.rules), ", "));
}

}  // namespace

std::string toString(Outcome outcome) {
    switch (outcome) {
        case Outcome::Preserved:
            return "preserved";
        case Outcome::NotPreserved:
            return "not preserved";
        case Outcome::NotComparable:
            break;
    }
    return "not comparable";
}

Verdict judge(const RunFacts& baseline, const RunFacts& candidate, std::int64_t examplesPerUpdate,
              double nonInferiorityMargin, Interval accuracyDifference,
              const std::vector<ThresholdChange>& changes) {
    Verdict verdict;
    verdict.rules = {
        sameContract(baseline, candidate),
        samePopulation(baseline, candidate),
        finished(candidate),
        ledgerAddsUp(candidate),
        acceptedExamples(baseline, candidate, examplesPerUpdate),
        classMix(baseline, candidate),
        sameExamples(baseline, candidate),
        normalisation(candidate),
        {"gradient check", stateOf(candidate.gradientCheckPassed),
         "accumulated against full batch, before the run"},
        {"wrong gradient caught", stateOf(candidate.wrongRunCaught),
         "mean of microbatch means, before the run"},
        memory(baseline, candidate),
        validation(baseline, candidate, nonInferiorityMargin, accuracyDifference),
        threshold(changes),
        {"no deliberate overflow", passedIf(!candidate.deliberateOverflow),
         candidate.deliberateOverflow ? "an overflow was injected on purpose" : "none injected"},
        {"recovery proven", stateOf(candidate.recoveryProven), "crash drill of this run"},
    };
    if (!obstacles(verdict.rules).empty()) {
        verdict.outcome = Outcome::NotComparable;
    } else {
        verdict.outcome =
            failedRules(verdict.rules).empty() ? Outcome::Preserved : Outcome::NotPreserved;
    }
    verdict.words = inWords(candidate, verdict, baseline);
    return verdict;
}

}  // namespace receiptbench
