#include "core/train/sampler.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/random.h"

namespace receiptbench {

Sampler::Sampler(const BatchSource& source, std::uint64_t seed, std::int64_t examplesPerUpdate,
                 LastUpdateRule rule)
    : source_(source),
      seed_(seed),
      size_(source.size()),
      examplesPerUpdate_(examplesPerUpdate),
      rule_(rule) {
    if (examplesPerUpdate < 1) {
        throw Error(ErrorCode::Usage, fmt::format("examples per update is {}", examplesPerUpdate),
                    "It must be 1 or more.");
    }
    if (size_ < 1) {
        throw Error(ErrorCode::Data, "the training set holds 0 examples",
                    "Freeze a set with at least one per class.");
    }
}

std::int64_t Sampler::idAt(std::int64_t position) {
    const std::int64_t epoch = position / size_;
    if (epoch != permutedEpoch_) {
        permutation_ = permutation(
            size_, RandomStream(seed_, "permutation", static_cast<std::uint64_t>(epoch)));
        permutedEpoch_ = epoch;
    }
    return permutation_[static_cast<std::size_t>(position % size_)];
}

// An epoch has ended with an update that is not full: what the rule makes of it. True: the update
// goes as it is.
bool Sampler::endShort(UpdateExamples& update, bool wholeEpoch) const {
    if (rule_ == LastUpdateRule::Apply) {
        return !update.uses.empty();
    }
    if (rule_ == LastUpdateRule::Drop) {
        if (wholeEpoch) {
            throw Error(ErrorCode::Data,
                        fmt::format("an epoch has {} accepted examples, an update takes {}: with "
                                    "last-update rule 'drop' nothing would ever be trained",
                                    update.uses.size(), examplesPerUpdate_),
                        "Use the rule 'carry' or 'apply', or fewer examples per update.");
        }
        update.uses.clear();
    }
    return false;
}

UpdateExamples Sampler::next() {
    UpdateExamples update;
    // Work on a copy of the position: a throw leaves the sampler at the boundary.
    std::int64_t position = position_;
    std::int64_t sinceAccepted = 0;           // positions in a row without an accepted example
    bool wholeEpoch = position % size_ == 0;  // the examples at hand began with their epoch
    bool done = false;
    while (!done) {
        // Two epochs' worth: any such stretch holds one epoch completely.
        if (sinceAccepted >= 2 * size_) {
            throw Error(ErrorCode::Data,
                        fmt::format("all {} training examples are rejected", size_),
                        "Look at the list of rejects: an update needs accepted examples.");
        }
        const std::int64_t id = idAt(position);
        if (source_.accepts(id)) {
            update.uses.push_back({id, position / size_});
            sinceAccepted = 0;
        } else {
            update.rejected.push_back(id);
            ++sinceAccepted;
        }
        ++position;
        done = static_cast<std::int64_t>(update.uses.size()) == examplesPerUpdate_;
        if (!done && position % size_ == 0) {
            done = endShort(update, wholeEpoch);
            wholeEpoch = true;
        }
    }
    update.firstEpoch = update.uses.front().epoch;
    update.positionAfter = position;
    position_ = position;
    return update;
}

void Sampler::seek(std::int64_t position) {
    if (position < 0) {
        throw Error(ErrorCode::Data, fmt::format("sampler position {} is negative", position),
                    "The state it came from is damaged: resume from another checkpoint.");
    }
    position_ = position;
}

}  // namespace receiptbench
