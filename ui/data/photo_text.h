// What is said of a photo: the same words in tile, tool tip, caption, viewer and screen reader.
#pragma once

#include <QString>

#include "core/workbench/gallery.h"
#include "ui/theme.h"

namespace receiptbench {

QString labelText(const Gallery& gallery, std::int64_t label);  // "not predicted" for -1
QString scoreText(const PhotoPrediction& prediction);           // "0.934"; "n/a"
QString decisionText(const PhotoPrediction& prediction);        // "accept", "reject", "none"
QString changeText(DecisionChange change);                      // "accept → reject"; "" for none
QString fileText(const Photo& photo);

// "readable → blurred, accept score 0.12"; without a prediction the label alone.
QString captionText(const Gallery& gallery, int run, std::size_t photo);
// One line with everything, for tool tip and screen reader.
QString fullText(const Gallery& gallery, int run, std::size_t photo);
// Right, wrong or nothing to say.
Meaning outcomeOf(const Photo& photo, const PhotoPrediction* prediction);

}  // namespace receiptbench
