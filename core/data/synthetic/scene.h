// Where the receipt lies, on what, and what the camera makes of it. For the synthetic receipts
// only.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "core/base/random.h"

namespace receiptbench {

// Paper seen by the camera: perspective, turned a little, bent along both directions.
class Placement {
 public:
    // aspect: height / width of the flat paper. The whole outline keeps a margin to every side of
    // the photo.
    Placement(cv::Size photo, double aspect, RandomStream& random);
    // The paper's border in the photo, pixels.
    std::vector<cv::Point2d> outline() const;
    // For each pixel of a photo enlarged by `scale`, the place on a flat paper of that size, for
    // cv::remap.
    void makeMaps(cv::Size photo, int scale, cv::Size paper, cv::Mat& mapX, cv::Mat& mapY) const;

 private:
    double bendX(double v) const;  // sideways, in widths
    double bendY(double u) const;  // along, in heights
    cv::Matx33d toPhoto_;          // from (u,v), both 0..1 on the paper
    double amplitudeX_, wavesX_, phaseX_, amplitudeY_, wavesY_, phaseY_;
};

// A table top of wood, stone, cloth or plain paint: CV_32FC3, RGB, 0..255.
cv::Mat drawTable(cv::Size size, RandomStream& random);

// Light, colour temperature, lens and sensor, at times a JPEG's softness. scene: CV_32FC3 ->
// CV_8UC3.
cv::Mat takePhoto(const cv::Mat& scene, RandomStream& random);

}  // namespace receiptbench
