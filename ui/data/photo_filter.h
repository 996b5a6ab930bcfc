// Which photos are shown, and how many there would be for every other choice. Plain values: one
// pass over the photos.
#pragma once

#include <QString>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/workbench/gallery.h"

namespace receiptbench {

enum class Facet { Split, Class, Prediction, Outcome, Change };
inline constexpr std::size_t kFacets = 5;
inline constexpr std::array kAllFacets{Facet::Split, Facet::Class, Facet::Prediction,
                                       Facet::Outcome, Facet::Change};
inline constexpr int kEvery = -1;  // no choice within a facet

struct PhotoFilter {
    std::array<int, kFacets> choice{kEvery, kEvery, kEvery, kEvery, kEvery};
    int run = -1;  // whose predictions the last three facets mean; -1: none
    QString text;  // in identity or file name
    std::optional<std::vector<std::int64_t>> requested;  // rows of the validation set

    int& of(Facet facet) { return choice[static_cast<std::size_t>(facet)]; }
    int of(Facet facet) const { return choice[static_cast<std::size_t>(facet)]; }
    bool isOff() const;  // everything is shown
};

struct FilterResult {
    std::vector<int> shown;  // places in Gallery::photos, ascending
    // For each facet and value: how many photos would be shown if it were the choice there and all
    // else stayed.
    std::array<std::vector<std::int64_t>, kFacets> counts;
    const std::vector<std::int64_t>& of(Facet facet) const {
        return counts[static_cast<std::size_t>(facet)];
    }
    std::int64_t every(Facet facet) const;  // without a choice there
};

int facetValues(const Gallery& gallery, Facet facet);  // how many there are
QString facetValueName(const Gallery& gallery, Facet facet, int value);
int facetValue(const Gallery& gallery, Facet facet, int run, std::size_t photo);
FilterResult filterPhotos(const Gallery& gallery, const PhotoFilter& filter);

}  // namespace receiptbench
