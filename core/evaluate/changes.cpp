#include "core/evaluate/changes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"

namespace receiptbench {
namespace {

constexpr std::int64_t kFewImages =
    20;  // below this, "no change" says little: Wilson's upper end is over 16 %
constexpr double kSignificance = 0.05;

void checkAlike(const Predictions& baseline, const Predictions& candidate, const LabelMap& labels,
                const ThresholdRule& rule) {
    if (baseline.classes != candidate.classes || baseline.labels != candidate.labels) {
        throw Error(
            ErrorCode::Data,
            fmt::format(
                "the runs were not evaluated on the same validation set: {} and {} examples",
                baseline.size(), candidate.size()),
            "evaluate both runs of the same contract again");
    }
    if (labels.size() != baseline.classes || rule.acceptIndex < 0 ||
        rule.acceptIndex >= baseline.classes) {
        throw Error(ErrorCode::Data,
                    fmt::format("{} labels and accept index {} do not fit {} classes",
                                labels.size(), rule.acceptIndex, baseline.classes));
    }
}

ThresholdChange countRows(const Predictions& baseline, const Predictions& candidate,
                          const ThresholdRule& rule, const std::string& label,
                          const std::vector<std::int64_t>& rows) {
    ThresholdChange change;
    change.label = label;
    change.examples = static_cast<std::int64_t>(rows.size());
    double sum = 0, largest = 0;
    std::int64_t valid = 0;
    for (const auto row : rows) {
        const auto before = predictedClass(baseline, row), after = predictedClass(candidate, row);
        change.argmaxChanges += before != after ? 1 : 0;
        if (before < 0 || after < 0) {
            ++change.invalid;
            continue;
        }
        const auto at = static_cast<std::size_t>(row * baseline.classes + rule.acceptIndex);
        const double p = baseline.probabilities[at], q = candidate.probabilities[at];
        ++valid;
        sum += std::abs(q - p);
        largest = std::max(largest, std::abs(q - p));
        change.nearThreshold += std::abs(p - rule.threshold) <= rule.band ? 1 : 0;
        if ((p >= rule.threshold) != (q >= rule.threshold)) {
            ++(p >= rule.threshold ? change.acceptToReject : change.rejectToAccept);
            change.flipped.push_back(row);
        }
    }
    if (valid > 0) {
        change.largestChange = largest;
        change.meanChange = sum / static_cast<double>(valid);
        change.changedShare = wilson(change.acceptToReject + change.rejectToAccept, valid);
        change.mcnemarP = mcnemarExact(change.acceptToReject, change.rejectToAccept);
    }
    return change;
}

// Holm, "A simple sequentially rejective multiple test procedure", 1979.
void adjust(std::vector<ThresholdChange>& classes) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (classes[i].mcnemarP) {
            order.push_back(i);
        }
    }
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return *classes[a].mcnemarP < *classes[b].mcnemarP; });
    double running = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        auto& change = classes[order[rank]];
        running = std::max(running, *change.mcnemarP * static_cast<double>(order.size() - rank));
        change.holmP = std::min(1.0, running);
    }
}

std::string inWords(const ThresholdChange& change) {
    if (change.examples == 0) {
        return "no images";
    }
    if (change.invalid > 0) {
        return fmt::format("{} invalid predictions", change.invalid);
    }
    const double p = change.holmP.value_or(1.0);
    if (p < kSignificance) {
        return fmt::format("{} accepted, p = {:.2g}",
                           change.acceptToReject > change.rejectToAccept ? "fewer" : "more", p);
    }
    if (change.examples < kFewImages) {
        return fmt::format("{} images: too few to tell", change.examples);
    }
    return change.flipped.empty() ? "no change" : "no clear change";
}

}  // namespace

std::vector<ThresholdChange> thresholdChanges(const Predictions& baseline,
                                              const Predictions& candidate, const LabelMap& labels,
                                              const ThresholdRule& rule) {
    checkAlike(baseline, candidate, labels, rule);
    std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(baseline.classes));
    for (std::int64_t row = 0; row < baseline.size(); ++row) {
        rows[static_cast<std::size_t>(baseline.labels[static_cast<std::size_t>(row)])].push_back(
            row);
    }
    std::vector<ThresholdChange> changes;
    for (std::int64_t c = 0; c < baseline.classes; ++c) {
        changes.push_back(countRows(baseline, candidate, rule, labels.name(c),
                                    rows[static_cast<std::size_t>(c)]));
    }
    adjust(changes);
    std::vector<std::int64_t> all(static_cast<std::size_t>(baseline.size()));
    std::iota(all.begin(), all.end(), 0);
    changes.push_back(countRows(baseline, candidate, rule, "all", all));
    changes.back().holmP = changes.back().mcnemarP;  // one question, nothing to correct for
    for (auto& change : changes) {
        change.words = inWords(change);
    }
    return changes;
}

}  // namespace receiptbench
