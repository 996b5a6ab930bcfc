// The one exception type that crosses folders. Handled once, at the boundary: command line -> exit
// code, training thread -> final event, window -> dialog.
#pragma once

#include <stdexcept>
#include <string>

namespace receiptbench {

// The values are the command line's exit codes.
enum class ErrorCode {
    Failed = 1,
    Usage = 2,
    Data = 3,  // data or contract mismatch
    OverBudget = 4,
    NoCheckpoint = 5,
    NoDevice = 6,
    Interrupted = 130,
};

// message names the offending value; hint says the remedy (may be empty).
class Error : public std::runtime_error {
 public:
    Error(ErrorCode code, const std::string& message, std::string hint = {})
        : std::runtime_error(message), code_(code), hint_(std::move(hint)) {}

    ErrorCode code() const { return code_; }
    const std::string& hint() const { return hint_; }

 private:
    ErrorCode code_;
    std::string hint_;
};

}  // namespace receiptbench
