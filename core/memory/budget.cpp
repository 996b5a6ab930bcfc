#include "core/memory/budget.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/memory/registry.h"

namespace receiptbench {
namespace {

thread_local MemoryCategory threadCategory = MemoryCategory::Other;

// "activations 40.1 MiB, parameters 1.2 MiB": the largest first, empty ones left out.
std::string categoriesText(const MemoryState& state) {
    std::vector<int> order;
    for (int i = 0; i < kMemoryCategories; ++i) {
        if (state.byCategory[static_cast<std::size_t>(i)] > 0) {
            order.push_back(i);
        }
    }
    const auto bytes = [&](int i) { return state.byCategory[static_cast<std::size_t>(i)]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](int left, int right) { return bytes(left) > bytes(right); });
    std::string text;
    for (const int i : order) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                            toString(static_cast<MemoryCategory>(i)), formatBytes(bytes(i)));
    }
    return text.empty() ? "nothing" : text;
}

std::string overBudgetText(std::int64_t requested, const MemoryState& state) {
    return fmt::format(
        "over the memory budget of {}: {} more were asked for while {} are in use ({}); the "
        "largest free block is {}",
        formatBytes(state.budget), formatBytes(requested), formatBytes(state.allocated),
        categoriesText(state), formatBytes(state.largestFree));
}

}  // namespace

OverBudget::OverBudget(std::int64_t requested, const MemoryState& state)
    : Error(ErrorCode::OverBudget, overBudgetText(requested, state),
            "Use a smaller microbatch or a larger budget."),
      requested_(requested),
      state_(state) {}

BudgetScope::BudgetScope(std::int64_t bytes) {
    installTorchAllocator();
    MemoryRegistry::instance().open(bytes);
}

BudgetScope::~BudgetScope() {
    MemoryRegistry::instance().close();
}

CategoryScope::CategoryScope(MemoryCategory category) : previous_(threadCategory) {
    threadCategory = category;
}

CategoryScope::~CategoryScope() {
    threadCategory = previous_;
}

MemoryCategory currentCategory() {
    return threadCategory;
}

MemoryState memoryState() {
    return MemoryRegistry::instance().state();
}

void recategorise(const void* data, MemoryCategory category) {
    MemoryRegistry::instance().recategorise(data, category);
}

MemoryPeaks memoryPeaks() {
    return MemoryRegistry::instance().peaks();
}

void resetMemoryPeaks() {
    MemoryRegistry::instance().resetPeaks();
}

bool takeRefusal(OverBudget& out) {
    std::optional<OverBudget> refusal = MemoryRegistry::instance().takeRefusal();
    if (!refusal) {
        return false;
    }
    out = *refusal;
    return true;
}

std::int64_t processResidentBytes() {
    std::ifstream statm("/proc/self/statm");
    std::string total, resident;
    statm >> total >> resident;
    return parseInt(resident).value_or(0) * sysconf(_SC_PAGESIZE);
}

}  // namespace receiptbench
