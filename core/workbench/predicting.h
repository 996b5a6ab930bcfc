// What a trained run says of photos that are in no data set: what it was trained for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/workbench/project.h"

namespace receiptbench {

struct PredictRequest {
    std::string run;                   // empty: the finished fp32 baseline
    std::vector<std::string> sources;  // pictures, folders, manifests
    int threads = 0;                   // that decode; 0: one per processor
};
struct PhotoScore {
    std::string path;
    std::vector<double> probabilities;  // in the label map's order; empty: rejected
    std::int64_t predicted = -1;        // -1: rejected, or no number came out
    bool accepted = false;              // the accept label's probability reaches the threshold
    std::string problem, message;       // of a rejected one: "truncated", and in words
};
struct PredictResult {
    std::string run, checkpoint, acceptLabel;
    double threshold = 0.5;
    LabelMap labels;
    std::vector<PhotoScore> photos;  // in the order of the sources
    std::int64_t rejected() const;
};
// Decoded, framed and normalised exactly as the frozen photos were; memory does not grow with their
// number. Error(NoCheckpoint) as evaluateRun, Error(Usage) without a source or for one that does
// not exist, Error(Interrupted) when cancelled.
PredictResult predictPhotos(const Project& project, const PredictRequest& request,
                            Progress& progress = Progress::none(),
                            const CancelToken* cancel = nullptr);

}  // namespace receiptbench
