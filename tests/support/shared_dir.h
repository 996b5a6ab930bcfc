// Where the handed material is. Tests that need it skip loudly where it is absent;
// RECEIPTBENCH_REQUIRE_SHARED=1 (set by .ci/run) turns the skip into a failure.
#pragma once

#include <QtTest>

#include <cstdlib>
#include <filesystem>
#include <string>

inline std::string sharedDir() {
    const char* given = std::getenv("RECEIPTBENCH_SHARED");
    return given != nullptr ? given : RECEIPTBENCH_SHARED_DIR;
}

// Use at the start of a test function: REQUIRE_SHARED("parity");
#define REQUIRE_SHARED(sub)                                                             \
    do {                                                                                \
        if (!std::filesystem::exists(sharedDir() + "/" + (sub))) {                      \
            if (std::getenv("RECEIPTBENCH_REQUIRE_SHARED") != nullptr) {                \
                QFAIL(("missing: " + sharedDir() + "/" + (sub)).c_str());               \
            }                                                                           \
            QSKIP(("SKIPPED, not tested: needs " + sharedDir() + "/" + (sub)).c_str()); \
        }                                                                               \
    } while (false)
