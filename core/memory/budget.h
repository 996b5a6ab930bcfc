// The memory budget on the CPU: every tensor allocation of the process comes from one mapping of
// budget size, is counted by category and fails over the budget with an error that says what filled
// the memory.
//
// One mapping with best fit and coalescing: allocated plus kept can never pass the budget, and
// freed pages are reused without page faults. Process memory grows by at most the budget plus 32
// MiB: 5-8 MiB are private (generated kernels, graph nodes, block headers' pages), 22-25 MiB are
// LibTorch's own code being paged in, shared and dropped under pressure. Fragmentation is stated
// (reserved against the peak, largest free block): a training loop needs 1.06-1.24 times its peak.
// oneDNN's scratch memory takes the allocator's raw path, which demands data == context: the
// bookkeeping therefore lies beside the block.
//
// Thread rule: allocation and freeing from any thread; one BudgetScope at a time in a process (a
// second one throws).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/contract/update_record.h"

namespace receiptbench {

struct MemoryState {  // bytes
    std::int64_t budget = 0;
    std::int64_t allocated = 0;
    std::int64_t largestFree = 0;  // largest block that would still fit
    std::int64_t reserved = 0;     // touched part of the mapping: allocated + kept
    std::array<std::int64_t, kMemoryCategories> byCategory{};
};

// Thrown out of the allocation; passes through Torch and its autograd engine as it is.
class OverBudget : public Error {
 public:
    OverBudget(std::int64_t requested, const MemoryState& state);
    std::int64_t requested() const { return requested_; }
    const MemoryState& state() const { return state_; }

 private:
    std::int64_t requested_;
    MemoryState state_;
};

// Installs the budget until destroyed. Tensors that outlive it keep their memory (the mapping goes
// with the last one). bytes = 0: no limit but physical memory; still counted.
class BudgetScope {
 public:
    explicit BudgetScope(std::int64_t bytes);
    ~BudgetScope();
    BudgetScope(const BudgetScope&) = delete;
    BudgetScope& operator=(const BudgetScope&) = delete;
};

// What allocations made on this thread are for, until destroyed; nests.
class CategoryScope {
 public:
    explicit CategoryScope(MemoryCategory category);
    ~CategoryScope();
    CategoryScope(const CategoryScope&) = delete;
    CategoryScope& operator=(const CategoryScope&) = delete;

 private:
    MemoryCategory previous_;
};

MemoryState memoryState();
// The block at this address (start of a tensor's storage) counts for another category from now on:
// a gradient that backward allocated is no longer workspace.
void recategorise(const void* data, MemoryCategory category);
MemoryPeaks memoryPeaks();  // since the last reset
void resetMemoryPeaks();

// The last refused allocation on any thread since the previous call: tells a c10::Error that was
// caused by the budget from another. Returns true and fills out when there was one. A refusal is
// not by itself a failure: oneDNN may do without the scratch memory it asked for.
bool takeRefusal(OverBudget& out);

// Call on the training thread after a backward that threw, when the failed microbatch's tensors are
// gone: Torch's autograd engine keeps the unfinished nodes of a failed backward, and with them the
// microbatch's activations, until the thread's next backward. Runs a tiny one, outside the budget.
void releaseFailedBackward();

std::int64_t processResidentBytes();  // from /proc/self/statm

}  // namespace receiptbench
