#include "core/base/progress.h"

namespace receiptbench {

Progress& Progress::none() {
    static Progress silent;
    return silent;
}

}  // namespace receiptbench
