// A locale with a decimal comma, generated for the test where the machine has none (needs Debian's
// package "locales").
#pragma once

#include <clocale>
#include <cstdlib>
#include <string>

#include "tests/support/temporary_dir.h"

// Until destroyed the process' locale is de_DE. active() is false where it cannot be had.
class GermanLocale {
 public:
    GermanLocale() {
        if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) {
            const std::string command =
                "localedef -i de_DE -f UTF-8 '" + dir_.file("de_DE.UTF-8") + "' >/dev/null 2>&1";
            if (std::system(command.c_str()) == 0) {
                ::setenv("LOCPATH", dir_.path().c_str(), 1);
                std::setlocale(LC_ALL, "de_DE.UTF-8");
            }
        }
        active_ = std::string(std::localeconv()->decimal_point) == ",";
    }
    GermanLocale(const GermanLocale&) = delete;
    GermanLocale& operator=(const GermanLocale&) = delete;
    ~GermanLocale() { std::setlocale(LC_ALL, "C"); }
    bool active() const { return active_; }
    // For child processes: LOCPATH has to be set for them too (it is, once this object was built).
    static const char* name() { return "de_DE.UTF-8"; }

 private:
    TemporaryDir dir_;
    bool active_ = false;
};
