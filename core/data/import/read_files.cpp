// Each file once: containment, bytes, hash, decode. Results lie where their index says, so that
// threads change nothing.
#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/data/file_bytes.h"
#include "core/data/import/candidates.h"

namespace receiptbench {

namespace {

Problem missing(const std::string& path, int number) {
    std::string message =
        fmt::format("cannot be found: {}", std::generic_category().message(number));
    if (path.find('\\') != std::string::npos) {
        message += " (the separator of folders is /, not \\)";
    } else if (trimBlanks(path) != path) {
        message += " (the path begins or ends with a blank)";
    }
    const bool forbidden = number == EACCES || number == EPERM || number == EIO;
    return {forbidden ? RejectReason::Unreadable : RejectReason::Missing, std::move(message)};
}

// The file that path leads to, links followed; a problem when that is outside root.
std::optional<Problem> resolve(const std::string& root, const std::string& path,
                               std::string& resolved) {
    const std::unique_ptr<char, void (*)(void*)> real(
        ::realpath((root + "/" + path).c_str(), nullptr), std::free);
    if (real == nullptr) {
        return missing(path, errno);
    }
    resolved = real.get();
    const std::string inside = root == "/" ? root : root + "/";
    if (!resolved.starts_with(inside)) {
        return Problem{RejectReason::OutsideRoot, "a link leads out of the data's folder"};
    }
    return std::nullopt;
}

Examined examine(const std::string& root, const std::string& path, bool decodeAll) {
    Examined examined;
    std::string resolved;
    examined.problem = resolve(root, path, resolved);
    if (examined.problem) {
        return examined;
    }
    try {
        const std::vector<std::byte> bytes = readImageFile(resolved);
        if (decodeAll) {
            decodeImage(bytes);
        } else {
            readImageHeader(bytes);
        }
        examined.sha256 = sha256Hex(bytes);
    } catch (const DecodeError& error) {
        examined.problem = Problem{error.reason(), error.what()};
    }
    return examined;
}

// The caller's thread only tells the progress: implementations of it need not be thread-safe.
class Pool {
 public:
    Pool(std::size_t count, Progress& progress) : count_(count), progress_(progress) {}

    template <typename Work>
    void run(const Work& work) {
        const std::size_t threads =
            std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), count_);
        running_ = threads;
        std::vector<std::jthread> pool;
        for (std::size_t i = 0; i < threads; ++i) {
            pool.emplace_back([&] { loop(work); });
        }
        std::unique_lock lock(mutex_);
        while (!finished_.wait_for(lock, std::chrono::milliseconds(100),
                                   [&] { return running_ == 0; })) {
            lock.unlock();
            tell();
            lock.lock();
        }
        lock.unlock();
        pool.clear();
        if (error_) {
            std::rethrow_exception(error_);
        }
        progress_.step(static_cast<std::int64_t>(count_));
    }

 private:
    template <typename Work>
    void loop(const Work& work) {
        try {
            for (std::size_t i = next_++; i < count_; i = next_++) {
                work(i);
            }
        } catch (...) {
            next_ = count_;
            const std::lock_guard lock(mutex_);
            error_ = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        --running_;
        finished_.notify_one();
    }
    // An implementation that throws (a cancelled job) must not leave the workers running.
    void tell() {
        try {
            progress_.step(static_cast<std::int64_t>(std::min(next_.load(), count_)));
        } catch (...) {
            next_ = count_;
            throw;
        }
    }

    const std::size_t count_;
    Progress& progress_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::condition_variable finished_;
    std::size_t running_ = 0;   // guarded by mutex_
    std::exception_ptr error_;  // guarded by mutex_ until the workers ended
};

}  // namespace

std::vector<Examined> examineFiles(const std::string& root, const std::vector<Candidate>& items,
                                   bool decodeAll, Progress& progress) {
    progress.stage("Reading photos", static_cast<std::int64_t>(items.size()));
    std::vector<Examined> results(items.size());
    Pool(items.size(), progress).run([&](std::size_t i) {
        results[i] = examine(root, items[i].path, decodeAll);
    });
    return results;
}

}  // namespace receiptbench
