// What a plot is made of. For plot_widget.cpp and plot_drawing.cpp only; the plot library stays
// behind the second.
#pragma once

#include <vector>

#include "ui/plots/plot_widget.h"
#include "ui/plots/read_out.h"

class QCPGraph;
class QCPItemStraightLine;
class QCPItemText;
class QCustomPlot;

namespace receiptbench {

struct PlotWidget::Private {
    Private(PlotWidget& its, const PlotSpec& wanted);

    PlotWidget& widget;
    PlotSpec spec;
    QCustomPlot* canvas;
    ReadOut* readOut;
    std::vector<PlottedSeries> series;
    std::vector<QCPGraph*> graphs, lone;  // lone: the points of a graph that have no neighbour
    QCPGraph* missing = nullptr;          // crosses along the x axis, where a value is not drawn
    std::size_t notDrawn = 0;             // values that are not finite, or too large
    PlotBounds xBounds, yBounds;
    bool follow = true, logarithmic = false;
    bool ours = false;  // a range that this code sets, not the user
    std::optional<double> cursor, limit;
    QString limitName;
    QCPItemStraightLine *cursorLine = nullptr, *limitLine = nullptr;
    QCPItemText* limitText = nullptr;

    // plot_drawing.cpp
    void build();
    void style();
    void styleGraph(std::size_t index);
    void scales();
    void clear();
    int add(const SeriesSpec& seriesSpec, bool area);
    void put(std::size_t index, double x, double shown);
    void fit();
    void ask();
    void replot(bool atOnce = false);
    void userMoved();
    void zoom(double factor);  // of x, around the cursor
    void pan(double share);    // of what is shown
    PlotRange xRange() const;
    PlotRange yRange() const;
    void setXRange(const PlotRange& range);

    // plot_widget.cpp
    void makeMenu();
    void savePicture();
    std::optional<double> nearestX(double x) const;
    std::optional<double> lastX() const;
    void step(int by);
    QString valueText(double value) const;
    void showReadOut();
};

}  // namespace receiptbench
