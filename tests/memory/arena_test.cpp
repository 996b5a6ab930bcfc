// The arena alone: nothing overlaps, everything coalesces, nothing passes the capacity.
#include <QtTest>
#include <cstring>
#include <map>
#include <vector>

#include "core/base/random.h"
#include "core/memory/arena.h"

using namespace receiptbench;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

struct Live {
    void* data;
    std::size_t bytes;
    std::uint8_t fill;
};

bool stillFilled(const Live& live) {
    const auto* bytes = static_cast<const std::uint8_t*>(live.data);
    for (std::size_t i = 0; i < live.bytes; ++i) {
        if (bytes[i] != live.fill) {
            return false;
        }
    }
    return true;
}

}  // namespace

class ArenaTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void randomUseKeepsBlocksApartAndCoalesces();
    void nothingPassesTheCapacity_data();
    void nothingPassesTheCapacity();
    void smallAndLongLivedBlocksStayOutOfTheWay();
    void reservedIsWhatWasTouched();
    void onlyRealBlocksChangeCategory();
};

void ArenaTest::randomUseKeepsBlocksApartAndCoalesces() {
    constexpr std::int64_t kCapacity = 4 * kMiB;
    Arena arena(kCapacity);
    const std::int64_t whole = arena.largestFree();
    RandomStream random(83, "arena-test");
    std::vector<Live> live;
    std::int64_t refused = 0;
    for (int step = 0; step < 4000; ++step) {
        if (!live.empty() && random.uniform() < 0.45) {
            const auto index = static_cast<std::size_t>(random.below(live.size()));
            QVERIFY(stillFilled(live[index]));
            arena.release(live[index].data);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(index));
            continue;
        }
        const std::size_t bytes = 1 + random.below(random.uniform() < 0.5 ? 500 : 300000);
        void* data =
            arena.allocate(bytes, static_cast<MemoryCategory>(random.below(kMemoryCategories)));
        if (data == nullptr) {
            QVERIFY(arena.largestFree() < static_cast<std::int64_t>(bytes));
            ++refused;
            continue;
        }
        QCOMPARE(reinterpret_cast<std::uintptr_t>(data) % 64, std::uintptr_t(0));
        QVERIFY(arena.contains(data) && arena.contains(static_cast<std::byte*>(data) + bytes - 1));
        live.push_back({data, bytes, static_cast<std::uint8_t>(step)});
        std::memset(data, live.back().fill, bytes);
    }
    QVERIFY(refused > 0);
    for (const Live& block : live) {
        QVERIFY(stillFilled(block));
        arena.release(block.data);
    }
    QVERIFY(arena.empty());
    QCOMPARE(arena.allocated(), std::int64_t(0));
    QCOMPARE(arena.largestFree(), whole);
    for (const std::int64_t bytes : arena.byCategory()) {
        QCOMPARE(bytes, std::int64_t(0));
    }
}

void ArenaTest::nothingPassesTheCapacity_data() {
    QTest::addColumn<qint64>("capacity");
    for (const qint64 capacity : {1, 63, 64, 65, 127, 128, 129, 191, 192, 4096, 4097, 70000}) {
        QTest::newRow(std::to_string(capacity).c_str()) << capacity;
    }
}

void ArenaTest::nothingPassesTheCapacity() {
    QFETCH(qint64, capacity);
    Arena arena(capacity);
    QVERIFY(arena.largestFree() <= capacity);
    QVERIFY(arena.allocate(static_cast<std::uint64_t>(capacity) + 1, MemoryCategory::Other) ==
            nullptr);
    QVERIFY(arena.allocate(UINT64_MAX, MemoryCategory::Other) == nullptr);
    QVERIFY(arena.allocate(UINT64_MAX / 2, MemoryCategory::Other) == nullptr);
    const std::int64_t largest = arena.largestFree();
    if (largest > 0) {
        QVERIFY(arena.allocate(static_cast<std::uint64_t>(largest) + 1,
                               MemoryCategory::Activations) == nullptr);
        void* all =
            arena.allocate(static_cast<std::uint64_t>(largest), MemoryCategory::Activations);
        QVERIFY(all != nullptr);
        std::memset(all, 1, static_cast<std::size_t>(largest));
        QVERIFY(arena.allocated() <= capacity && arena.reserved() <= capacity);
        arena.release(all);
    }
    while (arena.allocate(1, MemoryCategory::Other) != nullptr) {
    }
    QVERIFY(arena.allocated() <= capacity);
    QCOMPARE(arena.largestFree(), std::int64_t(0));
}

void ArenaTest::smallAndLongLivedBlocksStayOutOfTheWay() {
    Arena arena(8 * kMiB);
    void* first = arena.allocate(kMiB, MemoryCategory::Activations);
    void* gradient = arena.allocate(kMiB, MemoryCategory::Gradients);
    void* small = arena.allocate(100, MemoryCategory::Activations);
    void* second = arena.allocate(kMiB, MemoryCategory::Activations);
    QVERIFY(first < second && second < small && small < gradient);
    arena.release(first);
    arena.release(second);
    QVERIFY(arena.largestFree() > 6 * kMiB);  // one piece: nothing small was left in the middle
}

void ArenaTest::reservedIsWhatWasTouched() {
    Arena arena(64 * kMiB);
    QCOMPARE(arena.reserved(), std::int64_t(0));
    void* low = arena.allocate(kMiB, MemoryCategory::Activations);
    QCOMPARE(arena.reserved(), kMiB + 64);
    void* high = arena.allocate(kMiB, MemoryCategory::Parameters);
    QCOMPARE(arena.reserved(), 2 * (kMiB + 64));
    arena.release(low);
    QCOMPARE(arena.reserved(), 2 * (kMiB + 64));  // kept
    low = arena.allocate(kMiB, MemoryCategory::Activations);
    QCOMPARE(arena.reserved(), 2 * (kMiB + 64));  // reused
    QCOMPARE(arena.allocated(), 2 * kMiB);
    arena.release(high);
    arena.release(low);
    QVERIFY(arena.allocate(static_cast<std::uint64_t>(arena.largestFree()),
                           MemoryCategory::Activations) != nullptr);
    QCOMPARE(arena.reserved(), 64 * kMiB);
}

void ArenaTest::onlyRealBlocksChangeCategory() {
    Arena arena(kMiB);
    const auto bytesOf = [&](MemoryCategory category) {
        return arena.byCategory()[static_cast<std::size_t>(category)];
    };
    auto* block = static_cast<std::byte*>(arena.allocate(1000, MemoryCategory::Activations));
    std::memset(block, 0xff, 1000);
    arena.recategorise(block, MemoryCategory::Gradients);
    QCOMPARE(bytesOf(MemoryCategory::Gradients), std::int64_t(1024));
    QCOMPARE(bytesOf(MemoryCategory::Activations), std::int64_t(0));
    int outside = 0;
    arena.recategorise(block + 64, MemoryCategory::Other);  // inside it
    arena.recategorise(block + 1, MemoryCategory::Other);
    arena.recategorise(&outside, MemoryCategory::Other);
    arena.recategorise(nullptr, MemoryCategory::Other);
    QCOMPARE(bytesOf(MemoryCategory::Other), std::int64_t(0));
    arena.release(block);
    arena.recategorise(block, MemoryCategory::Other);  // freed
    QCOMPARE(bytesOf(MemoryCategory::Other), std::int64_t(0));
    QCOMPARE(arena.allocated(), std::int64_t(0));
}

QTEST_APPLESS_MAIN(ArenaTest)
#include "arena_test.moc"
