// The catalogue's file; see project.h for who calls it.
#pragma once

#include "core/workbench/project.h"

namespace receiptbench {

void saveCatalogue(const Project& project, const Catalogue& catalogue, bool readableOnly);

}  // namespace receiptbench
