#include <numeric>

#include "core/data/pixel_cache.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_dir.h"

using namespace receiptbench;

namespace {

constexpr std::int64_t kHeight = 4, kWidth = 5, kCount = 40;
constexpr std::size_t kBytes = kHeight * kWidth * 3;

Image numbered(std::int64_t number) {
    Image image{kWidth, kHeight, std::vector<std::uint8_t>(kBytes)};
    std::iota(image.rgb.begin(), image.rgb.end(), static_cast<std::uint8_t>(number * 3));
    return image;
}

std::vector<std::uint8_t> flipped(const Image& image, bool horizontal, bool vertical) {
    std::vector<std::uint8_t> result;
    for (std::int64_t y = 0; y < kHeight; ++y) {
        for (std::int64_t x = 0; x < kWidth; ++x) {
            const std::int64_t fromY = vertical ? kHeight - 1 - y : y,
                               fromX = horizontal ? kWidth - 1 - x : x;
            for (std::int64_t c = 0; c < 3; ++c) {
                result.push_back(
                    image.rgb[static_cast<std::size_t>((fromY * kWidth + fromX) * 3 + c)]);
            }
        }
    }
    return result;
}

std::vector<std::uint8_t> readOne(const BatchSource& source, ExampleUse use) {
    std::vector<std::uint8_t> pixels(kBytes);
    source.read(std::span(&use, 1), pixels);
    return pixels;
}

}  // namespace

class CacheSourceTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void initTestCase() {
        PixelCacheWriter writer(posixFileSystem(), folder_.file("a.pixels"), kHeight, kWidth);
        for (std::int64_t i = 0; i < kCount; ++i) {
            writer.add(numbered(i));
        }
        writer.finish();
        cache_ = std::make_shared<PixelCache>(folder_.file("a.pixels"));
        for (std::int64_t i = 0; i < kCount; ++i) {
            labels_.push_back(i % 3);
        }
    }

    void sizesAndLabels() {
        const auto source = make({});
        QCOMPARE(source->size(), kCount);
        QCOMPARE(source->height(), kHeight);
        QCOMPARE(source->width(), kWidth);
        QCOMPARE(source->label(4), 1);
        QVERIFY(source->accepts(4));
        EXPECT_ERROR(source->label(kCount), ErrorCode::Failed, "40");
        EXPECT_ERROR(source->label(-1), ErrorCode::Failed, "-1");
        EXPECT_ERROR(makeCacheSource(cache_, {1, 2}, {}, 83), ErrorCode::Data, "names 2");
    }

    void evaluationIsNeverAugmented() {
        const auto source = make({});
        for (std::int64_t id = 0; id < kCount; ++id) {
            QCOMPARE(readOne(*source, {id, -1}), numbered(id).rgb);
        }
    }

    void everyFlipHappensAboutEquallyOften() {
        const auto source = make({});
        std::array<int, 4> seen{};
        constexpr int kEpochs = 50;
        for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) {
            for (std::int64_t id = 0; id < kCount; ++id) {
                const auto pixels = readOne(*source, {id, epoch});
                for (std::size_t kind = 0; kind < 4; ++kind) {
                    seen[kind] +=
                        pixels == flipped(numbered(id), (kind & 1) != 0, (kind & 2) != 0) ? 1 : 0;
                }
            }
        }
        QCOMPARE(seen[0] + seen[1] + seen[2] + seen[3], static_cast<int>(kEpochs * kCount));
        for (const int count : seen) {
            QVERIFY2(std::abs(count - 500) < 100,
                     std::to_string(count).c_str());  // 5 standard deviations
        }
    }

    void aUseIsAPureFunction() {
        const auto source = make({}), again = make({}), other = make({}, 84);
        std::vector<ExampleUse> uses;
        for (std::int64_t id = 0; id < kCount; ++id) {
            uses.push_back({kCount - 1 - id, id % 4});
        }
        std::vector<std::uint8_t> together(uses.size() * kBytes), differently(uses.size() * kBytes);
        source->read(uses, together);
        other->read(uses, differently);
        QVERIFY(together != differently);
        for (std::size_t i = uses.size(); i-- > 0;) {
            const auto alone = readOne(*again, uses[i]);
            QVERIFY(std::equal(alone.begin(), alone.end(),
                               together.begin() + static_cast<std::ptrdiff_t>(i * kBytes)));
        }
    }

    void forbiddingOneFlipLeavesTheOther() {
        const auto both = make({true, true}), vertical = make({false, true}),
                   none = make({false, false});
        for (std::int64_t id = 0; id < kCount; ++id) {
            const Image image = numbered(id);
            const auto free = readOne(*both, {id, 1});
            const bool isVertical =
                free == flipped(image, false, true) || free == flipped(image, true, true);
            QCOMPARE(readOne(*vertical, {id, 1}), flipped(image, false, isVertical));
            QCOMPARE(readOne(*none, {id, 1}), image.rgb);
        }
    }

    void wrongRoomIsRefused() {
        const auto source = make({});
        std::vector<std::uint8_t> pixels(kBytes - 1);
        const ExampleUse use{0, 0}, outside{kCount, 0};
        EXPECT_ERROR(source->read(std::span(&use, 1), pixels), ErrorCode::Failed, "do not fill");
        EXPECT_ERROR(readOne(*source, outside), ErrorCode::Failed, "40");
        source->read({}, {});
    }

 private:
    std::unique_ptr<BatchSource> make(const AugmentationSpec& augmentation,
                                      std::uint64_t seed = 83) const {
        return makeCacheSource(cache_, labels_, augmentation, seed);
    }
    TemporaryDir folder_;
    std::shared_ptr<const PixelCache> cache_;
    std::vector<std::int64_t> labels_;
};

QTEST_APPLESS_MAIN(CacheSourceTest)
#include "cache_source_test.moc"
