#include <QtTest>

#include "core/contract/label_map.h"
#include "core/contract/run_plan.h"
#include "tests/support/expect_error.h"

using namespace receiptbench;

class LabelMapTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void ownLabelsHaveTheirOwnOrder() {
        const std::vector<std::string> own{"readable", "blurred", "cut-off"};
        QCOMPARE(LabelMap::fromLabels({"cut-off", "blurred", "readable", "blurred"}).names(), own);
        QCOMPARE(LabelMap::fromLabels({"cut-off"}).names(), own);
    }

    // D11: byte order, whatever the locale and the order of the listing.
    void othersAreSortedByBytes() {
        const std::vector<std::string> sorted{"1",     "10",    "2",   "Cat",
                                              "Zebra", "apple", "cat", "Ünder"};
        QCOMPARE(
            LabelMap::fromLabels({"cat", "Ünder", "2", "10", "apple", "Zebra", "1", "Cat"}).names(),
            sorted);
        QCOMPARE(LabelMap::fromLabels({"readable", "aaa"}).names(),
                 (std::vector<std::string>{"aaa", "readable"}));
    }

    void lookUp() {
        const LabelMap map({"x", "y"});
        QCOMPARE(map.index("y"), std::optional<std::int64_t>(1));
        QVERIFY(!map.index("z"));
        QCOMPARE(map.name(0), std::string("x"));
        QCOMPARE(map.size(), std::int64_t{2});
    }

    void badNamesAreRefused() {
        EXPECT_ERROR(LabelMap({"a", "a"}), ErrorCode::Data, "\"a\" appears twice");
        EXPECT_ERROR(LabelMap({""}), ErrorCode::Data, "empty");
        EXPECT_ERROR(LabelMap({"\xff"}), ErrorCode::Data, "\\xff");
    }

    // D15: the effective batch stays; parts = ceil(accepted / microbatch).
    void updatesAreCut() {
        using Sizes = std::vector<std::int64_t>;
        QCOMPARE(cutUpdate(47, 32), (Sizes{32, 15}));
        QCOMPARE(cutUpdate(47, 16), (Sizes{16, 16, 15}));
        QCOMPARE(cutUpdate(47, 8), (Sizes{8, 8, 8, 8, 8, 7}));
        QCOMPARE(cutUpdate(47, 47), (Sizes{47}));
        QCOMPARE(cutUpdate(47, INT64_MAX), (Sizes{47}));
        QVERIFY(cutUpdate(0, 8).empty());
        EXPECT_ERROR(cutUpdate(47, 0), ErrorCode::Usage, "microbatches of 0");
        EXPECT_ERROR(cutUpdate(-1, 1), ErrorCode::Usage, "-1 examples");
    }

    void namesOfModes() {
        for (const auto precision : {Precision::Fp32, Precision::Fp16, Precision::Bf16}) {
            QVERIFY(parsePrecision(toString(precision)) == precision);
        }
        QVERIFY(parseMemoryFormat("channels-last") == MemoryFormat::ChannelsLast);
        EXPECT_ERROR(parsePrecision("fp8"), ErrorCode::Usage, "fp8");
        EXPECT_ERROR(parseMemoryFormat("nhwc"), ErrorCode::Usage, "nhwc");
    }
};

QTEST_APPLESS_MAIN(LabelMapTest)
#include "label_map_test.moc"
