// Plots keep every point, survive every value, and leave the view where the user put it.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

#include <cmath>

#include "tests/support/german_locale.h"
#include "tests/ui/window_walk.h"
#include "ui/plots/plot_group.h"
#include "ui/plots/plot_widget.h"
#include "ui/plots/read_out.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

PlotSpec specOf(bool fromZero = false) {
    PlotSpec spec;
    spec.title = QStringLiteral("Loss");
    spec.xLabel = QStringLiteral("update");
    spec.yLabel = QStringLiteral("mean loss");
    spec.fromZero = fromZero;
    return spec;
}

// Queued replots have been made.
void settle() {
    QTest::qWait(260);
}

void show(QWidget& plot, const QSize& size = {500, 300}) {
    plot.resize(size);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    settle();
}

QWidget* canvasOf(PlotWidget& plot) {
    for (auto* child : plot.findChildren<QWidget*>()) {
        if (child->inherits("QCustomPlot")) {
            return child;
        }
    }
    qFatal("no canvas");
}

// How many pixels of the plot have this colour.
int count(PlotWidget& plot, const QColor& colour) {
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

}  // namespace

class PlotWidgetTest : public QObject {
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
    void dataMoveNothingThatTheUserMoved();
    void wheelAndDragEndFollow();
    void theCursorIsSharedAndReadOut();
    void theReadOutHasRoomForAll();
    void clearKeepsTheCursor();
    void hiddenPlotsWait();
    void actionsByKey();
    void theMenuOpensByKey();
    void darkGroundIsDark();
    void csvIsTheSameInEveryLocale();
    void everythingFocusableHasAName();
};

void PlotWidgetTest::everyPointIsKept() {
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
void PlotWidgetTest::valuesThatAreNotFiniteLeaveGaps() {
    PlotWidget plot(specOf());
    const int a = plot.addSeries({QStringLiteral("a"), 0});
    const double values[] = {1, std::nan(""), 2, HUGE_VAL, -HUGE_VAL, 1e300, 3};
    int x = 0;
    for (const double value : values) {
        plot.append(a, ++x, value);
    }
    show(plot);
    QVERIFY(plot.yRange().low > 0 && plot.yRange().high < 4);
    QCOMPARE(plot.series(a).y.size(), std::size_t{7});
    QVERIFY(std::isnan(plot.series(a).y[1]) && std::isinf(plot.series(a).y[4]));
    plot.setCursor(2.0);
    QVERIFY2(plot.readOut().contains(QStringLiteral("a n/a")), qPrintable(plot.readOut()));
    QVERIFY2(plot.readOut().endsWith(QStringLiteral("not drawn × 4")), qPrintable(plot.readOut()));
    plot.setLogarithmic(true);
    settle();
    QVERIFY(plot.yRange().low > 0 && std::isfinite(plot.yRange().high));
    QVERIFY(!plot.picture().isNull());
}

void PlotWidgetTest::rangesHoldWhatIsThere_data() {
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
void PlotWidgetTest::rangesHoldWhatIsThere() {
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

void PlotWidgetTest::stacksAddUp() {
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
void PlotWidgetTest::aSpikeInALongStackIsSeen() {
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

void PlotWidgetTest::aLonePointIsSeen() {
    PlotWidget plot(specOf());
    const int a = plot.addSeries({QStringLiteral("a"), 0});
    show(plot);
    const int before = count(plot, seriesColour(0));
    plot.append(a, 1, 1);
    settle();
    QVERIFY(count(plot, seriesColour(0)) > before + 8);
}

// Between two gaps there is no line either.
void PlotWidgetTest::pointsBetweenGapsAreSeen() {
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

void PlotWidgetTest::theLimitIsInView() {
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

void PlotWidgetTest::dataMoveNothingThatTheUserMoved() {
    PlotWidget plot(specOf());
    const int a = plot.addSeries({QStringLiteral("a"), 0});
    for (int i = 0; i < 100; ++i) {
        plot.append(a, i, i);
    }
    show(plot);
    QSignalSpy follow(&plot, &PlotWidget::followChanged);
    QTest::keyClick(&plot, Qt::Key_Plus);
    QVERIFY(!plot.follows());
    QCOMPARE(follow.size(), 1);
    const auto x = plot.xRange(), y = plot.yRange();
    QVERIFY(x.high - x.low < 90);
    plot.append(a, 1000, 1000);
    settle();
    QVERIFY(plot.xRange() == x && plot.yRange() == y);
    QTest::keyClick(&plot, Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY(plot.xRange().low > x.low && plot.xRange().high > x.high);
    QVERIFY(!plot.cursor());
    QTest::keyClick(&plot, Qt::Key_0);
    settle();
    QVERIFY(plot.follows());
    QVERIFY(plot.xRange().high > 1000 && plot.yRange().high > 1000);
}

void PlotWidgetTest::wheelAndDragEndFollow() {
    PlotWidget plot(specOf());
    const int a = plot.addSeries({QStringLiteral("a"), 0});
    plot.append(a, 0, 0);
    plot.append(a, 10, 10);
    show(plot);
    auto* canvas = canvasOf(plot);
    const QPointF middle = canvas->rect().center();
    QWheelEvent wheel(middle, canvas->mapToGlobal(middle), {}, {0, 120}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(canvas, &wheel);
    QVERIFY(!plot.follows());
    plot.setFollow(true);
    settle();
    const auto before = plot.xRange();
    QTest::mousePress(canvas, Qt::LeftButton, {}, middle.toPoint());
    QMouseEvent move(QEvent::MouseMove, middle + QPointF(60, 0), canvas->mapToGlobal(middle),
                     Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(canvas, &move);
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, middle.toPoint() + QPoint(60, 0));
    QVERIFY(!plot.follows());
    QVERIFY(plot.xRange().low < before.low);
}

void PlotWidgetTest::theCursorIsSharedAndReadOut() {
    QWidget both;
    PlotWidget first(specOf(), &both), second(specOf(), &both);
    first.resize(300, 200);
    second.setGeometry(0, 200, 300, 200);
    PlotGroup group(nullptr);
    group.add(&first);
    group.add(&second);
    const int a = first.addSeries({QStringLiteral("a"), 0}),
              b = second.addSeries({QStringLiteral("b"), 1});
    for (int i = 1; i <= 10; ++i) {
        first.append(a, i, 10 * i);
        second.append(b, i, 0.5 * i);
    }
    show(both, {300, 400});
    QCOMPARE(second.readOut(), QStringLiteral("update 10, b 5"));
    QTest::keyClick(&first, Qt::Key_Left);
    QCOMPARE(first.cursor().value(), 9.0);
    QCOMPARE(second.readOut(), QStringLiteral("update 9, b 4.5"));
    QTest::keyClick(&second, Qt::Key_Escape);
    QVERIFY(!first.cursor() && !second.cursor());
    auto* canvas = canvasOf(first);
    QTest::mouseMove(canvas, canvas->rect().center());
    QTRY_VERIFY(second.cursor().has_value());
    QCOMPARE(first.cursor(), second.cursor());
    QCOMPARE(*second.cursor(), std::round(*second.cursor()));  // on a point
    QTest::keyClick(&second, Qt::Key_Minus);
    QVERIFY(!group.follows());
    QVERIFY(first.xRange() == second.xRange());
    group.setFollow(true);
    QVERIFY(first.follows() && second.follows());
}

// In as many lines as it needs, and the plot below stays where it is while values change.
void PlotWidgetTest::theReadOutHasRoomForAll() {
    PlotWidget plot(specOf(true));
    for (int i = 0; i < 7; ++i) {
        plot.addSeries({QStringLiteral("series %1").arg(i), i});
    }
    const auto put = [&plot](double x, double y) {
        for (int i = 0; i < plot.seriesCount(); ++i) {
            plot.append(i, x, y);
        }
        settle();
    };
    put(1, 0);
    show(plot, {300, 300});
    auto* readOut = plot.findChild<ReadOut*>();
    const auto* canvas = canvasOf(plot);
    const auto place = canvas->geometry();
    const int lines = readOut->height() / readOut->fontMetrics().height();
    QVERIFY2(lines >= 4 && place.top() >= readOut->geometry().bottom(),
             qPrintable(QString::number(lines)));
    put(120, 0.0273906);
    put(1000, 1465.7);
    plot.setCursor(7.0);
    settle();
    QCOMPARE(canvas->geometry(), place);
    plot.clear();
    QCoreApplication::processEvents();
    QCOMPARE(canvas->geometry(), place);
    for (int i = 0; i < 7; ++i) {
        plot.addSeries({QStringLiteral("series %1").arg(i), i});
    }
    put(2000, 0.5);
    QCOMPARE(canvas->geometry(), place);
    plot.resize(900, 300);
    settle();
    QVERIFY(readOut->height() / readOut->fontMetrics().height() < lines);
    QVERIFY(plot.readOut().endsWith(QStringLiteral("series 6 –")));
}

void PlotWidgetTest::clearKeepsTheCursor() {
    PlotWidget plot(specOf());
    plot.append(plot.addSeries({QStringLiteral("a"), 0}), 3, 1);
    plot.setCursor(3.0);
    plot.clear();
    QCOMPARE(plot.seriesCount(), 0);
    plot.append(plot.addSeries({QStringLiteral("b"), 0}), 3, 2);
    show(plot);
    QCOMPARE(plot.readOut(), QStringLiteral("update 3, b 2"));
}

void PlotWidgetTest::hiddenPlotsWait() {
    PlotWidget plot(specOf());
    const int a = plot.addSeries({QStringLiteral("a"), 0});
    plot.append(a, 1, 1);
    show(plot);
    plot.hide();
    const auto before = plot.xRange();
    plot.append(a, 500, 1);
    settle();
    QVERIFY(plot.xRange() == before);
    plot.show();
    QTRY_VERIFY(plot.xRange().high > 500);
}

void PlotWidgetTest::actionsByKey() {
    PlotWidget plot(specOf());
    plot.append(plot.addSeries({QStringLiteral("a"), 0}), 1, 0.5);
    show(plot);
    QCOMPARE(plot.contextMenuPolicy(), Qt::ActionsContextMenu);  // the menu key opens it
    QCOMPARE(plot.actions().size(), 4);
    plot.actions()[0]->trigger();
    QCOMPARE(QApplication::clipboard()->text(), QString::fromStdString(plot.csv()));
    plot.setFollow(false);
    plot.actions()[3]->trigger();
    QVERIFY(plot.follows());
}

// What the menu key and Shift+F10 send.
void PlotWidgetTest::theMenuOpensByKey() {
    PlotWidget plot(specOf());
    show(plot);
    QStringList offered;
    QTimer::singleShot(200, [&offered] {
        if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
            for (const auto* action : menu->actions()) {
                offered << action->text();
            }
            menu->close();
        }
    });
    QContextMenuEvent asked(QContextMenuEvent::Keyboard, plot.rect().center(),
                            plot.mapToGlobal(plot.rect().center()));
    QApplication::sendEvent(&plot, &asked);
    QTRY_VERIFY(!offered.isEmpty());
    QVERIFY(offered.contains(QStringLiteral("Copy the data as CSV")));
    QVERIFY(offered.contains(QStringLiteral("Show everything")));
}

void PlotWidgetTest::darkGroundIsDark() {
    PlotWidget plot(specOf());
    plot.append(plot.addSeries({QStringLiteral("a"), 0}), 1, 1);
    show(plot);
    const auto corner = [&plot] {
        const auto image = plot.picture().toImage();
        return image.pixelColor(image.width() - 3, image.height() - 3).lightness();
    };
    QVERIFY(corner() > 200);
    applyTheme(true);
    settle();
    QVERIFY(corner() < 60);
    applyTheme(false);
}

void PlotWidgetTest::csvIsTheSameInEveryLocale() {
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

void PlotWidgetTest::everythingFocusableHasAName() {
    QWidget window;
    PlotWidget plot(specOf(), &window);
    QCOMPARE(namelessWidgets(window), QStringList());
    QCOMPARE(plot.focusPolicy(), Qt::StrongFocus);
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::PlotWidgetTest)
#include "plot_widget_test.moc"
