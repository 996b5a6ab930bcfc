// The frozen pixels: a memory-mapped file of letterboxed RGB images, hashed.
// Layout (little-endian): "RBPIXEL1" | u32 height | u32 width | zeros up to offset 4096 |
// count * height * width * 3 bytes | "RBPIXEND" | u64 count | SHA-256 of the pixels (32 bytes) | 16
// zeros. Count and hash are known last, so they come last; a file without its trailer is not
// complete.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/file_system.h"
#include "core/contract/contract.h"
#include "core/data/image.h"
#include "core/train/batch.h"

namespace receiptbench {

class PixelCacheWriter {
 public:
    PixelCacheWriter(FileSystem& files, std::string path, std::int64_t height, std::int64_t width);
    ~PixelCacheWriter();           // removes the temporary unless finished
    void add(const Image& image);  // exactly height x width
    std::string finish();  // publishes (never over another file); returns the pixels' SHA-256

 private:
    struct State;
    std::unique_ptr<State> state_;
};

// Thread rule: any number of threads may read one cache.
class PixelCache {
 public:
    explicit PixelCache(const std::string& path);  // Error(Data) when it is no complete cache
    ~PixelCache();
    std::int64_t size() const;
    std::int64_t height() const;
    std::int64_t width() const;
    const std::string& digest() const;                               // as stored; see verify
    std::span<const std::uint8_t> pixels(std::int64_t index) const;  // [height,width,3]
    // Gives the pages of an image just used back to the kernel's file cache: a cache larger than
    // the memory budget then adds next to nothing to the process. Its pixels stay valid.
    void release(std::int64_t index) const;
    bool verify() const;  // hashes everything

 private:
    struct State;
    std::unique_ptr<State> state_;
};

// Error(Data) unless the pixels have the digest that the file names. Everything is hashed once in a
// process, and again when the file has changed.
std::shared_ptr<const PixelCache> openVerified(const std::string& path);

// The training (augment) or validation view of a cache. Flips are a pure function of (seed, epoch,
// id), each with probability 1/2; epoch -1: none. Error(Data) when labels and images differ in
// number.
std::unique_ptr<BatchSource> makeCacheSource(std::shared_ptr<const PixelCache> cache,
                                             std::vector<std::int64_t> labels,
                                             const AugmentationSpec& augmentation,
                                             std::uint64_t seed);

}  // namespace receiptbench
