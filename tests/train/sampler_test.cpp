// Which examples an update takes: nothing lost, nothing twice, the same after a resume.
#include <QtTest>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/error.h"
#include "core/train/sampler.h"
#include "tests/train/numbered_source.h"

using namespace receiptbench;

namespace {

std::vector<std::int64_t> idsOf(const UpdateExamples& update) {
    std::vector<std::int64_t> ids;
    for (const ExampleUse& use : update.uses) {
        ids.push_back(use.id);
    }
    return ids;
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> ids) {
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::vector<std::int64_t> upTo(std::int64_t n) {
    std::vector<std::int64_t> ids(static_cast<std::size_t>(n));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
}

ErrorCode codeOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.code();
    }
    return ErrorCode::Interrupted;  // nothing was thrown
}

}  // namespace

class SamplerTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void applyRuleLosesNothing();
    void carryFillsFromTheNextEpoch();
    void dropLeavesOutTheRemainder();
    void epochsDifferAndDependOnTheSeed();
    void resumeSeesTheSameIds_data();
    void resumeSeesTheSameIds();
    void rejectedAreReplacedByTheNextAccepted();
    void rareAcceptedExampleIsFound();
    void applyMakesNoEmptyUpdate();
    void impossibleIsRefused();
};

// 100 accepted examples, window 47, 3 epochs: 47, 47, 6 each (ultralytics#11217 lost the
// remainder).
void SamplerTest::applyRuleLosesNothing() {
    const NumberedSource source(100);
    Sampler sampler(source, 83, 47, LastUpdateRule::Apply);
    std::int64_t total = 0;
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        std::vector<std::int64_t> seen;
        for (const std::size_t expected : {47u, 47u, 6u}) {
            const UpdateExamples update = sampler.next();
            QCOMPARE(update.uses.size(), expected);
            QCOMPARE(update.firstEpoch, epoch);
            for (const ExampleUse& use : update.uses) {
                QCOMPARE(use.epoch, epoch);
            }
            total += static_cast<std::int64_t>(update.uses.size());
            QCOMPARE(update.positionAfter, total);
            QCOMPARE(sampler.position(), total);
            const auto ids = idsOf(update);
            seen.insert(seen.end(), ids.begin(), ids.end());
        }
        QCOMPARE(sorted(seen), upTo(100));
        QCOMPARE(sampler.epoch(), epoch + 1);
    }
    QCOMPARE(total, std::int64_t{300});
}

void SamplerTest::carryFillsFromTheNextEpoch() {
    const NumberedSource source(100);
    Sampler sampler(source, 83, 47, LastUpdateRule::Carry);
    std::vector<std::int64_t> stream;
    for (int i = 0; i < 20; ++i) {
        const UpdateExamples update = sampler.next();
        QCOMPARE(update.uses.size(), std::size_t{47});
        for (std::size_t k = 0; k < 47; ++k) {
            QCOMPARE(update.uses[k].epoch, static_cast<std::int64_t>(stream.size() + k) / 100);
        }
        const auto ids = idsOf(update);
        stream.insert(stream.end(), ids.begin(), ids.end());
    }
    for (std::ptrdiff_t epoch = 0; epoch < 9; ++epoch) {
        const auto first = stream.begin() + epoch * 100;
        QCOMPARE(sorted({first, first + 100}), upTo(100));
    }
    // More than one epoch in one update is possible too.
    const NumberedSource few(10);
    Sampler greedy(few, 83, 47, LastUpdateRule::Carry);
    QCOMPARE(greedy.next().uses.back().epoch, std::int64_t{4});
}

void SamplerTest::dropLeavesOutTheRemainder() {
    const NumberedSource source(100);
    Sampler sampler(source, 83, 47, LastUpdateRule::Drop);
    for (const std::int64_t epoch : {0, 0, 1, 1, 2}) {
        const UpdateExamples update = sampler.next();
        QCOMPARE(update.uses.size(), std::size_t{47});
        QCOMPARE(update.uses.front().epoch, epoch);
        QCOMPARE(update.uses.back().epoch, epoch);
    }
    QCOMPARE(sampler.position(), std::int64_t{247});
}

void SamplerTest::epochsDifferAndDependOnTheSeed() {
    const NumberedSource source(100);
    Sampler sampler(source, 83, 100, LastUpdateRule::Carry),
        other(source, 84, 100, LastUpdateRule::Carry);
    const auto first = idsOf(sampler.next()), second = idsOf(sampler.next());
    QVERIFY(first != second);
    QVERIFY(first != upTo(100));
    QVERIFY(first != idsOf(other.next()));
}

void SamplerTest::resumeSeesTheSameIds_data() {
    QTest::addColumn<int>("stopAfter");
    for (const int stop : {0, 2, 3, 4, 5, 6}) {  // 3 and 6 are epoch edges with the rule 'apply'
        QTest::addRow("after %d", stop) << stop;
    }
}

// accelerate#4233: after a resume in mid-epoch some pictures were seen twice and others never.
void SamplerTest::resumeSeesTheSameIds() {
    QFETCH(int, stopAfter);
    const NumberedSource source(100);
    for (const LastUpdateRule rule :
         {LastUpdateRule::Apply, LastUpdateRule::Carry, LastUpdateRule::Drop}) {
        Sampler straight(source, 83, 47, rule), resumed(source, 83, 47, rule);
        for (int i = 0; i < stopAfter; ++i) {
            straight.next();
        }
        resumed.next();  // not fresh: a permutation is already there
        resumed.seek(straight.position());
        for (int i = 0; i < 9; ++i) {
            const UpdateExamples expected = straight.next(), actual = resumed.next();
            QCOMPARE(idsOf(actual), idsOf(expected));
            QCOMPARE(actual.positionAfter, expected.positionAfter);
            QCOMPARE(actual.firstEpoch, expected.firstEpoch);
        }
    }
}

// 5 rejected: the update takes the next 5 accepted ones of the stream, still 47.
void SamplerTest::rejectedAreReplacedByTheNextAccepted() {
    const NumberedSource all(100);
    Sampler plain(all, 83, 100, LastUpdateRule::Carry);
    const auto stream = idsOf(plain.next());
    const std::set<std::int64_t> rejected{stream[0], stream[7], stream[20], stream[30], stream[46]};
    const NumberedSource source(100, rejected);
    Sampler sampler(source, 83, 47, LastUpdateRule::Carry);
    const UpdateExamples update = sampler.next();
    std::vector<std::int64_t> expected;
    for (std::size_t i = 0; i < 52; ++i) {
        if (!rejected.contains(stream[i])) {
            expected.push_back(stream[i]);
        }
    }
    QCOMPARE(idsOf(update), expected);
    QCOMPARE(sorted(update.rejected), std::vector<std::int64_t>(rejected.begin(), rejected.end()));
    QCOMPARE(update.positionAfter, std::int64_t{52});
}

// The gap between two uses of the only accepted example may be nearly two epochs long.
void SamplerTest::rareAcceptedExampleIsFound() {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const NumberedSource source(4, {0, 1, 3});
        Sampler sampler(source, seed, 3, LastUpdateRule::Carry);
        for (int i = 0; i < 20; ++i) {
            QCOMPARE(idsOf(sampler.next()), (std::vector<std::int64_t>{2, 2, 2}));
        }
    }
}

void SamplerTest::applyMakesNoEmptyUpdate() {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const NumberedSource source(6, {1, 4});  // rejected ones may be the last of an epoch
        Sampler sampler(source, seed, 2, LastUpdateRule::Apply);
        for (int i = 0; i < 20; ++i) {
            const UpdateExamples update = sampler.next();
            QCOMPARE(update.uses.size(), std::size_t{2});
            QCOMPARE(update.firstEpoch, std::int64_t{i / 2});
        }
    }
}

void SamplerTest::impossibleIsRefused() {
    const NumberedSource none(0), rejecting(3, {0, 1, 2}), few(10);
    QCOMPARE(codeOf([&] { Sampler(none, 1, 47, LastUpdateRule::Carry); }), ErrorCode::Data);
    QCOMPARE(codeOf([&] { Sampler(few, 1, 0, LastUpdateRule::Carry); }), ErrorCode::Usage);
    for (const LastUpdateRule rule :
         {LastUpdateRule::Apply, LastUpdateRule::Carry, LastUpdateRule::Drop}) {
        QCOMPARE(codeOf([&] { Sampler(rejecting, 1, 2, rule).next(); }), ErrorCode::Data);
    }
    Sampler dropping(few, 1, 47, LastUpdateRule::Drop);
    QCOMPARE(codeOf([&] { dropping.next(); }), ErrorCode::Data);
    QCOMPARE(dropping.position(), std::int64_t{0});
    QCOMPARE(codeOf([&] { dropping.seek(-1); }), ErrorCode::Data);
}

QTEST_APPLESS_MAIN(SamplerTest)
#include "sampler_test.moc"
