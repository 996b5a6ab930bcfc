#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/evaluate/changes.h"
#include "core/evaluate/verdict.h"

namespace receiptbench {

// Wilson, "Probable inference, the law of succession, and statistical inference", JASA 1927.
// (Boost's own binomial limits are Clopper-Pearson and Jeffreys.)
Interval wilson(std::int64_t successes, std::int64_t trials, double confidence) {
    if (trials <= 0) {
        return {0.0, 1.0};
    }
    const double z = boost::math::quantile(boost::math::normal(), 0.5 + confidence / 2.0);
    const double n = static_cast<double>(trials);
    const double share = static_cast<double>(successes) / n;
    const double denominator = 1.0 + z * z / n;
    const double centre = (share + z * z / (2.0 * n)) / denominator;
    const double half =
        z * std::sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n)) / denominator;
    // At the ends the formula is exact but for rounding.
    return {successes == 0 ? 0.0 : centre - half, successes == trials ? 1.0 : centre + half};
}

// McNemar's test in its exact, binomial form: two-sided, doubled smaller tail, at most 1.
double mcnemarExact(std::int64_t onlyBaseline, std::int64_t onlyCandidate) {
    const std::int64_t discordant = onlyBaseline + onlyCandidate;
    if (discordant == 0) {
        return 1.0;
    }
    const boost::math::binomial half(static_cast<double>(discordant), 0.5);
    const auto smaller = static_cast<double>(std::min(onlyBaseline, onlyCandidate));
    return std::min(1.0, 2.0 * boost::math::cdf(half, smaller));
}

namespace {

// Per class: candidate correct minus baseline correct, -1, 0 or 1 a row.
std::vector<std::vector<int>> differencesByClass(const Predictions& baseline,
                                                 const Predictions& candidate) {
    std::vector<std::vector<int>> strata(static_cast<std::size_t>(baseline.classes));
    for (std::int64_t row = 0; row < baseline.size(); ++row) {
        const auto label = baseline.labels[static_cast<std::size_t>(row)];
        const int before = predictedClass(baseline, row) == label ? 1 : 0;
        const int after = predictedClass(candidate, row) == label ? 1 : 0;
        strata[static_cast<std::size_t>(label)].push_back(after - before);
    }
    return strata;
}

}  // namespace

// Efron & Tibshirani, "An introduction to the bootstrap", 1993: percentile interval.
Interval pairedAccuracyDifference(const Predictions& baseline, const Predictions& candidate,
                                  std::uint64_t seed, int resamples) {
    if (baseline.labels != candidate.labels || baseline.classes != candidate.classes) {
        throw Error(ErrorCode::Data, "the two runs' predictions have different labels",
                    "evaluate both on the same frozen validation set");
    }
    if (baseline.size() == 0 || resamples < 1) {
        return {0.0, 0.0};
    }
    const auto strata = differencesByClass(baseline, candidate);
    std::vector<double> means(static_cast<std::size_t>(resamples));
    for (int resample = 0; resample < resamples; ++resample) {
        RandomStream random(seed, "bootstrap", static_cast<std::uint64_t>(resample));
        std::int64_t sum = 0;
        for (const auto& stratum : strata) {
            for (std::size_t draw = 0; draw < stratum.size(); ++draw) {
                sum += stratum[random.below(stratum.size())];
            }
        }
        means[static_cast<std::size_t>(resample)] =
            static_cast<double>(sum) / static_cast<double>(baseline.size());
    }
    std::sort(means.begin(), means.end());
    const auto at = [&](double quantile) {
        const double index = quantile * static_cast<double>(means.size() - 1);
        return means[static_cast<std::size_t>(std::lround(index))];
    };
    return {at(0.025), at(0.975)};
}

}  // namespace receiptbench
