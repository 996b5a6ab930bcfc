#include "ui/data/photo_filter.h"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>

#include "core/base/text.h"

namespace receiptbench {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("receiptbench::PhotoFilter", text);
}

// Photos that a request names, by their place in the gallery; empty: no request.
std::vector<bool> requestedPhotos(const Gallery& gallery, const PhotoFilter& filter) {
    if (!filter.requested) {
        return {};
    }
    std::vector<bool> wanted(gallery.photos.size(), false);
    for (const auto row : *filter.requested) {
        const auto place = gallery.trainCount + row;
        if (row >= 0 && place < static_cast<std::int64_t>(wanted.size())) {
            wanted[static_cast<std::size_t>(place)] = true;
        }
    }
    return wanted;
}

// Without regard to case where the text is ASCII, which is searched many thousand times a key.
bool containsText(const std::string& where, const QString& text) {
    return QString::fromStdString(where).contains(text, Qt::CaseInsensitive);
}

int changeValue(const PhotoPrediction* prediction) {
    if (prediction == nullptr) {
        return 3;
    }
    switch (prediction->change) {
        case DecisionChange::AcceptToReject:
            return 0;
        case DecisionChange::RejectToAccept:
            return 1;
        case DecisionChange::None:
            return 2;
        case DecisionChange::Unknown:
            break;
    }
    return 3;
}

}  // namespace

bool PhotoFilter::isOff() const {
    return text.isEmpty() && !requested &&
           std::all_of(choice.begin(), choice.end(), [](int value) { return value == kEvery; });
}

std::int64_t FilterResult::every(Facet facet) const {
    const auto& values = of(facet);
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

int facetValues(const Gallery& gallery, Facet facet) {
    const int classes = static_cast<int>(gallery.labels.size());
    switch (facet) {
        case Facet::Split:
            return 2;
        case Facet::Class:
            return classes;
        case Facet::Prediction:
            return classes + 1;
        case Facet::Outcome:
            return 3;
        case Facet::Change:
            return 4;
    }
    return 0;
}

QString facetValueName(const Gallery& gallery, Facet facet, int value) {
    static const char* const kSplits[] = {"training", "validation"};
    static const char* const kOutcomes[] = {"right", "wrong", "not predicted"};
    static const char* const kChanges[] = {"accept → reject", "reject → accept", "same decision",
                                           "not compared"};
    switch (facet) {
        case Facet::Split:
            return tr(kSplits[value]);
        case Facet::Class:
        case Facet::Prediction:
            return value < gallery.labels.size()
                       ? QString::fromStdString(printable(gallery.labels.name(value)))
                       : tr("not predicted");
        case Facet::Outcome:
            return tr(kOutcomes[value]);
        case Facet::Change:
            return tr(kChanges[value]);
    }
    return {};
}

int facetValue(const Gallery& gallery, Facet facet, int run, std::size_t photo) {
    const auto& one = gallery.photos[photo];
    if (facet == Facet::Split) {
        return one.validation ? 1 : 0;
    }
    if (facet == Facet::Class) {
        return static_cast<int>(one.label);
    }
    const auto* prediction =
        run < 0 ? nullptr : gallery.prediction(static_cast<std::size_t>(run), photo);
    const bool valid = prediction != nullptr && prediction->predicted >= 0;
    if (facet == Facet::Prediction) {
        return static_cast<int>(valid ? prediction->predicted : gallery.labels.size());
    }
    if (facet == Facet::Outcome) {
        return !valid ? 2 : prediction->predicted == one.label ? 0 : 1;
    }
    return changeValue(prediction);
}

FilterResult filterPhotos(const Gallery& gallery, const PhotoFilter& filter) {
    FilterResult result;
    for (const auto facet : kAllFacets) {
        result.counts[static_cast<std::size_t>(facet)].assign(
            static_cast<std::size_t>(facetValues(gallery, facet)), 0);
    }
    const auto requested = requestedPhotos(gallery, filter);
    for (std::size_t photo = 0; photo < gallery.photos.size(); ++photo) {
        if ((filter.requested && !requested[photo]) ||
            (!filter.text.isEmpty() && !containsText(gallery.photos[photo].identity, filter.text) &&
             !containsText(gallery.photos[photo].source, filter.text))) {
            continue;
        }
        std::array<int, kFacets> value{};
        std::size_t misses = 0, missed = 0;
        for (std::size_t i = 0; i < kFacets; ++i) {
            value[i] = facetValue(gallery, kAllFacets[i], filter.run, photo);
            if (filter.choice[i] != kEvery && filter.choice[i] != value[i]) {
                ++misses;
                missed = i;
            }
        }
        if (misses == 0) {
            result.shown.push_back(static_cast<int>(photo));
        }
        // Another choice within one facet shows what misses at most there.
        for (std::size_t i = 0; i < kFacets && misses <= 1; ++i) {
            if (misses == 0 || missed == i) {
                ++result.counts[i][static_cast<std::size_t>(value[i])];
            }
        }
    }
    return result;
}

}  // namespace receiptbench
