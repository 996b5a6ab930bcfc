// One mapping of budget size with best fit and coalescing. Plain memory, no Torch, no locks: the
// registry holds the lock.
//
// A 64-byte header lies before each block's data (boundary tags), so freeing needs nothing but the
// address. Blocks are multiples of 64 bytes and aligned to 64. Large short-lived blocks are taken
// from the low end by best fit; small ones and the ones that live as long as the model (parameters,
// gradients, optimizer state) from the high end, so that they never cut the room for activations in
// pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

#include "core/contract/update_record.h"

namespace receiptbench {

class Arena {
 public:
    // Maps at least `bytes` bytes and hands out at most `bytes` of them. Throws Error(Failed) when
    // the system refuses.
    explicit Arena(std::int64_t bytes);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // nullptr when no free block is large enough. bytes >= 1.
    void* allocate(std::uint64_t bytes, MemoryCategory category);
    void release(void* data);  // of this arena
    void recategorise(const void* data,
                      MemoryCategory category);  // no block starts there: nothing happens
    bool contains(const void* address) const;
    // Hands the pages of free blocks back to the system: for an arena that only lives on for a few
    // last blocks.
    void dropFreePages();

    bool empty() const { return liveBlocks_ == 0; }
    std::int64_t allocated() const { return allocated_; }
    std::int64_t largestFree() const;
    std::int64_t reserved() const;
    const std::array<std::int64_t, kMemoryCategories>& byCategory() const { return byCategory_; }

 private:
    struct Block;
    struct BySize {
        using is_transparent = void;
        bool operator()(const Block* left, const Block* right) const;
        bool operator()(const Block* left, std::uint64_t size) const;
        bool operator()(std::uint64_t size, const Block* right) const;
    };

    Block* next(Block* block) const;
    Block* previous(Block* block) const;
    Block* makeBlock(std::byte* at, std::uint64_t size, std::uint64_t previousSize);
    Block* findLow(std::uint64_t size) const;
    Block* findHigh(std::uint64_t size) const;
    Block* takeLow(Block* free, std::uint64_t size);
    Block* takeHigh(Block* free, std::uint64_t size);
    void addFree(Block* block);
    void removeFree(Block* block);
    Block* merge(Block* low, Block* high);
    void noteTouched(const Block* block);
    void count(const Block* block, std::int64_t sign);

    std::byte* base_ = nullptr;
    std::uint64_t mapped_ = 0, capacity_ = 0;
    std::byte *untouchedBegin_ = nullptr, *untouchedEnd_ = nullptr;  // never handed out yet
    std::set<Block*, BySize> freeBySize_;
    std::set<Block*> freeByAddress_;
    std::int64_t liveBlocks_ = 0, allocated_ = 0;
    std::array<std::int64_t, kMemoryCategories> byCategory_{};
};

}  // namespace receiptbench
