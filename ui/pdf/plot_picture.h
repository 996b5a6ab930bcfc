// Vector plots for the page, as recorded pictures. They survive NaN, infinities and empty series:
// ranges come from finite values only, a value that is not finite leaves a gap in its curve and a
// cross on the axis below.
#pragma once

#include <vector>

#include <QColor>
#include <QPicture>
#include <QSizeF>
#include <QString>

namespace receiptbench {

struct PlotPicture {
    QPicture picture;
    QSizeF size;  // layout units, see report_style.h
};

struct LimitLine {
    double value = 0;
    QString label;
};

struct PlotLine {
    QString name;
    std::vector<double> x, y;  // of one length
    int style = 0;       // which colour, dash and marker: the same run looks the same in every plot
    bool steps = false;  // keeps its value until the next x
    std::vector<double> markedX, markedY;  // points to be pointed out, e.g. skipped updates
    QString markedName;
};
struct LinePlot {  // over whole numbers: updates
    QString title, xLabel, yLabel;
    std::vector<PlotLine> lines;
    std::vector<LimitLine> limits;  // horizontal
    bool logarithmic = false;
    bool fromZero = false;
};

struct StackPart {
    QString name;
    QColor fill;
    std::vector<double> values;
};
struct StackPlot {  // areas over x
    QString title, xLabel, yLabel;
    std::vector<double> x;
    std::vector<StackPart> parts;  // from the bottom
    std::vector<LimitLine> limits;
    bool legend = true;
};
struct BarPlot {  // horizontal stacked bars
    QString title, xLabel;
    std::vector<QString> rows;
    std::vector<StackPart> parts;   // values: one per row
    std::vector<LimitLine> limits;  // vertical
};

struct DotSeries {
    QString name;
    std::vector<double> values;     // one per row
    std::vector<double> low, high;  // interval; empty: none
    int style = 0;
};
struct DotPlot {  // rows of dots, with or without intervals
    QString title, xLabel;
    std::vector<QString> rows;
    std::vector<DotSeries> series;
    std::vector<LimitLine> limits;  // vertical
    bool logarithmic = false;
};

PlotPicture drawPlot(const LinePlot& plot, QSizeF size);
PlotPicture drawPlot(const StackPlot& plot, QSizeF size);
PlotPicture drawPlot(const BarPlot& plot, QSizeF size);
PlotPicture drawPlot(const DotPlot& plot, QSizeF size);

}  // namespace receiptbench
