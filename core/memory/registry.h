// Which arenas live, which one is in use, and what was counted: shared by the budget's interface
// and Torch's allocator.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/memory/arena.h"
#include "core/memory/budget.h"

namespace receiptbench {

// Thread rule: every function from any thread.
class MemoryRegistry {
 public:
    static MemoryRegistry& instance();  // never destroyed: tensors in static variables free late

    void open(std::int64_t budget);  // throws Error when one is open already
    void close() noexcept;

    // nullptr when no budget is in force (the caller takes the default allocator); throws
    // OverBudget. bytes >= 1.
    void* allocate(std::uint64_t bytes, MemoryCategory category);
    bool release(void* data) noexcept;  // false: not from an arena

    MemoryState state() const;
    MemoryPeaks peaks() const;
    void resetPeaks();
    void recategorise(const void* data, MemoryCategory category);
    std::optional<OverBudget> takeRefusal();

 private:
    MemoryState stateLocked() const;
    void notePeakLocked();
    void dropRetiredLocked() noexcept;

    mutable std::mutex mutex_;
    // guarded by mutex_
    std::unique_ptr<Arena> active_;
    std::vector<std::unique_ptr<Arena>> retired_;  // closed, but tensors still live in them
    std::int64_t budget_ = 0;
    MemoryPeaks peaks_;
    std::optional<OverBudget> refusal_;
};

// While it lives, this thread's allocations go to the default allocator, budget or not.
class BypassBudget {
 public:
    BypassBudget();
    ~BypassBudget();
    BypassBudget(const BypassBudget&) = delete;
    BypassBudget& operator=(const BypassBudget&) = delete;
    static bool active();

 private:
    bool previous_;
};

// Puts our allocator in front of Torch's, once per process. Defined in torch_allocator.cpp.
void installTorchAllocator();
MemoryCategory currentCategory();

}  // namespace receiptbench
