// Grey pictures of any size: memory and speed do not depend on what is on them, so sizes can be
// tried that were never frozen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/contract/contract.h"
#include "core/train/batch.h"

namespace receiptbench {

class BlankSource : public BatchSource {
 public:
    BlankSource(const ExperimentContract& contract, std::int64_t classes)
        : size_(2 * contract.examplesPerUpdate),
          height_(contract.height),
          width_(contract.width),
          classes_(classes) {}
    std::int64_t size() const override { return size_; }
    std::int64_t height() const override { return height_; }
    std::int64_t width() const override { return width_; }
    std::int64_t label(std::int64_t id) const override { return id % classes_; }
    void read(std::span<const ExampleUse>, std::span<std::uint8_t> pixels) const override {
        std::fill(pixels.begin(), pixels.end(), std::uint8_t{128});
    }

 private:
    std::int64_t size_, height_, width_, classes_;
};

// Memory does not depend on what the classes are called: before anything is imported, numbers stand
// for them.
inline ExperimentContract withLabels(ExperimentContract contract, std::int64_t classes) {
    if (contract.labels.size() != classes) {
        std::vector<std::string> names;
        for (std::int64_t c = 0; c < classes; ++c) {
            names.push_back(std::to_string(c));
        }
        contract.labels = LabelMap(names);
        contract.acceptLabel = names.front();
    }
    return contract;
}

}  // namespace receiptbench
