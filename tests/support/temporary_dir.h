// A fresh folder that is gone at the test's end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

class TemporaryDir {
 public:
    TemporaryDir() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "receiptbench-test-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data()) != nullptr ? pattern : std::string();
    }
    TemporaryDir(const TemporaryDir&) = delete;
    TemporaryDir& operator=(const TemporaryDir&) = delete;
    ~TemporaryDir() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::string path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
    std::string path_;
};
