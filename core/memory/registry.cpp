#include "core/memory/registry.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace receiptbench {
namespace {

std::int64_t physicalBytes() {
    return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

thread_local bool bypass = false;

}  // namespace

BypassBudget::BypassBudget() : previous_(bypass) {
    bypass = true;
}
BypassBudget::~BypassBudget() {
    bypass = previous_;
}
bool BypassBudget::active() {
    return bypass;
}

MemoryRegistry& MemoryRegistry::instance() {
    static auto* registry = new MemoryRegistry();
    return *registry;
}

void MemoryRegistry::open(std::int64_t budget) {
    if (budget < 0) {
        throw Error(ErrorCode::Usage,
                    fmt::format("memory budget: {} bytes is not possible", budget),
                    "Give a size such as 256MiB, or 0 for no limit.");
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (active_ != nullptr) {
        throw Error(
            ErrorCode::Failed,
            fmt::format("a memory budget of {} is in force already: one at a time in a process",
                        formatBytes(budget_)),
            "Wait until the run that uses it has ended.");
    }
    const std::int64_t bytes = budget == 0 ? physicalBytes() : budget;
    active_ = std::make_unique<Arena>(bytes);
    budget_ = bytes;
    peaks_ = {};
    refusal_.reset();
}

void MemoryRegistry::close() noexcept {
    std::lock_guard<std::mutex> lock(mutex_);
    if (active_ == nullptr) {
        return;
    }
    if (active_->empty()) {
        active_.reset();
        return;
    }
    active_->dropFreePages();
    retired_.push_back(std::move(active_));
}

void* MemoryRegistry::allocate(std::uint64_t bytes, MemoryCategory category) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (active_ == nullptr) {
        return nullptr;
    }
    void* data = active_->allocate(bytes, category);
    if (data == nullptr) {
        const auto requested = static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX));
        refusal_.emplace(requested, stateLocked());
        throw *refusal_;
    }
    notePeakLocked();
    return data;
}

bool MemoryRegistry::release(void* data) noexcept {
    std::lock_guard<std::mutex> lock(mutex_);
    if (active_ != nullptr && active_->contains(data)) {
        active_->release(data);
        return true;
    }
    for (const auto& arena : retired_) {
        if (arena->contains(data)) {
            arena->release(data);
            dropRetiredLocked();
            return true;
        }
    }
    return false;
}

void MemoryRegistry::dropRetiredLocked() noexcept {
    std::erase_if(retired_, [](const auto& arena) { return arena->empty(); });
}

MemoryState MemoryRegistry::stateLocked() const {
    MemoryState state;
    if (active_ != nullptr) {
        state.budget = budget_;
        state.allocated = active_->allocated();
        state.largestFree = active_->largestFree();
        state.reserved = active_->reserved();
        state.byCategory = active_->byCategory();
    }
    return state;
}

MemoryState MemoryRegistry::state() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return stateLocked();
}

void MemoryRegistry::notePeakLocked() {
    if (active_->allocated() > peaks_.total) {
        peaks_.total = active_->allocated();
        peaks_.atPeak = active_->byCategory();
    }
    peaks_.reserved = std::max(peaks_.reserved, active_->reserved());
}

MemoryPeaks MemoryRegistry::peaks() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return peaks_;
}

void MemoryRegistry::resetPeaks() {
    std::lock_guard<std::mutex> lock(mutex_);
    peaks_ = {};
    if (active_ != nullptr) {
        notePeakLocked();
    }
}

void MemoryRegistry::recategorise(const void* data, MemoryCategory category) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (active_ != nullptr) {
        active_->recategorise(data, category);
    }
}

std::optional<OverBudget> MemoryRegistry::takeRefusal() {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(refusal_, std::nullopt);
}

}  // namespace receiptbench
