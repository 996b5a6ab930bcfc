#include "core/checkpoint/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/checkpoint/format.h"

namespace receiptbench {
namespace {

using nlohmann::json;
using Metadata = std::map<std::string, std::string>;

constexpr const char* kNewerHint = "it was written by a newer receiptbench: use that one";

const std::string& entry(const Metadata& metadata, const std::string& key) {
    const auto found = metadata.find(key);
    if (found == metadata.end()) {
        throw Error(ErrorCode::Data, fmt::format("the header has no \"{}\"", key));
    }
    return found->second;
}

std::int64_t wholeNumber(const Metadata& metadata, const std::string& key) {
    const std::string& text = entry(metadata, key);
    const auto number = parseInt(text);
    if (!number || *number < 0) {
        throw Error(ErrorCode::Data, fmt::format("the header's \"{}\" is \"{}\", no whole number",
                                                 key, printable(text)));
    }
    return *number;
}

void checkVersion(const Metadata& metadata) {
    const std::string& format = entry(metadata, "format");
    if (format != format::kFormat) {
        throw Error(ErrorCode::Data, fmt::format("its format is \"{}\", not {}", printable(format),
                                                 format::kFormat));
    }
    const std::string& version = entry(metadata, "version");
    const auto parts = split(version, '.');
    const auto major = parts.size() == 2 ? parseInt(parts[0]) : std::nullopt;
    if (!major || !parseInt(parts[1])) {
        throw Error(ErrorCode::Data, fmt::format("its version is \"{}\"", printable(version)));
    }
    if (*major != format::kMajorVersion) {
        throw Error(ErrorCode::Data,
                    fmt::format("its version is {}, this program reads {}.x", version,
                                format::kMajorVersion),
                    kNewerHint);
    }
}

void checkFeatures(const Metadata& metadata) {
    const json features = parseJson(entry(metadata, "features"), "the header's features", 2);
    if (!features.is_array()) {
        throw Error(ErrorCode::Data, "the header's features are no list");
    }
    for (const json& feature : features) {
        const std::string name = feature.is_string() ? feature.get<std::string>() : feature.dump();
        if (std::find(format::kFeatures.begin(), format::kFeatures.end(), name) ==
            format::kFeatures.end()) {
            throw Error(ErrorCode::Data,
                        fmt::format("it needs the feature \"{}\", which this program does not know",
                                    printable(name)),
                        kNewerHint);
        }
    }
}

json checksumsToJson(const Manifest& manifest) {
    json list = json::array();
    for (const auto& [name, checksum] : manifest.checksums) {
        list.push_back({name, fmt::format("{:08x}", checksum)});
    }
    return list;
}

std::uint32_t parseChecksum(const std::string& text) {
    std::uint32_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
    if (text.size() != 8 || error != std::errc() || stop != end) {
        throw Error(ErrorCode::Data,
                    fmt::format("the header's checksum \"{}\" is not 8 hexadecimal digits",
                                printable(text)));
    }
    return value;
}

std::vector<std::pair<std::string, std::uint32_t>> checksumsFromJson(const json& list) {
    std::vector<std::pair<std::string, std::uint32_t>> checksums;
    if (!list.is_array()) {
        throw Error(ErrorCode::Data, "the header's checksums are no list");
    }
    for (const json& item : list) {
        if (!item.is_array() || item.size() != 2 || !item[0].is_string() || !item[1].is_string()) {
            throw Error(ErrorCode::Data,
                        "the header's checksums are not pairs of name and checksum");
        }
        checksums.emplace_back(item[0].get<std::string>(),
                               parseChecksum(item[1].get<std::string>()));
    }
    return checksums;
}

}  // namespace

Metadata writeManifest(const Manifest& manifest) {
    json features = json::array();
    for (const auto feature : format::kFeatures) {
        features.push_back(feature);
    }
    return {{"format", std::string(format::kFormat)},
            {"version", std::string(format::kVersion)},
            {"features", features.dump()},
            {"generation", std::to_string(manifest.name.generation)},
            {"step", std::to_string(manifest.name.step)},
            {"contract", manifest.contractHash},
            {"parent", manifest.parentDigest},
            {"crc32c", checksumsToJson(manifest).dump()},
            {"state", json(manifest.values).dump()}};
}

Manifest readManifest(const Metadata& metadata) {
    checkVersion(metadata);
    checkFeatures(metadata);
    Manifest manifest;
    manifest.name = {wholeNumber(metadata, "generation"), wholeNumber(metadata, "step")};
    manifest.contractHash = entry(metadata, "contract");
    manifest.parentDigest = entry(metadata, "parent");
    manifest.checksums =
        checksumsFromJson(parseJson(entry(metadata, "crc32c"), "the header's checksums", 3));
    try {
        from_json(parseJson(entry(metadata, "state"), "the header's state"), manifest.values);
    } catch (const json::exception& error) {
        throw Error(ErrorCode::Data,
                    fmt::format("the header's state: {}", printable(error.what())));
    }
    return manifest;
}

}  // namespace receiptbench
