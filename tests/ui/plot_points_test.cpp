// Plots keep every point and survive every value.
#include <QtTest>

#include <cmath>

#include "tests/support/german_locale.h"
#include "tests/ui/plot_walk.h"
#include "ui/theme.h"

namespace receiptbench {

class PlotPointsTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void initTestCase() { applyTheme(false); }
    void everyPointIsKept();
    void valuesThatAreNotFiniteLeaveGaps();
    void rangesHoldWhatIsThere_data();
    void rangesHoldWhatIsThere();
    void stacksAddUp();
    void aSpikeInALongStackIsSeen();
    void aLonePointIsSeen();
    void pointsBetweenGapsAreSeen();
    void theLimitIsInView();
    void csvIsTheSameInEveryLocale();
};

void PlotPointsTest::everyPointIsKept() {
    PlotWidget plot(specOf());
    const int a = plot.addSeries({QStringLiteral("a"), 0}),
              b = plot.addSeries({QStringLiteral("b"), 1});
    for (int i = 0; i < 5000; ++i) {
        plot.append(a, i, std::sin(i));
        plot.append(b, 2 * i, -i);
    }
    QCOMPARE(plot.series(a).x.size(), std::size_t{5000});
    QCOMPARE(plot.series(a).y[4321], std::sin(4321));
    QCOMPARE(plot.series(b).at(8642).value(), -4321.0);
    QVERIFY(!plot.series(b).at(8643));
    show(plot);
    QVERIFY(plot.xRange().low < 0 && plot.xRange().high > 9998);
    QVERIFY(plot.yRange().low < -4999 && plot.yRange().high > 1);
}

// Case D20.
void PlotPointsTest::valuesThatAreNotFiniteLeaveGaps() {
    PlotWidget plot(specOf());
    const int a = plot.addSeries({QStringLiteral("a"), 0});
    const double values[] = {1, std::nan(""), 2, HUGE_VAL, -HUGE_VAL, 1e300, 3};
    int x = 0;
    for (const double value : values) {
        plot.append(a, ++x, value);
    }
    show(plot);
    const auto y = plot.yRange();  // 1 to 3, and a margin
    QVERIFY(0.8 < y.low && y.low < 1 && 3 < y.high && y.high < 3.2);
    QCOMPARE(plot.series(a).y.size(), std::size_t{7});
    QVERIFY(std::isnan(plot.series(a).y[1]) && std::isinf(plot.series(a).y[4]));
    plot.setCursor(2.0);
    QVERIFY2(plot.readOut().contains(QStringLiteral("a n/a")), qPrintable(plot.readOut()));
    QVERIFY2(plot.readOut().endsWith(QStringLiteral("not drawn × 4")), qPrintable(plot.readOut()));
    plot.setLogarithmic(true);
    settle();
    QVERIFY(plot.yRange().low > 0 && std::isfinite(plot.yRange().high));
    QVERIFY(!plot.picture().isNull());
    PlotWidget none(specOf());
    none.append(none.addSeries({QStringLiteral("a"), 0}), 1, std::nan(""));
    show(none);
    QVERIFY((none.yRange() == PlotRange{0, 1}));
}

void PlotPointsTest::rangesHoldWhatIsThere_data() {
    QTest::addColumn<QList<double>>("values");
    QTest::addColumn<bool>("fromZero");
    QTest::newRow("nothing") << QList<double>{} << false;
    QTest::newRow("one") << QList<double>{7} << false;
    QTest::newRow("equal") << QList<double>{-3, -3, -3} << false;
    QTest::newRow("zeros") << QList<double>{0, 0} << true;
    QTest::newRow("from zero") << QList<double>{5, 6} << true;
    QTest::newRow("below zero") << QList<double>{-5, 6} << true;
    QTest::newRow("huge") << QList<double>{-1e199, 1e199} << false;
    QTest::newRow("tiny") << QList<double>{1e-250, 2e-250} << false;
}
void PlotPointsTest::rangesHoldWhatIsThere() {
    QFETCH(QList<double>, values);
    QFETCH(bool, fromZero);
    for (const bool logarithmic : {false, true}) {
        PlotWidget plot(specOf(fromZero));
        const int a = plot.addSeries({QStringLiteral("a"), 0});
        for (const double value : values) {
            plot.append(a, 1, value);
        }
        plot.setLogarithmic(logarithmic);
        show(plot);
        const auto y = plot.yRange();
        QVERIFY(std::isfinite(y.low) && std::isfinite(y.high) && y.low < y.high);
        QVERIFY(!logarithmic || y.low > 0);
        for (const double value : values) {
            QVERIFY((logarithmic && value <= 0) || (y.low <= value && value <= y.high));
        }
        QVERIFY(logarithmic || !fromZero || y.low <= 0);
    }
}

void PlotPointsTest::stacksAddUp() {
    PlotWidget plot(specOf(true));
    plot.addArea({QStringLiteral("low"), 0});
    plot.addArea({QStringLiteral("high"), 1});
    plot.appendStack(1, {2, 3});
    plot.appendStack(2, {4, 5});
    QCOMPARE(plot.series(1).y, (std::vector<double>{3, 5}));  // its own share
    show(plot);
    QVERIFY(plot.yRange().high >= 9 && plot.yRange().high < 11);          // the sum is in view
    QCOMPARE(plot.readOut(), QStringLiteral("update 2, high 5, low 4"));  // as it is seen
}

// One high point of many that share a column of pixels.
void PlotPointsTest::aSpikeInALongStackIsSeen() {
    PlotWidget plot(specOf(true));
    plot.addArea({QStringLiteral("low"), -1});
    plot.addArea({QStringLiteral("high"), 1});
    for (int i = 0; i < 40000; ++i) {
        plot.appendStack(i, {1, i == 25000 ? 99.0 : 0.5});
    }
    show(plot);
    const auto image = canvasOf(plot)->grab().toImage();
    int found = 0;
    for (int x = 0; x < image.width(); ++x) {
        found += image.pixelColor(x, image.height() / 3).hsvSaturation() > 100 ? 1 : 0;
    }
    QVERIFY2(found > 0 && found < 10, qPrintable(QString::number(found)));
}

void PlotPointsTest::aLonePointIsSeen() {
    PlotWidget plot(specOf());
    const int a = plot.addSeries({QStringLiteral("a"), 0});
    show(plot);
    const int before = count(plot, seriesColour(0));
    plot.append(a, 1, 1);
    settle();
    QVERIFY(count(plot, seriesColour(0)) > before + 8);
    PlotWidget stack(specOf(true));
    stack.addArea({QStringLiteral("a"), 0});
    const int empty = count(stack, seriesColour(0));
    stack.appendStack(1, {1});
    QVERIFY(count(stack, seriesColour(0)) > empty + 8);
}

// Between two gaps there is no line either.
void PlotPointsTest::pointsBetweenGapsAreSeen() {
    PlotWidget plot(specOf());
    const int a = plot.addSeries({QStringLiteral("a"), 0});
    show(plot);
    const int before = count(plot, seriesColour(0));
    for (const double value : {std::nan(""), 1.0, std::nan(""), 2.0, std::nan("")}) {
        plot.append(a, static_cast<double>(plot.series(a).x.size()), value);
    }
    settle();
    const int dots = count(plot, seriesColour(0)) - before;
    QVERIFY2(dots > 2 * 8, qPrintable(QString::number(dots)));
}

void PlotPointsTest::theLimitIsInView() {
    PlotWidget plot(specOf(true));
    const int a = plot.addSeries({QStringLiteral("a"), 0});
    plot.append(a, 1, 1);
    plot.append(a, 2, 1);
    plot.setLimit(10, QStringLiteral("budget"));
    show(plot);
    QVERIFY(plot.yRange().high > 10);
    plot.setLimit(std::nullopt, {});
    settle();
    QVERIFY(plot.yRange().high < 2);
}

void PlotPointsTest::csvIsTheSameInEveryLocale() {
    const auto texts = [] {
        PlotWidget plot(specOf());
        const int a = plot.addSeries({QStringLiteral("a,\"b\""), 0});
        plot.append(a, 1234567, 0.1);
        plot.append(a, 1234568.5, std::nan(""));
        show(plot);
        return QString::fromStdString(plot.csv()) + plot.readOut();
    };
    const auto plain = texts();
    QVERIFY2(plain.startsWith(QStringLiteral("series,x,y\r\n\"a,\"\"b\"\"\",1234567,0.1\r\n")),
             qPrintable(plain));
    const GermanLocale german;
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    const auto abroad = texts();
    QLocale::setDefault(QLocale::c());
    QCOMPARE(abroad, plain);
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::PlotPointsTest)
#include "plot_points_test.moc"
