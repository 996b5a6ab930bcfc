// What a page says instead of its content is said in full, at every width.
#include "ui/state_pane.h"

#include <QLabel>
#include <QPushButton>
#include <QtTest>

#include "tests/ui/window_walk.h"

namespace receiptbench {

class StatePaneTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void initTestCase() { applyTheme(false); }

    void noLineIsCut_data() {
        QTest::addColumn<int>("width");
        for (const int width : {260, 400, 640, 1200}) {
            QTest::newRow(QByteArray::number(width).constData()) << width;
        }
    }
    void noLineIsCut() {
        QFETCH(int, width);
        StatePane pane(nullptr);
        pane.say(
            Meaning::Bad, QStringLiteral("The project cannot be read"),
            QStringLiteral("A sentence that is long enough for two lines even in a wide window, "
                           "since it goes on, and on, and then names the remedy as well."),
            QStringLiteral("Read it again"));
        pane.resize(width, 500);
        pane.show();
        QVERIFY(QTest::qWaitForWindowExposed(&pane));
        for (const auto* label : pane.findChildren<QLabel*>()) {
            if (!label->text().isEmpty()) {
                QVERIFY2(label->height() >= label->heightForWidth(label->width()),
                         qPrintable(label->text()));
            }
        }
        pane.sayBusy(QStringLiteral("Reading the call tape of a run with a long name"),
                     QStringLiteral("The newest checkpoint is written again on a scratch copy."));
        QTest::qWait(20);
        for (const auto* label : pane.findChildren<QLabel*>()) {
            QVERIFY(label->isHidden() || label->height() >= label->heightForWidth(label->width()));
        }
    }

    void theButtonActs() {
        StatePane pane(nullptr);
        int acted = 0;
        pane.say(Meaning::Neutral, QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c"),
                 [&acted] { ++acted; });
        pane.findChild<QPushButton*>(QStringLiteral("stateButton"))->click();
        QCOMPARE(acted, 1);
        QCOMPARE(namelessWidgets(pane), QStringList());
    }
};

}  // namespace receiptbench

QTEST_MAIN(receiptbench::StatePaneTest)
#include "state_pane_test.moc"
