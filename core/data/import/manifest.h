// Inside the import: rows as a manifest spells them, whatever its format.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/data/import/candidates.h"

namespace receiptbench {

enum class Field { Path, Label, Identity, Split, Weight };
inline constexpr std::size_t kFieldCount = 5;
inline constexpr std::array<const char*, kFieldCount> kFieldNames{"path", "label", "identity",
                                                                  "split", "weight"};
inline constexpr std::size_t kMaxManifestBytes = std::size_t{1} << 30;

struct ManifestRow {
    std::int64_t line = 0;  // physical, where the row begins
    std::array<std::optional<std::string>, kFieldCount> fields;
    std::optional<Problem> problem;  // the row itself cannot be read

    const std::optional<std::string>& operator[](Field field) const {
        return fields[static_cast<std::size_t>(field)];
    }
};
using TakeRow = std::function<void(ManifestRow&&)>;

// The names under which a field is looked for, in order: the one given, else ours (and "file",
// "file_name" for path).
std::vector<std::string> namesOf(Field field, const ImportOptions& options);

// text: UTF-8 without its byte order mark. Lines are numbered from 1. Throw Error(Data) naming what
// for a broken whole.
void readDelimited(std::string_view text, char delimiter, const std::string& what,
                   const ImportOptions& options, const TakeRow& take);
void readJsonLines(std::string_view text, const std::string& what, const ImportOptions& options,
                   const TakeRow& take);

}  // namespace receiptbench
