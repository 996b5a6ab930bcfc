// The frozen population as files, so that another program can train on exactly the same pictures.
#pragma once

#include <cstdint>
#include <string>

#include "core/workbench/project.h"

namespace receiptbench {

struct DatasetExport {
    std::string folder, manifest;  // manifest.csv: file,label,identity,split
    std::int64_t train = 0, validation = 0;
};
// train/000000.png ... and val/...: lossless, as they are trained on (framed, not augmented, not
// normalised). The folder is new or empty, else Error(Failed). Pixels are checked against the
// contract first. The manifest comes last: without it the export is not complete.
DatasetExport exportDataset(const Project& project, const std::string& folder,
                            Progress& progress = Progress::none(),
                            const CancelToken* cancel = nullptr);

}  // namespace receiptbench
