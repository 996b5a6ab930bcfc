// The real pages for the window. Whoever includes this links the library of each page.
#pragma once

#include "ui/pages.h"
#include "ui/window/main_window.h"

namespace receiptbench {

inline PageFactories allPages() {
    return {{Mode::Data, makeDataPage},         {Mode::Configure, makeConfigurePage},
            {Mode::Run, makeRunPage},           {Mode::Compare, makeComparePage},
            {Mode::Recovery, makeRecoveryPage}, {Mode::Report, makeReportPage}};
}

}  // namespace receiptbench
