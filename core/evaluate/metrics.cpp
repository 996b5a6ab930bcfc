#include "core/evaluate/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace receiptbench {
namespace {

std::size_t index(std::int64_t value) {
    return static_cast<std::size_t>(value);
}

std::optional<double> ratio(double numerator, double denominator) {
    if (denominator == 0) {
        return std::nullopt;
    }
    return numerator / denominator;
}

// Of the defined ones only; none when there is none.
std::optional<double> meanOf(const std::vector<std::optional<double>>& values) {
    double sum = 0;
    std::int64_t count = 0;
    for (const auto& value : values) {
        if (value) {
            sum += *value;
            ++count;
        }
    }
    return ratio(sum, static_cast<double>(count));
}

const double* rowOf(const Predictions& predictions, std::int64_t row) {
    return predictions.probabilities.data() + row * predictions.classes;
}

void countClasses(const Predictions& predictions, Metrics& metrics) {
    const auto classes = index(predictions.classes);
    metrics.classes.resize(classes);
    metrics.confusion.assign(classes, std::vector<std::int64_t>(classes, 0));
    metrics.examples = predictions.size();
    for (std::int64_t row = 0; row < predictions.size(); ++row) {
        const auto label = index(predictions.labels[index(row)]);
        const auto predicted = predictedClass(predictions, row);
        ++metrics.classes[label].support;
        if (predicted < 0) {
            ++metrics.invalid;
            continue;
        }
        ++metrics.classes[index(predicted)].predicted;
        ++metrics.confusion[label][index(predicted)];
        if (index(predicted) == label) {
            ++metrics.classes[label].correct;
            ++metrics.correct;
        }
    }
}

void scoreClasses(Metrics& metrics) {
    std::vector<std::optional<double>> recalls, scores;
    for (auto& one : metrics.classes) {
        const auto correct = static_cast<double>(one.correct);
        one.precision = ratio(correct, static_cast<double>(one.predicted));
        one.recall = ratio(correct, static_cast<double>(one.support));
        // 2TP / (2TP + FP + FN): 0, not undefined, for a class that was predicted but absent.
        one.f1 = ratio(2 * correct, static_cast<double>(one.predicted + one.support));
        recalls.push_back(one.recall);
        scores.push_back(one.f1);
    }
    metrics.balancedAccuracy = meanOf(recalls);
    metrics.macroF1 = meanOf(scores);
    metrics.accuracy =
        ratio(static_cast<double>(metrics.correct), static_cast<double>(metrics.examples));
    metrics.accuracyInterval = wilson(metrics.correct, metrics.examples);
}

// NLL and Brier (sum over classes) over the valid rows.
void scoreProbabilities(const Predictions& predictions, Metrics& metrics) {
    double nll = 0, brier = 0;
    std::int64_t valid = 0;
    for (std::int64_t row = 0; row < predictions.size(); ++row) {
        if (predictedClass(predictions, row) < 0) {
            continue;
        }
        const double* p = rowOf(predictions, row);
        const auto label = predictions.labels[index(row)];
        nll -= std::log(std::max(p[label], std::numeric_limits<double>::min()));
        for (std::int64_t c = 0; c < predictions.classes; ++c) {
            const double difference = p[c] - (c == label ? 1.0 : 0.0);
            brier += difference * difference;
        }
        ++valid;
    }
    metrics.nll = ratio(nll, static_cast<double>(valid));
    metrics.brier = ratio(brier, static_cast<double>(valid));
}

// Guo et al., "On calibration of modern neural networks", ICML 2017: 15 equal bins (a, b] of the
// largest probability.
std::optional<double> calibrationError(const Predictions& predictions) {
    constexpr int kBins = 15;
    double confidence[kBins] = {}, correct[kBins] = {};
    std::int64_t valid = 0;
    for (std::int64_t row = 0; row < predictions.size(); ++row) {
        const auto predicted = predictedClass(predictions, row);
        if (predicted < 0) {
            continue;
        }
        const double p = rowOf(predictions, row)[predicted];
        const int bin = std::clamp(static_cast<int>(std::ceil(p * kBins)) - 1, 0, kBins - 1);
        confidence[bin] += p;
        correct[bin] += predicted == predictions.labels[index(row)] ? 1.0 : 0.0;
        ++valid;
    }
    double error = 0;
    for (int bin = 0; bin < kBins; ++bin) {
        error += std::abs(confidence[bin] - correct[bin]);
    }
    return ratio(error, static_cast<double>(valid));
}

struct Scored {
    double score;
    bool positive;
};

std::vector<Scored> scoresOf(const Predictions& predictions, std::int64_t acceptIndex) {
    std::vector<Scored> scored;
    for (std::int64_t row = 0; row < predictions.size(); ++row) {
        if (predictedClass(predictions, row) >= 0) {
            scored.push_back({rowOf(predictions, row)[acceptIndex],
                              predictions.labels[index(row)] == acceptIndex});
        }
    }
    std::sort(scored.begin(), scored.end(),
              [](const Scored& a, const Scored& b) { return a.score > b.score; });
    return scored;
}

// Equal scores are one step of the curve: AUROC counts such pairs as half, average precision takes
// the group's end.
void scoreRanking(const Predictions& predictions, std::int64_t acceptIndex, Metrics& metrics) {
    const auto scored = scoresOf(predictions, acceptIndex);
    double positives = 0, negatives = 0;
    for (const auto& one : scored) {
        (one.positive ? positives : negatives) += 1;
    }
    double truePositives = 0, falsePositives = 0, area = 0, averagePrecision = 0;
    for (std::size_t begin = 0; begin < scored.size();) {
        double up = 0, right = 0;
        std::size_t end = begin;
        for (; end < scored.size() && scored[end].score == scored[begin].score; ++end) {
            (scored[end].positive ? up : right) += 1;
        }
        area += right * (truePositives + up / 2);
        truePositives += up;
        falsePositives += right;
        if (positives > 0) {
            averagePrecision += up / positives * truePositives / (truePositives + falsePositives);
        }
        begin = end;
    }
    metrics.auroc = ratio(area, positives * negatives);
    if (positives > 0) {
        metrics.averagePrecision = averagePrecision;
    }
}

void check(const Predictions& predictions, std::int64_t acceptIndex) {
    if (predictions.classes < 1 || acceptIndex < 0 || acceptIndex >= predictions.classes ||
        predictions.probabilities.size() !=
            predictions.labels.size() * index(predictions.classes)) {
        throw Error(
            ErrorCode::Data,
            "predictions of the wrong shape: " + std::to_string(predictions.probabilities.size()) +
                " probabilities for " + std::to_string(predictions.size()) + " labels");
    }
    for (const auto label : predictions.labels) {
        if (label < 0 || label >= predictions.classes) {
            throw Error(ErrorCode::Data, "label " + std::to_string(label) + " is not one of " +
                                             std::to_string(predictions.classes) + " classes");
        }
    }
}

}  // namespace

Predictions fromLogits(const std::vector<float>& logits, const std::vector<std::int64_t>& labels,
                       std::int64_t classes) {
    Predictions predictions{classes, labels, std::vector<double>(logits.begin(), logits.end())};
    check(predictions, 0);
    for (std::int64_t row = 0; row < predictions.size(); ++row) {
        double* p = predictions.probabilities.data() + row * classes;
        const double largest = *std::max_element(p, p + classes);
        double sum = 0;
        for (std::int64_t c = 0; c < classes; ++c) {
            p[c] = std::exp(p[c] - largest);
            sum += p[c];
        }
        for (std::int64_t c = 0; c < classes; ++c) {
            p[c] /= sum;
        }
    }
    return predictions;
}

std::int64_t predictedClass(const Predictions& predictions, std::int64_t row) {
    const double* p = rowOf(predictions, row);
    std::int64_t best = 0;
    for (std::int64_t c = 0; c < predictions.classes; ++c) {
        if (!std::isfinite(p[c])) {
            return -1;
        }
        if (p[c] > p[best]) {
            best = c;
        }
    }
    return best;
}

Metrics computeMetrics(const Predictions& predictions, std::int64_t acceptIndex) {
    check(predictions, acceptIndex);
    Metrics metrics;
    countClasses(predictions, metrics);
    scoreClasses(metrics);
    scoreProbabilities(predictions, metrics);
    metrics.ece = calibrationError(predictions);
    scoreRanking(predictions, acceptIndex, metrics);
    return metrics;
}

}  // namespace receiptbench
