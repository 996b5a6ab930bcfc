// Where examples come from: implemented over the frozen pixel cache in core/data, and by tests.
#pragma once

#include <cstdint>
#include <span>

namespace receiptbench {

// An example as it is to be used: id in the frozen set, epoch for the augmentation (-1: none,
// evaluation).
struct ExampleUse {
    std::int64_t id;
    std::int64_t epoch;
};

class BatchSource {
 public:
    virtual ~BatchSource() = default;
    virtual std::int64_t size() const = 0;  // ids are 0 .. size()-1
    virtual std::int64_t height() const = 0;
    virtual std::int64_t width() const = 0;
    virtual std::int64_t label(std::int64_t id) const = 0;
    // false: rejected; the sampler takes the next one of the stream and it is never counted as
    // accepted.
    virtual bool accepts(std::int64_t /*id*/) const { return true; }
    // Writes uses.size() images [height,width,3] RGB, one after the other. Pure function of the
    // uses.
    virtual void read(std::span<const ExampleUse> uses, std::span<std::uint8_t> pixels) const = 0;
};

}  // namespace receiptbench
