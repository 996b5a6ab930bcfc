// EXPECT_ERROR(call, ErrorCode::Data, "part of the message"): the call throws a receiptbench::Error
// with that code whose message holds that text.
#pragma once

#include <QtTest>

#include <string>

#include "core/base/error.h"

#define EXPECT_ERROR(call, expectedCode, text)                                                 \
    do {                                                                                       \
        bool expectErrorThrew = false;                                                         \
        try {                                                                                  \
            static_cast<void>(call);                                                           \
        } catch (const receiptbench::Error& error) {                                           \
            expectErrorThrew = true;                                                           \
            QVERIFY2(error.code() == (expectedCode), error.what());                            \
            QVERIFY2(std::string(error.what()).find(text) != std::string::npos, error.what()); \
        }                                                                                      \
        QVERIFY2(expectErrorThrew, "no error was thrown");                                     \
    } while (false)
