// Where the time of an update goes: every moment belongs to exactly one phase, so that the phases
// add up to the whole.
#pragma once

#include "core/base/clock.h"
#include "core/contract/update_record.h"

namespace receiptbench {

class PhaseClock {
 public:
    explicit PhaseClock(const Clock& clock = Clock::system())
        : clock_(clock), since_(clock.seconds()) {}

    // The time from now on belongs to this phase (a member of PhaseSeconds).
    void enter(double PhaseSeconds::*phase) {
        const double now = clock_.seconds();
        seconds_.*phase_ += now - since_;
        since_ = now;
        phase_ = phase;
    }
    // What was spent since the last call; the phase goes on.
    PhaseSeconds take() {
        enter(phase_);
        const PhaseSeconds spent = seconds_;
        seconds_ = {};
        return spent;
    }

 private:
    const Clock& clock_;
    double since_;
    double PhaseSeconds::*phase_ = &PhaseSeconds::other;
    PhaseSeconds seconds_;
};

}  // namespace receiptbench
