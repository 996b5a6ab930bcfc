#include "app/signals.h"

#include <unistd.h>
#include <csignal>

#include <atomic>

namespace receiptbench {
namespace {

// Handlers may only touch lock-free atomics, and these must live as long as the process.
CancelToken token;
std::atomic<int> received{0};
std::atomic<int> lastSignal{0};

extern "C" void onSignal(int signal) {
    lastSignal = signal;
    switch (++received) {
        case 1:
            token.finishUpdate();
            break;
        case 2:
            token.stopNow();
            break;
        default:
            ::_exit(128 + signal);
    }
}

}  // namespace

CancelToken& cancelOnSignals() {
    struct sigaction action = {};
    action.sa_handler = onSignal;
    ::sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    return token;
}

int signalExitCode() {
    return lastSignal == 0 ? 0 : 128 + lastSignal;
}

}  // namespace receiptbench
