#include <fmt/format.h>

#include <cstring>

#include "core/base/random.h"
#include "core/data/pixel_cache.h"

namespace receiptbench {
namespace {

struct Flips {
    bool horizontal = false, vertical = false;
};

// One row of pixels, left and right exchanged.
void copyMirrored(const std::uint8_t* source, std::uint8_t* target, std::int64_t width) {
    const std::uint8_t* from = source + (width - 1) * 3;
    for (std::int64_t x = 0; x < width; ++x, from -= 3, target += 3) {
        target[0] = from[0];
        target[1] = from[1];
        target[2] = from[2];
    }
}

void copyFlipped(std::span<const std::uint8_t> source, std::uint8_t* target, std::int64_t height,
                 std::int64_t width, Flips flips) {
    const std::int64_t stride = width * 3;
    for (std::int64_t y = 0; y < height; ++y) {
        const std::uint8_t* row = source.data() + (flips.vertical ? height - 1 - y : y) * stride;
        if (flips.horizontal) {
            copyMirrored(row, target + y * stride, width);
        } else {
            std::memcpy(target + y * stride, row, static_cast<std::size_t>(stride));
        }
    }
}

class CacheSource final : public BatchSource {
 public:
    CacheSource(std::shared_ptr<const PixelCache> cache, std::vector<std::int64_t> labels,
                const AugmentationSpec& augmentation, std::uint64_t seed)
        : cache_(std::move(cache)),
          labels_(std::move(labels)),
          augmentation_(augmentation),
          seed_(seed) {
        if (static_cast<std::int64_t>(labels_.size()) != cache_->size()) {
            throw Error(ErrorCode::Data,
                        fmt::format("the pixel cache holds {} images, split.csv names {}",
                                    cache_->size(), labels_.size()),
                        "the frozen set is damaged: freeze the data again into a new project");
        }
    }

    std::int64_t size() const override { return cache_->size(); }
    std::int64_t height() const override { return cache_->height(); }
    std::int64_t width() const override { return cache_->width(); }

    std::int64_t label(std::int64_t id) const override {
        if (id < 0 || id >= size()) {
            throw Error(ErrorCode::Failed,
                        fmt::format("there is no example {} among {}", id, size()));
        }
        return labels_[static_cast<std::size_t>(id)];
    }

    void read(std::span<const ExampleUse> uses, std::span<std::uint8_t> pixels) const override {
        const auto bytes = static_cast<std::size_t>(height() * width() * 3);
        if (pixels.size() != uses.size() * bytes) {
            throw Error(ErrorCode::Failed,
                        fmt::format("{} examples of {} bytes do not fill {} bytes", uses.size(),
                                    bytes, pixels.size()));
        }
        std::uint8_t* target = pixels.data();
        for (const ExampleUse& use : uses) {
            copyFlipped(cache_->pixels(use.id), target, height(), width(), flipsOf(use));
            cache_->release(use.id);
            target += bytes;
        }
    }

 private:
    // Both choices are drawn whatever is allowed, so that forbidding one leaves the other as it
    // was.
    Flips flipsOf(const ExampleUse& use) const {
        if (use.epoch < 0) {
            return {};
        }
        RandomStream random(seed_, "flip", static_cast<std::uint64_t>(use.epoch),
                            static_cast<std::uint64_t>(use.id));
        const bool horizontal = random.below(2) == 1, vertical = random.below(2) == 1;
        return {horizontal && augmentation_.horizontalFlip, vertical && augmentation_.verticalFlip};
    }

    std::shared_ptr<const PixelCache> cache_;
    std::vector<std::int64_t> labels_;
    AugmentationSpec augmentation_;
    std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<BatchSource> makeCacheSource(std::shared_ptr<const PixelCache> cache,
                                             std::vector<std::int64_t> labels,
                                             const AugmentationSpec& augmentation,
                                             std::uint64_t seed) {
    return std::make_unique<CacheSource>(std::move(cache), std::move(labels), augmentation, seed);
}

}  // namespace receiptbench
