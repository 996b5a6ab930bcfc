// What the tests of the plots share.
#pragma once

#include <QTest>

#include <cstdlib>

#include "ui/plots/plot_widget.h"

namespace receiptbench {

inline PlotSpec specOf(bool fromZero = false) {
    PlotSpec spec;
    spec.title = QStringLiteral("Loss");
    spec.xLabel = QStringLiteral("update");
    spec.yLabel = QStringLiteral("mean loss");
    spec.fromZero = fromZero;
    return spec;
}

// Queued replots have been made.
inline void settle() {
    QTest::qWait(260);
}

inline void show(QWidget& plot, const QSize& size = {500, 300}) {
    plot.resize(size);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    settle();
}

inline QWidget* canvasOf(PlotWidget& plot) {
    for (auto* child : plot.findChildren<QWidget*>()) {
        if (child->inherits("QCustomPlot")) {
            return child;
        }
    }
    qFatal("no canvas");
}

// How many pixels of the plot have this colour.
inline int count(PlotWidget& plot, const QColor& colour) {
    const auto image = plot.picture().toImage();
    int found = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor at = image.pixelColor(x, y);
            const bool near = std::abs(at.red() - colour.red()) < 40 &&
                              std::abs(at.green() - colour.green()) < 40 &&
                              std::abs(at.blue() - colour.blue()) < 40;
            found += near ? 1 : 0;
        }
    }
    return found;
}

}  // namespace receiptbench
