// Case D23: both orders of Qt's and Torch's headers compile, with and without AUTOMOC, and work in
// one program.
#include <QtTest>

double qtThenTorch();
double torchThenQt();

class IncludeOrderTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void bothOrdersWork() {
        QCOMPARE(qtThenTorch(), 6.0);
        QCOMPARE(torchThenQt(), 6.0);
    }
};

QTEST_APPLESS_MAIN(IncludeOrderTest)
#include "include_order_test.moc"
