#include "ui/pdf/frozen_photos.h"

#include <memory>

#include "core/base/file_system.h"
#include "core/data/pixel_cache.h"

namespace receiptbench {

PhotoSource frozenPhotos(const std::string& projectFolder) {
    const auto path = joinPath(joinPath(projectFolder, "frozen"), "val.pixels");
    const auto cache = std::make_shared<const PixelCache>(path);
    return [cache](std::int64_t row) {
        if (row < 0 || row >= cache->size()) {
            return QImage();
        }
        const auto width = static_cast<int>(cache->width()),
                   height = static_cast<int>(cache->height());
        // A copy: the mapping's pages may be given back.
        const auto image =
            QImage(cache->pixels(row).data(), width, height, 3 * width, QImage::Format_RGB888)
                .copy();
        cache->release(row);
        return image;
    };
}

}  // namespace receiptbench
