#include "core/base/trace_file_system.h"

#include <utility>

namespace receiptbench {
namespace {

// Shared by the file system and its handles, which may live longer.
class Tape {
 public:
    Tape(std::vector<FileCall>* calls, TraceHooks hooks)
        : calls_(calls), hooks_(std::move(hooks)) {}

    FileCall begin(std::string operation, std::string path, std::uint64_t bytes = 0) {
        FileCall call{0, std::move(operation), std::move(path), bytes};
        {
            const std::lock_guard lock(mutex_);
            call.index = ++count_;
            if (calls_ != nullptr) {
                calls_->push_back(call);
            }
        }
        run(hooks_.before, call);
        return call;
    }
    void end(const FileCall& call) { run(hooks_.after, call); }
    void inside(const FileCall& call) { run(hooks_.inside, call); }
    bool splits(const FileCall& call) const { return hooks_.splitWrite && hooks_.splitWrite(call); }

    template <typename Action>
    auto around(std::string operation, const std::string& path, Action action) {
        const FileCall call = begin(std::move(operation), path);
        if constexpr (std::is_void_v<decltype(action())>) {
            action();
            end(call);
        } else {
            auto result = action();
            end(call);
            return result;
        }
    }

 private:
    static void run(const std::function<void(const FileCall&)>& hook, const FileCall& call) {
        if (hook) {
            hook(call);
        }
    }
    std::mutex mutex_;  // guards count_ and *calls_; hooks run outside of it
    std::int64_t count_ = 0;
    std::vector<FileCall>* calls_;
    const TraceHooks hooks_;
};

class TraceWritableFile final : public WritableFile {
 public:
    TraceWritableFile(std::unique_ptr<WritableFile> real, std::shared_ptr<Tape> tape,
                      std::string path)
        : real_(std::move(real)), tape_(std::move(tape)), path_(std::move(path)) {}

    void write(std::span<const std::byte> bytes) override {
        const FileCall call = tape_->begin("write", path_, bytes.size());
        if (tape_->splits(call)) {
            const std::size_t half = bytes.size() / 2;
            real_->write(bytes.first(half));
            tape_->inside(call);
            real_->write(bytes.subspan(half));
        } else {
            real_->write(bytes);
        }
        tape_->end(call);
    }
    void sync() override {
        tape_->around("sync", path_, [&] { real_->sync(); });
    }
    void close() override {
        tape_->around("close", path_, [&] { real_->close(); });
    }

 private:
    std::unique_ptr<WritableFile> real_;
    std::shared_ptr<Tape> tape_;
    std::string path_;
};

class TraceReadableFile final : public ReadableFile {
 public:
    TraceReadableFile(std::unique_ptr<ReadableFile> real, std::shared_ptr<Tape> tape,
                      std::string path)
        : real_(std::move(real)), tape_(std::move(tape)), path_(std::move(path)) {}

    std::uint64_t size() const override { return real_->size(); }
    void read(std::uint64_t offset, std::span<std::byte> bytes) override {
        const FileCall call = tape_->begin("read", path_, bytes.size());
        real_->read(offset, bytes);
        tape_->end(call);
    }

 private:
    std::unique_ptr<ReadableFile> real_;
    std::shared_ptr<Tape> tape_;
    std::string path_;
};

class TraceFileSystem final : public FileSystem {
 public:
    TraceFileSystem(FileSystem& real, std::vector<FileCall>* calls, TraceHooks hooks)
        : real_(real), tape_(std::make_shared<Tape>(calls, std::move(hooks))) {}

    std::unique_ptr<WritableFile> createExclusive(const std::string& path) override {
        auto file = tape_->around("create", path, [&] { return real_.createExclusive(path); });
        return std::make_unique<TraceWritableFile>(std::move(file), tape_, path);
    }
    std::unique_ptr<WritableFile> openAppend(const std::string& path) override {
        auto file = tape_->around("append", path, [&] { return real_.openAppend(path); });
        return std::make_unique<TraceWritableFile>(std::move(file), tape_, path);
    }
    std::unique_ptr<ReadableFile> openRead(const std::string& path) override {
        auto file = tape_->around("open", path, [&] { return real_.openRead(path); });
        return std::make_unique<TraceReadableFile>(std::move(file), tape_, path);
    }
    void renameNoReplace(const std::string& from, const std::string& to) override {
        tape_->around("rename", from + " -> " + to, [&] { real_.renameNoReplace(from, to); });
    }
    void renameReplace(const std::string& from, const std::string& to) override {
        tape_->around("rename-replace", from + " -> " + to, [&] { real_.renameReplace(from, to); });
    }
    void remove(const std::string& path) override {
        tape_->around("remove", path, [&] { real_.remove(path); });
    }
    void truncate(const std::string& path, std::uint64_t size) override {
        tape_->around("truncate", path, [&] { real_.truncate(path, size); });
    }
    void makeDirectories(const std::string& path) override {
        tape_->around("make-directories", path, [&] { real_.makeDirectories(path); });
    }
    void syncDirectory(const std::string& path) override {
        tape_->around("sync-directory", path, [&] { real_.syncDirectory(path); });
    }
    std::vector<DirectoryEntry> list(const std::string& path) override {
        return tape_->around("list", path, [&] { return real_.list(path); });
    }
    bool exists(const std::string& path) override {
        return tape_->around("exists", path, [&] { return real_.exists(path); });
    }
    std::uint64_t freeBytes(const std::string& path) override {
        return tape_->around("free-bytes", path, [&] { return real_.freeBytes(path); });
    }
    std::unique_ptr<FileLock> tryLock(const std::string& path) override {
        return tape_->around("lock", path, [&] { return real_.tryLock(path); });
    }

 private:
    FileSystem& real_;
    std::shared_ptr<Tape> tape_;
};

}  // namespace

std::unique_ptr<FileSystem> traceFileSystem(FileSystem& real, std::vector<FileCall>* tape,
                                            TraceHooks hooks) {
    return std::make_unique<TraceFileSystem>(real, tape, std::move(hooks));
}

}  // namespace receiptbench
