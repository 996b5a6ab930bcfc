#include "core/train/within_budget.h"

#include <torch/torch.h>

#include "core/base/error.h"

namespace receiptbench {
namespace {

// What took the job down; the exception itself is gone when this returns, so that it holds no
// tensor.
std::optional<OverBudget> refusalOf(const std::function<void()>& job) {
    OverBudget refusal(0, MemoryState{});
    takeRefusal(refusal);  // an old one that oneDNN did without is no failure of this job
    try {
        job();
        return {};
    } catch (const OverBudget& error) {
        takeRefusal(refusal);
        return error;
    } catch (const Error&) {
        throw;
    } catch (const c10::Error& error) {
        if (takeRefusal(refusal)) {
            return refusal;
        }
        throw Error(ErrorCode::Failed, error.what_without_backtrace());
    } catch (const std::exception& error) {
        // oneDNN turns a refusal into an error of its own.
        if (takeRefusal(refusal)) {
            return refusal;
        }
        throw Error(ErrorCode::Failed, error.what());
    }
}

}  // namespace

std::optional<OverBudget> withinBudget(const std::function<void()>& job) {
    std::optional<OverBudget> refusal = refusalOf(job);
    if (refusal) {
        releaseFailedBackward();
    }
    return refusal;
}

}  // namespace receiptbench
