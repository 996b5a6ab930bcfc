#include "ui/plots/plot_series.h"

#include <algorithm>
#include <cmath>

namespace receiptbench {
namespace {

constexpr double kLargest = 1e200;
constexpr double kSideRoom = 0.02, kTopRoom = 0.08,
                 kLineRoom = 0.03;  // of the range, so that no marker is cut

}  // namespace

bool isDrawable(double value) {
    return std::isfinite(value) && std::abs(value) < kLargest;
}

std::optional<double> PlottedSeries::at(double position) const {
    const auto found = std::lower_bound(x.begin(), x.end(), position);
    if (found == x.end() || *found != position) {
        return std::nullopt;
    }
    return y[static_cast<std::size_t>(found - x.begin())];
}

void PlotBounds::add(double value) {
    if (!isDrawable(value)) {
        return;
    }
    low = std::min(low, value);
    high = std::max(high, value);
    if (value > 0) {
        lowPositive = std::min(lowPositive, value);
    }
}

PlotRange xRangeOf(const PlotBounds& bounds) {
    if (bounds.empty()) {
        return {0, 1};
    }
    const double span = bounds.high - bounds.low;
    const double room = span > 0 ? kSideRoom * span : 0.5;
    return {bounds.low - room, bounds.high + room};
}

PlotRange yRangeOf(const PlotBounds& bounds, bool fromZero, bool logarithmic) {
    if (bounds.empty() || (logarithmic && !std::isfinite(bounds.lowPositive))) {
        return logarithmic ? PlotRange{0.1, 10} : PlotRange{0, 1};
    }
    if (logarithmic) {
        const double factor = std::max(1.2, std::pow(bounds.high / bounds.lowPositive, kTopRoom));
        return {bounds.lowPositive / factor, bounds.high * factor};
    }
    const double low = fromZero ? std::min(0.0, bounds.low) : bounds.low;
    const double high = fromZero ? std::max(0.0, bounds.high) : bounds.high;
    double room = kTopRoom * (high - low);
    if (!(room > 0)) {
        room = high != 0 ? 0.1 * std::abs(high) : 0.5;
    }
    if (!fromZero || low < 0) {
        return {low - room, high + room};
    }
    // A line at 0 would lie on the axis.
    const double below = bounds.low <= 0 ? kLineRoom * std::max(high, 1.0) : 0;
    return {-below, high > 0 ? high + room : 1.0};
}

}  // namespace receiptbench
