#include "ui/data/thumbnail_loader.h"

#include <QTimer>

#include <algorithm>

namespace receiptbench {
namespace {

constexpr std::int64_t kCapBytes = 96ll << 20;
constexpr int kMostWaiting = 400;  // more than a screen shows; what is older has scrolled away
constexpr int kTellMilliseconds = 33;

QImage scaled(const QImage& image, int side, double pixelRatio) {
    if (image.isNull()) {
        return image;
    }
    const int most = static_cast<int>(side * pixelRatio);
    auto small = std::max(image.width(), image.height()) > most
                     ? image.scaled(most, most, Qt::KeepAspectRatio, Qt::SmoothTransformation)
                     : image;
    small = small.convertToFormat(QImage::Format_RGB32);  // what a screen takes as it is
    return small;
}

}  // namespace

ThumbnailLoader::ThumbnailLoader(QObject* parent)
    : QObject(parent), cache_(kCapBytes), thread_([this] { work(); }) {}

ThumbnailLoader::~ThumbnailLoader() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

std::int64_t ThumbnailLoader::capBytes() {
    return kCapBytes;
}
int ThumbnailLoader::mostWaiting() {
    return kMostWaiting;
}

void ThumbnailLoader::setReader(Reader reader) {
    const std::lock_guard lock(mutex_);
    reader_ = std::move(reader);
    forget();
}

void ThumbnailLoader::setSize(int side, double pixelRatio) {
    const std::lock_guard lock(mutex_);
    if (side_ != side || pixelRatio_ != pixelRatio) {
        side_ = side;
        pixelRatio_ = pixelRatio;
        forget();
    }
}

// With the mutex held.
void ThumbnailLoader::forget() {
    ++generation_;
    waiting_.clear();
    finished_.clear();
    reading_ = -1;
    cache_.clear();
}

QImage ThumbnailLoader::thumbnail(int photo) {
    if (const auto* known = cache_.object(photo)) {
        return *known;
    }
    const std::lock_guard lock(mutex_);
    const auto at = std::find(waiting_.begin(), waiting_.end(), photo);
    if (at != waiting_.end()) {
        waiting_.erase(at);
    } else if (reading_ == photo) {
        return {};
    }
    waiting_.push_back(photo);
    if (waiting_.size() > kMostWaiting) {
        waiting_.pop_front();
    }
    wake_.notify_one();
    return {};
}

void ThumbnailLoader::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return ending_ || (reader_ && !waiting_.empty()); });
        if (ending_) {
            return;
        }
        const int photo = waiting_.back();
        waiting_.pop_back();
        reading_ = photo;
        const auto generation = generation_;
        const auto reader = reader_;
        const int side = side_;
        const double pixelRatio = pixelRatio_;
        lock.unlock();
        auto image = scaled(reader(photo), side, pixelRatio);
        lock.lock();
        if (generation != generation_) {
            continue;
        }
        reading_ = -1;
        finished_.push_back({photo, generation, std::move(image)});
        if (!told_) {
            told_ = true;
            QMetaObject::invokeMethod(
                this,
                [this] { QTimer::singleShot(kTellMilliseconds, this, [this] { collect(); }); },
                Qt::QueuedConnection);
        }
    }
}

void ThumbnailLoader::collect() {
    std::vector<Finished> taken;
    {
        const std::lock_guard lock(mutex_);
        taken.swap(finished_);
        told_ = false;
    }
    for (auto& one : taken) {
        const auto bytes = std::max<qsizetype>(1, one.image.sizeInBytes());
        cache_.insert(one.photo, new QImage(std::move(one.image)), bytes);
    }
    if (!taken.empty()) {
        Q_EMIT arrived();
    }
}

}  // namespace receiptbench
