// A training set of numbers for tests: example i has label i modulo classes and black pixels; some
// may be rejected.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "core/train/batch.h"

class NumberedSource : public receiptbench::BatchSource {
 public:
    explicit NumberedSource(std::int64_t size, std::set<std::int64_t> rejected = {})
        : size_(size), rejected_(std::move(rejected)) {}
    std::int64_t size() const override { return size_; }
    std::int64_t height() const override { return 16; }
    std::int64_t width() const override { return 16; }
    std::int64_t label(std::int64_t id) const override { return id % 3; }
    bool accepts(std::int64_t id) const override { return !rejected_.contains(id); }
    void read(std::span<const receiptbench::ExampleUse>,
              std::span<std::uint8_t> pixels) const override {
        std::fill(pixels.begin(), pixels.end(), std::uint8_t{0});
    }

 private:
    std::int64_t size_;
    std::set<std::int64_t> rejected_;
};
