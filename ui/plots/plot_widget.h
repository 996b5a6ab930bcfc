// One plot that may grow while it is looked at. Every point is kept; a value that is not finite
// leaves a gap. Pan and zoom stay where the user put them while data arrive.
#pragma once

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

#include "ui/plots/plot_series.h"

namespace receiptbench {

class PlotWidget : public QWidget {
    Q_OBJECT

 public:
    explicit PlotWidget(const PlotSpec& spec, QWidget* parent = nullptr);
    ~PlotWidget() override;

    // All areas are stacked in the order in which they were added, the first at the bottom.
    int addSeries(const SeriesSpec& spec);
    int addArea(const SeriesSpec& spec);
    void clear();  // drops series and areas
    // x never descends within a series.
    void append(int series, double x, double y);
    void appendStack(double x, const std::vector<double>& shares);  // one value for each area
    void setLimit(std::optional<double> y, const QString& name);    // a horizontal line
    void setLogarithmic(bool on);                                   // the y axis

    int seriesCount() const;
    const PlottedSeries& series(int index) const;
    PlotRange xRange() const;  // as shown
    PlotRange yRange() const;

    // Follow: everything is in view, also what will arrive. Off as soon as the user pans or zooms.
    bool follows() const;
    void setFollow(bool on);
    void setXRange(const PlotRange& range);  // without following

    // The read-out tells the values at the cursor, without one the last ones.
    std::optional<double> cursor() const;
    void setCursor(std::optional<double> x);
    QString readOut() const;

    std::string csv() const;  // series, x, y: every point
    QPixmap picture() const;

 Q_SIGNALS:
    void cursorMoved(std::optional<double> x);
    void followChanged(bool on);
    void xRangeChanged(const receiptbench::PlotRange& range);  // by the user

 protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

 private:
    struct Private;
    std::unique_ptr<Private> p_;
};

}  // namespace receiptbench
