// Work spread over threads whose results are taken in order, so that what is written never depends
// on the number of threads. At most `window` results exist at once: memory is bounded whatever the
// count.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace receiptbench {

// produce(index) runs on any of the threads, consume(index, result) on the caller's, index = 0, 1,
// ... count-1. The first exception, from either, ends the work and is thrown again here once every
// thread has stopped.
template <typename Result, typename Produce, typename Consume>
void orderedParallel(std::int64_t count, int threads, const Produce& produce,
                     const Consume& consume) {
    struct Slot {
        std::optional<Result> result;
        std::exception_ptr error;
        bool ready = false;
    };
    const std::int64_t window = 2 * static_cast<std::int64_t>(std::max(threads, 1));
    std::vector<Slot> slots(static_cast<std::size_t>(window));
    std::mutex mutex;
    std::condition_variable changed;
    std::int64_t next = 0, taken = 0;  // guarded by mutex
    bool stop = false;                 // guarded by mutex

    const auto work = [&] {
        for (;;) {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return stop || next >= count || next < taken + window; });
            if (stop || next >= count) {
                return;
            }
            const std::int64_t index = next++;
            lock.unlock();
            Slot made;
            try {
                made.result.emplace(produce(index));
            } catch (...) {
                made.error = std::current_exception();
            }
            made.ready = true;
            lock.lock();
            slots[static_cast<std::size_t>(index % window)] = std::move(made);
            changed.notify_all();
        }
    };
    std::vector<std::jthread> pool;
    const auto finish = [&] {
        {
            const std::lock_guard lock(mutex);
            stop = true;
        }
        changed.notify_all();
        pool.clear();
    };
    try {
        for (std::int64_t i = 0; i < std::min<std::int64_t>(std::max(threads, 1), count); ++i) {
            pool.emplace_back(work);
        }
        for (std::int64_t index = 0; index < count; ++index) {
            Slot slot;
            {
                std::unique_lock lock(mutex);
                Slot& place = slots[static_cast<std::size_t>(index % window)];
                changed.wait(lock, [&] { return place.ready; });
                slot = std::exchange(place, Slot{});
                ++taken;
            }
            changed.notify_all();
            if (slot.error) {
                std::rethrow_exception(slot.error);
            }
            consume(index, std::move(*slot.result));
        }
    } catch (...) {
        finish();
        throw;
    }
    finish();
}

}  // namespace receiptbench
