// What a plot holds: every point as it was given, and the bounds that Follow shows.
#pragma once

#include <QString>

#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace receiptbench {

struct PlotSpec {
    QString title;
    QString xLabel, yLabel;  // with their units: "memory (MiB)"
    double yUnit = 1;        // what one unit of the y axis is worth: 1048576 for values in bytes
    bool wholeX = true;      // x counts something: no tick between two whole numbers
    bool wholeY = false;     // y counts something
    bool fromZero = false;   // the y axis begins at 0
    std::function<QString(double)> valueText;  // in the read-out; empty: six significant digits
};

struct SeriesSpec {
    QString name;
    int look = 0;        // colour, see seriesColour
    bool steps = false;  // keeps its value until the next x
};

struct PlottedSeries {
    SeriesSpec spec;
    bool area = false;  // y is its own share, not the sum with the areas below
    std::vector<double> x, y;

    // The value at exactly this x; none where there is no point.
    std::optional<double> at(double position) const;
};

// Grows with finite values only.
struct PlotBounds {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    double lowPositive = std::numeric_limits<double>::infinity();
    void add(double value);
    bool empty() const { return low > high; }
};
struct PlotRange {
    double low = 0, high = 1;
    bool operator==(const PlotRange&) const = default;
};
PlotRange xRangeOf(const PlotBounds& bounds);
PlotRange yRangeOf(const PlotBounds& bounds, bool fromZero, bool logarithmic);

// Beyond this a value cannot be drawn any more, and is treated like one that is not finite.
bool isDrawable(double value);

}  // namespace receiptbench
