#include <mutex>
#include <utility>

#include "core/contract/json_fields.h"
#include "core/runs/run_directory.h"

namespace receiptbench {
namespace {

using nlohmann::json;

// JSON has no NaN; the library would write null, which loses which one it was.
void makeWritable(json& value) {
    if (value.is_number_float()) {
        value = numberToJson(value.get<double>());
    } else if (value.is_structured()) {
        for (json& item : value) {
            makeWritable(item);
        }
    }
}

// A crash may have cut the last line.
bool endsInsideLine(FileSystem& files, const std::string& path) {
    if (!files.exists(path)) {
        return false;
    }
    const auto file = files.openRead(path);
    const std::uint64_t size = file->size();
    std::byte last{'\n'};
    if (size > 0) {
        file->read(size - 1, std::span(&last, 1));
    }
    return last != std::byte{'\n'};
}

}  // namespace

struct EventLog::State {
    State(FileSystem& fileSystem, std::string filePath, const Clock& time)
        : files(fileSystem), path(std::move(filePath)), clock(time) {}

    FileSystem& files;
    const std::string path;
    const Clock& clock;
    std::mutex mutex;           // guards what follows
    bool insideLine = false;    // the next line must begin with a line feed
    bool folderSynced = false;  // the file's name is durable
    std::unique_ptr<WritableFile> file;
};

EventLog::EventLog(FileSystem& files, std::string path, const Clock& clock)
    : state_(std::make_unique<State>(files, std::move(path), clock)) {
    state_->insideLine = endsInsideLine(files, state_->path);
    state_->file = files.openAppend(state_->path);
}

EventLog::~EventLog() = default;

void EventLog::append(const std::string& type, json fields) {
    if (fields.is_null()) {
        fields = json::object();
    }
    makeWritable(fields);
    fields["type"] = type;
    fields["time"] = state_->clock.utc();
    std::string line = fields.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    const std::lock_guard lock(state_->mutex);
    if (state_->insideLine) {
        line.insert(0, "\n");
    }
    state_->insideLine = true;  // until the whole line is written: a full disk may cut it
    state_->file->write(std::as_bytes(std::span(line)));
    state_->insideLine = false;
}

void EventLog::sync() {
    const std::lock_guard lock(state_->mutex);
    state_->file->sync();
    if (!state_->folderSynced) {
        state_->files.syncDirectory(parentPath(state_->path));
        state_->folderSynced = true;
    }
}

}  // namespace receiptbench
