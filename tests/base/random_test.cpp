#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/random.h"
#include "tests/support/expect_error.h"

using namespace receiptbench;

class RandomTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    // Random123's kat_vectors for philox4x32 10.
    void knownAnswers() {
        using Block = std::array<std::uint32_t, 4>;
        QCOMPARE(philox({0, 0, 0, 0}, {0, 0}),
                 (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
        QCOMPARE(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
                 (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
        QCOMPARE(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
                 (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    }

    // Frozen: a change would change every split, permutation and augmentation.
    void streamIsFrozen() {
        RandomStream stream(83, "permutation", 2, 7);
        const std::vector<std::uint64_t> first{stream.next64(), stream.next64(), stream.next64()};
        RandomStream again(83, "permutation", 2, 7);
        for (const std::uint64_t value : first) {
            QCOMPARE(again.next64(), value);
        }
        QCOMPARE(first.front(), std::uint64_t{15574230166524993942ull});
    }

    void everyCoordinateMatters() {
        std::map<std::uint64_t, int> seen;
        for (const std::uint64_t seed : {0ull, 1ull, 1ull << 40}) {
            for (const char* name : {"flip", "split"}) {
                for (const std::uint64_t a : {0ull, 1ull, 1ull << 33}) {
                    for (const std::uint64_t b : {0ull, 1ull, 1ull << 33}) {
                        ++seen[RandomStream(seed, name, a, b).next64()];
                    }
                }
            }
        }
        QCOMPARE(seen.size(), std::size_t{3 * 2 * 3 * 3});
    }

    void uniformStaysInRange() {
        RandomStream stream(1, "uniform");
        double sum = 0;
        for (int i = 0; i < 10000; ++i) {
            const double value = stream.uniform(-2, 3);
            QVERIFY(value >= -2 && value < 3);
            sum += value;
        }
        QVERIFY(std::fabs(sum / 10000 - 0.5) < 0.06);  // 4 standard errors
        QCOMPARE(stream.uniform(5, 5), 5.0);
    }

    void normalHasItsMoments() {
        RandomStream stream(1, "normal");
        double sum = 0, squares = 0;
        for (int i = 0; i < 20000; ++i) {
            const double value = stream.normal();
            QVERIFY(std::isfinite(value));
            sum += value;
            squares += value * value;
        }
        QVERIFY(std::fabs(sum / 20000) < 0.03);
        QVERIFY(std::fabs(squares / 20000 - 1) < 0.05);
    }

    void belowIsEvenAndBounded() {
        RandomStream stream(1, "below");
        std::array<int, 3> counts{};
        for (int i = 0; i < 9000; ++i) {
            ++counts.at(stream.below(3));
        }
        for (const int count : counts) {
            QVERIFY(std::abs(count - 3000) < 200);
        }
        QCOMPARE(stream.below(1), std::uint64_t{0});
        EXPECT_ERROR(stream.below(0), ErrorCode::Failed, "below 0");
    }

    void permutationHoldsEachOnce() {
        std::vector<std::int64_t> order = permutation(100, RandomStream(83, "p", 0));
        QVERIFY(order != permutation(100, RandomStream(83, "p", 1)));
        QVERIFY(!std::is_sorted(order.begin(), order.end()));
        std::sort(order.begin(), order.end());
        for (std::int64_t i = 0; i < 100; ++i) {
            QCOMPARE(order[static_cast<std::size_t>(i)], i);
        }
        QVERIFY(permutation(0, RandomStream(1, "p")).empty());
    }

    void namesHashAsFnv1a() {
        QCOMPARE(hashName(""), std::uint64_t{0xcbf29ce484222325});
        QCOMPARE(hashName("a"), std::uint64_t{0xaf63dc4c8601ec8c});
        QCOMPARE(hashName("foobar"), std::uint64_t{0x85944171f73967e8});
    }
};

QTEST_APPLESS_MAIN(RandomTest)
#include "random_test.moc"
