// Time, passed in so that tests need not wait.
#pragma once

#include <chrono>
#include <string>

namespace receiptbench {

class Clock {
 public:
    virtual ~Clock() = default;
    virtual double seconds() const = 0;            // monotonic, arbitrary origin
    virtual std::string utc() const = 0;           // "2026-12-01T10:20:30.123Z"
    static const Clock& system();
};

}  // namespace receiptbench
