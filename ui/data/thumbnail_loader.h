// Thumbnails, read and scaled on a thread of their own. What was asked for last comes first, since
// that is what is being looked at; what has scrolled away is dropped before it is read. The
// finished ones lie in a cache capped in bytes.
#pragma once

#include <QCache>
#include <QImage>
#include <QObject>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace receiptbench {

class ThumbnailLoader : public QObject {
    Q_OBJECT

 public:
    // On the loader's thread; a null image: none. Must not throw.
    using Reader = std::function<QImage(int photo)>;

    explicit ThumbnailLoader(QObject* parent = nullptr);
    ~ThumbnailLoader() override;

    // Another project's: everything read so far is forgotten.
    void setReader(Reader reader);
    // Largest height and width in pixels; smaller pictures stay as they are, pixel by pixel.
    void setSize(int side, double pixelRatio);
    // At once: a null image means that it is being read (arrived() follows) or that there is none.
    QImage thumbnail(int photo);
    std::int64_t cachedBytes() const { return cache_.totalCost(); }
    static std::int64_t capBytes();
    static int mostWaiting();

 Q_SIGNALS:
    void arrived();  // some, at most 30 times a second

 private:
    struct Finished {
        int photo;
        std::uint64_t generation;
        QImage image;
    };
    void work();
    void collect();
    void forget();

    QCache<int, QImage> cache_;  // of the UI thread

    std::mutex mutex_;
    std::condition_variable wake_;
    // Guarded by mutex_.
    Reader reader_;
    int side_ = 128;
    double pixelRatio_ = 1;
    std::uint64_t generation_ = 0;  // of reader and size: older results are dropped
    std::deque<int> waiting_;       // the newest at the back
    std::vector<Finished> finished_;
    int reading_ = -1;
    bool told_ = false, ending_ = false;

    std::thread thread_;
};

}  // namespace receiptbench
