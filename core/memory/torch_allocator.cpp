// Torch's CPU allocations go through here: into the budget's arena while one is in force, else to
// Torch's own allocator.
#include <c10/core/CPUAllocator.h>
#include <torch/torch.h>

#include <mutex>

#include "core/memory/registry.h"

namespace receiptbench {
namespace {

c10::Allocator* torchsOwn = nullptr;

// One deleter for all, by address: oneDNN frees by raw_deallocate whatever was in force when the
// block was taken.
void releaseAnywhere(void* data) {
    if (data != nullptr && !MemoryRegistry::instance().release(data)) {
        torchsOwn->raw_deallocate(data);
    }
}

class BudgetAllocator final : public c10::Allocator {
 public:
    // Data and context are the same pointer, as the raw path (oneDNN's scratch memory) demands.
    c10::DataPtr allocate(std::size_t bytes) override {
        void* data = nullptr;
        if (bytes > 0) {
            data = BypassBudget::active()
                       ? nullptr
                       : MemoryRegistry::instance().allocate(bytes, currentCategory());
            if (data == nullptr) {
                data = torchsOwn->raw_allocate(bytes);
            }
        }
        return {data, data, &releaseAnywhere, c10::Device(c10::DeviceType::CPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &releaseAnywhere; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }
};

void install() {
    torchsOwn = c10::GetCPUAllocator();
    if (torchsOwn->raw_deleter() == nullptr) {
        torchsOwn = c10::GetDefaultCPUAllocator();
    }
    static auto* allocator = new BudgetAllocator();  // Torch keeps the pointer for good
    constexpr std::uint8_t kOverDefaults = 200;
    c10::SetCPUAllocator(allocator, kOverDefaults);
}

}  // namespace

void installTorchAllocator() {
    static std::once_flag once;
    std::call_once(once, install);
}

void releaseFailedBackward() {
    BypassBudget bypass;
    torch::AutoGradMode withGradient(true);
    torch::Tensor one = torch::ones({}, torch::requires_grad());
    (one * one).backward();
}

}  // namespace receiptbench
