// Class names and their indices: frozen, in byte order unless given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptbench {

class LabelMap {
 public:
    LabelMap() = default;
    // Names must be distinct and not empty; throws Error(Data).
    explicit LabelMap(std::vector<std::string> names);
    // The project's own (readable, blurred, cut-off) when every label is among those, else sorted
    // by bytes.
    static LabelMap fromLabels(const std::vector<std::string>& labels);

    const std::vector<std::string>& names() const { return names_; }
    std::int64_t size() const { return static_cast<std::int64_t>(names_.size()); }
    const std::string& name(std::int64_t index) const {
        return names_.at(static_cast<std::size_t>(index));
    }
    std::optional<std::int64_t> index(const std::string& name) const;
    bool operator==(const LabelMap&) const = default;

 private:
    std::vector<std::string> names_;
};

}  // namespace receiptbench
