// Asks a long job to stop. Set from any thread (and from a signal handler: a lock-free atomic),
// read by the job.
#pragma once

#include <atomic>

namespace receiptbench {

class CancelToken {
 public:
    // The first SIGINT: finish the current update, save, then stop.
    void finishUpdate() { raise(1); }
    // Stop button or second SIGINT: drop the unfinished update within one microbatch; the last
    // boundary is saved.
    void stopNow() { raise(2); }

    bool finishRequested() const { return level_.load(std::memory_order_relaxed) >= 1; }
    bool stopRequested() const { return level_.load(std::memory_order_relaxed) >= 2; }

 private:
    void raise(int level) {
        int seen = level_.load(std::memory_order_relaxed);
        while (seen < level && !level_.compare_exchange_weak(seen, level)) {
        }
    }
    std::atomic<int> level_{0};
};

}  // namespace receiptbench
