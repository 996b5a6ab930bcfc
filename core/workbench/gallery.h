// What there is to look at in a project: the frozen photos with what each run says of them, the
// rejected files, and before freezing the summary of what was imported. Plain values and RGB bytes,
// so that a screen needs no image library.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/data/image.h"
#include "core/workbench/project.h"

namespace receiptbench {

struct Photo {
    bool validation = false;
    std::int64_t id = 0;     // its row within the split
    std::int64_t label = 0;  // index in the label map
    std::string identity;
    std::string source;      // path below the images' root, or "synthetic:N"
    std::string derivation;  // "", or kind and severity as JSON
};

// Unknown: one of the two predictions is no number.
enum class DecisionChange : std::uint8_t { None, AcceptToReject, RejectToAccept, Unknown };

struct PhotoPrediction {
    std::int64_t predicted = -1;                                    // -1: invalid, not a number
    double acceptScore = std::numeric_limits<double>::quiet_NaN();  // p(accept label)
    bool accepted = false;                                          // acceptScore >= threshold
    DecisionChange change = DecisionChange::Unknown;  // against the baseline, if there is one
};

struct RunPredictions {
    std::string run, precision, kind;
    bool isBaseline = false;
    std::vector<PhotoPrediction> rows;  // [validation]
};

struct ImportedClass {
    std::string label;
    std::int64_t photos = 0, identities = 0;
};

struct Gallery {
    std::string folder;  // of the project
    bool frozen = false, imported = false;
    bool readableOnly = false;  // imported with --derive: freezing derives the other classes
    std::string imageRoot;      // of the originals; empty: drawn by the program
    std::vector<Reject> rejects;
    std::vector<std::string> warnings;

    // Imported, not frozen.
    std::vector<ImportedClass> classes;  // sorted by label

    // Frozen. Training photos first, then validation; ids ascend within each.
    LabelMap labels;
    std::string acceptLabel;
    double threshold = 0.5;
    std::string splitDigest, datasetDigest;
    std::int64_t height = 0, width = 0;
    std::vector<Photo> photos;
    std::int64_t trainCount = 0;
    bool hasBaseline = false;
    std::vector<RunPredictions> runs;   // the baseline first
    std::vector<std::string> problems;  // predictions that were left out, and why

    // None for a training photo: nothing is predicted there.
    const PhotoPrediction* prediction(std::size_t run, std::size_t photo) const;
};

// Stored digests are compared, pixels are not hashed (see verifyFrozen). Error(Data) when the
// frozen files differ.
Gallery loadGallery(const Project& project);
// Hashes every pixel: Error(Data) naming the file that differs.
void verifyFrozen(const Project& project);

// The frozen pixels of both splits, as the model sees them. Thread rule: any number of threads may
// read.
class PhotoPixels {
 public:
    explicit PhotoPixels(
        const std::string& projectFolder);  // Error(Data) when a cache is incomplete
    ~PhotoPixels();
    // A copy; an empty picture for an id that does not exist.
    Image read(bool validation, std::int64_t id) const;

 private:
    std::unique_ptr<const PixelCache> train_, validation_;
};

// The photo that was imported, before any derivation, with at most so many pixels on its long side.
// DecodeError when the file is gone or damaged, Error(Data) when there is no file since the program
// drew it.
Image readOriginal(const Gallery& gallery, const Photo& photo, std::int64_t longSide);
bool hasOriginal(const Gallery& gallery, const Photo& photo);

// "motion, severity 0.0093"; empty for a photo that was not derived.
std::string describeDerivation(const std::string& derivation);

}  // namespace receiptbench
