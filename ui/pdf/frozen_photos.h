// The photos of a project's frozen validation set, for the report's thumbnails.
#pragma once

#include <string>

#include "ui/pdf/pdf_report.h"

namespace receiptbench {

// Error(Data) when the pixels are missing or incomplete. A row that does not exist gives a null
// image.
PhotoSource frozenPhotos(const std::string& projectFolder);

}  // namespace receiptbench
