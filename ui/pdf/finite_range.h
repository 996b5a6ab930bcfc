// The range of an axis: from finite values only, so that one NaN or infinity cannot wreck it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace receiptbench {

struct AxisBounds {
    double low = 0, high = 1;
};

class FiniteRange {
 public:
    void add(double value) {
        if (std::isfinite(value)) {
            // No axis reaches further: differences of what it holds must stay finite.
            const double shown = std::clamp(value, -1e200, 1e200);
            low_ = std::min(low_, shown);
            high_ = std::max(high_, shown);
        }
    }
    template <typename List>
    void addAll(const List& values) {
        for (const double value : values) {
            add(value);
        }
    }
    bool empty() const { return low_ > high_; }
    AxisBounds linear(double below, double above) const {
        if (empty()) {
            return {0, 1};
        }
        const double span = high_ - low_;
        const double margin = span > 0 ? span : std::max(std::abs(high_), 1.0);
        return {low_ - below * margin, high_ + above * margin};
    }
    AxisBounds logarithmic() const {
        if (empty() || high_ <= 0) {
            return {0.1, 10};
        }
        const double low = low_ > 0 ? low_ : high_ / 10;
        return {low / 2.5, high_ * 2.5};
    }

 private:
    double low_ = std::numeric_limits<double>::infinity(),
           high_ = -std::numeric_limits<double>::infinity();
};

}  // namespace receiptbench
