// How long jobs tell how far they are. Called on the job's thread; implementations must be quick.
#pragma once

#include <cstdint>
#include <string>

namespace receiptbench {

class Progress {
 public:
    virtual ~Progress() = default;
    // A new named stage with so many steps (0: unknown).
    virtual void stage(const std::string& /*name*/, std::int64_t /*steps*/) {}
    virtual void step(std::int64_t /*done*/) {}
    virtual void note(const std::string& /*line*/) {}
    static Progress& none();
};

}  // namespace receiptbench
