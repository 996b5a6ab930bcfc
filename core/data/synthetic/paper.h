// Printed lines become paper: a flat picture of the receipt with its ink, shading by folds and
// curl, and outline. For the synthetic receipts only.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "core/base/random.h"
#include "core/data/synthetic/text.h"

namespace receiptbench {

struct Paper {
    cv::Mat ink;      // [h,w] CV_8U: brightness, paper and print
    cv::Mat outline;  // [h,w] CV_8U: 255 where there is paper (torn edge above and below)
};
Paper printPaper(const std::vector<PrintedLine>& lines, RandomStream& random);

}  // namespace receiptbench
