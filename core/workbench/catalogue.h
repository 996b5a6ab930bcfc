// The catalogue's file; see project.h for who calls it.
#pragma once

#include "core/workbench/project.h"

namespace receiptbench {

// Held while the project's images or contract are written. Error(Failed) when another process holds
// it.
std::unique_ptr<FileLock> lockProject(const Project& project);

void saveCatalogue(const Project& project, const Catalogue& catalogue, bool readableOnly);

}  // namespace receiptbench
