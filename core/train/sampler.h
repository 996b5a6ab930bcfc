// Which examples an update takes: a stream of permutations, one per epoch, as a pure function of
// (seed, epoch). The position counts consumed examples of the global stream, so that plan, workers
// and ranks may change on resume.
#pragma once

#include <cstdint>
#include <vector>

#include "core/contract/contract.h"
#include "core/train/batch.h"

namespace receiptbench {

struct UpdateExamples {
    std::vector<ExampleUse> uses;  // accepted ones, in order
    std::int64_t firstEpoch = 0;
    std::int64_t positionAfter = 0;  // consumed, rejected ones included
    std::vector<std::int64_t> rejected;
};

class Sampler {
 public:
    Sampler(const BatchSource& source, std::uint64_t seed, std::int64_t examplesPerUpdate,
            LastUpdateRule rule);
    // carry: fills the last update of an epoch from the next; apply: it is short; drop: it is left
    // out. Throws Error(Data) when no example is accepted (or, with drop, an epoch has fewer than
    // one update).
    UpdateExamples next();
    std::int64_t position() const { return position_; }
    std::int64_t epoch() const { return size_ == 0 ? 0 : position_ / size_; }
    void seek(std::int64_t position);

 private:
    std::int64_t idAt(std::int64_t position);
    bool endShort(UpdateExamples& update, bool wholeEpoch) const;
    const BatchSource& source_;
    std::uint64_t seed_;
    std::int64_t size_, examplesPerUpdate_;
    LastUpdateRule rule_;
    std::int64_t position_ = 0;
    std::int64_t permutedEpoch_ = -1;
    std::vector<std::int64_t> permutation_;
};

}  // namespace receiptbench
