#include "core/memory/arena.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <new>

#include "core/base/error.h"
#include "core/base/text.h"

namespace receiptbench {
namespace {

constexpr std::uint64_t kUnit = 64;          // header size and alignment
constexpr std::uint64_t kSmall = 64 * 1024;  // smaller blocks go to the high end
constexpr std::uint64_t kLargest =
    1ull << 62;  // no request above can be meant: keeps sums from overflowing
constexpr std::uint64_t kCheck = 0x72656365697074ull;

std::uint64_t roundUp(std::uint64_t bytes, std::uint64_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

bool livesLong(MemoryCategory category) {
    return category == MemoryCategory::Parameters || category == MemoryCategory::Gradients ||
           category == MemoryCategory::Optimizer;
}

std::uint64_t checkOf(const void* block) {
    return kCheck ^ reinterpret_cast<std::uintptr_t>(block);
}

}  // namespace

struct alignas(kUnit) Arena::Block {
    std::uint64_t
        check;  // checkOf(this) while it is a block: an address can be told from tensor data
    std::uint64_t size;          // with this header
    std::uint64_t previousSize;  // of the block before, 0 for the first
    MemoryCategory category;
    bool used;

    std::byte* begin() { return reinterpret_cast<std::byte*>(this); }
    const std::byte* begin() const { return reinterpret_cast<const std::byte*>(this); }
    std::byte* data() { return begin() + kUnit; }
};

bool Arena::BySize::operator()(const Block* left, const Block* right) const {
    return left->size != right->size ? left->size < right->size : std::less<>()(left, right);
}
bool Arena::BySize::operator()(const Block* left, std::uint64_t size) const {
    return left->size < size;
}
bool Arena::BySize::operator()(std::uint64_t size, const Block* right) const {
    return size < right->size;
}

Arena::Arena(std::int64_t bytes) {
    static_assert(sizeof(Block) == kUnit);
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    capacity_ = static_cast<std::uint64_t>(bytes) / kUnit * kUnit;
    mapped_ = roundUp(static_cast<std::uint64_t>(bytes), page);
    void* mapping = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        throw Error(ErrorCode::Failed,
                    fmt::format("memory budget: the system refuses to map {}: {}",
                                formatBytes(bytes), std::strerror(errno)),
                    "Choose a smaller budget, or raise the limit on address space (ulimit -v).");
    }
    base_ = static_cast<std::byte*>(mapping);
    // Fewer page faults and TLB misses; the mapping's end still bounds what can become resident.
    madvise(mapping, mapped_, MADV_HUGEPAGE);
    untouchedBegin_ = base_;
    untouchedEnd_ = base_ + capacity_;
    if (capacity_ > kUnit) {
        addFree(makeBlock(base_, capacity_, 0));
    }
}

Arena::~Arena() {
    munmap(base_, mapped_);
}

Arena::Block* Arena::makeBlock(std::byte* at, std::uint64_t size, std::uint64_t previousSize) {
    return new (at) Block{checkOf(at), size, previousSize, MemoryCategory::Other, false};
}

Arena::Block* Arena::next(Block* block) const {
    std::byte* after = block->begin() + block->size;
    return after == base_ + capacity_ ? nullptr : reinterpret_cast<Block*>(after);
}

Arena::Block* Arena::previous(Block* block) const {
    return block->previousSize == 0
               ? nullptr
               : reinterpret_cast<Block*>(block->begin() - block->previousSize);
}

void Arena::addFree(Block* block) {
    freeBySize_.insert(block);
    freeByAddress_.insert(block);
}

void Arena::removeFree(Block* block) {
    freeBySize_.erase(block);
    freeByAddress_.erase(block);
}

// The smallest that is large enough; of equal ones the lowest.
Arena::Block* Arena::findLow(std::uint64_t size) const {
    const auto found = freeBySize_.lower_bound(size);
    return found == freeBySize_.end() ? nullptr : *found;
}

Arena::Block* Arena::findHigh(std::uint64_t size) const {
    for (auto it = freeByAddress_.rbegin(); it != freeByAddress_.rend(); ++it) {
        if ((*it)->size >= size) {
            return *it;
        }
    }
    return nullptr;
}

// Both cut `size` off a block that is in no free list any more; what is left becomes free. A rest
// that could hold no data stays with the block.
Arena::Block* Arena::takeLow(Block* free, std::uint64_t size) {
    const std::uint64_t rest = free->size - size;
    if (rest <= kUnit) {
        return free;
    }
    free->size = size;
    Block* remainder = makeBlock(free->begin() + size, rest, size);
    if (Block* after = next(remainder)) {
        after->previousSize = rest;
    }
    addFree(remainder);
    return free;
}

Arena::Block* Arena::takeHigh(Block* free, std::uint64_t size) {
    const std::uint64_t rest = free->size - size;
    if (rest <= kUnit) {
        return free;
    }
    free->size = rest;
    Block* taken = makeBlock(free->begin() + rest, size, rest);
    if (Block* after = next(taken)) {
        after->previousSize = size;
    }
    addFree(free);
    return taken;
}

void* Arena::allocate(std::uint64_t bytes, MemoryCategory category) {
    if (bytes > kLargest) {
        return nullptr;
    }
    const std::uint64_t size = roundUp(bytes, kUnit) + kUnit;
    const bool high = bytes < kSmall || livesLong(category);
    Block* block = high ? findHigh(size) : findLow(size);
    if (block == nullptr) {
        return nullptr;
    }
    removeFree(block);
    block = high ? takeHigh(block, size) : takeLow(block, size);
    block->used = true;
    block->category = category;
    ++liveBlocks_;
    count(block, 1);
    noteTouched(block);
    return block->data();
}

Arena::Block* Arena::merge(Block* low, Block* high) {
    low->size += high->size;
    high->check = 0;
    if (Block* after = next(low)) {
        after->previousSize = low->size;
    }
    return low;
}

void Arena::release(void* data) {
    auto* block = reinterpret_cast<Block*>(static_cast<std::byte*>(data) - kUnit);
    count(block, -1);
    --liveBlocks_;
    block->used = false;
    if (Block* after = next(block); after != nullptr && !after->used) {
        removeFree(after);
        block = merge(block, after);
    }
    if (Block* before = previous(block); before != nullptr && !before->used) {
        removeFree(before);
        block = merge(before, block);
    }
    addFree(block);
}

void Arena::recategorise(const void* data, MemoryCategory category) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    if (!contains(data) || address % kUnit != 0 || data == base_) {
        return;
    }
    auto* block = reinterpret_cast<Block*>(address - kUnit);
    if (block->check != checkOf(block) || !block->used) {
        return;
    }
    count(block, -1);
    block->category = category;
    count(block, 1);
}

bool Arena::contains(const void* address) const {
    const auto value = reinterpret_cast<std::uintptr_t>(address);
    const auto begin = reinterpret_cast<std::uintptr_t>(base_);
    return value >= begin && value - begin < capacity_;
}

void Arena::dropFreePages() {
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    for (Block* block : freeByAddress_) {
        const auto begin = roundUp(reinterpret_cast<std::uintptr_t>(block->data()), page);
        const auto end =
            reinterpret_cast<std::uintptr_t>(block->begin() + block->size) / page * page;
        if (begin < end) {
            madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
        }
    }
}

std::int64_t Arena::largestFree() const {
    return freeBySize_.empty() ? 0
                               : static_cast<std::int64_t>((*freeBySize_.rbegin())->size - kUnit);
}

std::int64_t Arena::reserved() const {
    const std::int64_t untouched =
        untouchedEnd_ > untouchedBegin_ ? untouchedEnd_ - untouchedBegin_ : 0;
    return static_cast<std::int64_t>(capacity_) - untouched;
}

// The never used part is one interval in the middle: blocks grow into it from both ends.
void Arena::noteTouched(const Block* block) {
    const std::byte* begin = block->begin();
    const std::byte* end = begin + block->size;
    if (end <= untouchedBegin_ || begin >= untouchedEnd_) {
        return;
    }
    if (begin <= untouchedBegin_) {
        untouchedBegin_ += end - untouchedBegin_;
    } else {
        untouchedEnd_ -= untouchedEnd_ - begin;
    }
}

void Arena::count(const Block* block, std::int64_t sign) {
    const std::int64_t change = sign * static_cast<std::int64_t>(block->size - kUnit);
    allocated_ += change;
    byCategory_[static_cast<std::size_t>(block->category)] += change;
}

}  // namespace receiptbench
