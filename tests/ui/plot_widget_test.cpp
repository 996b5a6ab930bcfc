// Plots leave the view where the user put it, and are used by keyboard and mouse.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QLineEdit>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

#include <cmath>

#include "tests/ui/plot_walk.h"
#include "tests/ui/window_walk.h"
#include "ui/plots/plot_group.h"
#include "ui/plots/read_out.h"
#include "ui/theme.h"

namespace receiptbench {

class PlotWidgetTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void initTestCase() { applyTheme(false); }
    void dataMoveNothingThatTheUserMoved();
    void wheelAndDragEndFollow();
    void theCursorIsSharedAndReadOut();
    void theReadOutHasRoomForAll();
    void clearKeepsTheCursor();
    void hiddenPlotsWait();
    void actionsByKey();
    void theMenuOpensByKey();
    void thePictureIsSaved();
    void darkGroundIsDark();
    void everythingFocusableHasAName();
};

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

void PlotWidgetTest::thePictureIsSaved() {
    const QTemporaryDir folder;
    PlotWidget plot(specOf());
    show(plot);
    const auto saveAs = [&plot](const QString& path) {
        QTimer::singleShot(200, [path] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (dialog != nullptr) {
                dialog->findChild<QLineEdit*>()->setText(path);
                QTest::keyClick(dialog, Qt::Key_Return);
            }
        });
        plot.actions()[2]->trigger();
    };
    saveAs(folder.filePath(QStringLiteral("loss")));
    QCOMPARE(QImage(folder.filePath(QStringLiteral("loss.png"))).size(), plot.size());
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

void PlotWidgetTest::everythingFocusableHasAName() {
    QWidget window;
    PlotWidget plot(specOf(), &window);
    QCOMPARE(namelessWidgets(window), QStringList());
    QCOMPARE(plot.focusPolicy(), Qt::StrongFocus);
    show(window);
    const auto edge = [&plot] { return plot.grab().toImage().pixelColor(0, plot.height() / 2); };
    plot.setFocus();
    const auto framed = edge();
    plot.clearFocus();
    QVERIFY(edge() != framed);
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::PlotWidgetTest)
#include "plot_widget_test.moc"
