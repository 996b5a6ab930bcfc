#include "core/data/frozen_files.h"

#include <csv.h>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/base/text.h"

namespace receiptbench {
namespace {

constexpr std::string_view kColumns = "id,split,label,identity,source,derivation\n";
constexpr std::size_t kColumnCount = 6;
constexpr const char* kFreezeAgain =
    "the frozen set was changed or damaged: freeze the data again into a new project";

// csvCell puts an apostrophe before what a spreadsheet would run. To be undone without doubt, a
// cell that by itself looks like that gets one more.
bool looksNeutralised(std::string_view text) {
    const std::size_t first = text.find_first_not_of('\'');
    return first != std::string_view::npos && first > 0 &&
           std::string_view("=+-@\t\r").find(text[first]) != std::string_view::npos;
}

std::string toCell(const std::string& text) {
    return csvCell(looksNeutralised(text) ? "'" + text : text);
}

std::string fromCell(std::string text) {
    if (looksNeutralised(text)) {
        text.erase(0, 1);
    }
    return text;
}

void appendRows(std::string& csv, const std::vector<FrozenExample>& examples) {
    for (const FrozenExample& example : examples) {
        csv += fmt::format("{},{},{},{},{},{}\n", example.id, example.split, toCell(example.label),
                           toCell(example.identity), toCell(example.source),
                           toCell(example.derivation));
    }
}

// Rows of cells through libcsv, RFC 4180 strictly.
class CsvRows {
 public:
    static std::vector<std::vector<std::string>> parse(std::string_view text,
                                                       const std::string& path) {
        CsvRows rows;
        csv_parser parser;
        if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
            throw Error(ErrorCode::Failed, "cannot start the CSV reader");
        }
        const std::unique_ptr<csv_parser, decltype(&csv_free)> owner(&parser, &csv_free);
        csv_set_space_func(&parser, [](unsigned char) { return 0; });  // blanks belong to the cell
        const bool complete =
            csv_parse(&parser, text.data(), text.size(), onCell, onRow, &rows) == text.size() &&
            csv_fini(&parser, onCell, onRow, &rows) == 0;
        if (!complete) {
            throw Error(ErrorCode::Data,
                        fmt::format("{}: unbalanced quote in line {}", printable(path),
                                    rows.rows_.size() + 1),
                        kFreezeAgain);
        }
        return std::move(rows.rows_);
    }

 private:
    static void onCell(void* data, std::size_t size, void* self) {
        static_cast<CsvRows*>(self)->row_.emplace_back(static_cast<const char*>(data), size);
    }
    static void onRow(int, void* self) {
        auto* rows = static_cast<CsvRows*>(self);
        rows->rows_.push_back(std::move(rows->row_));
        rows->row_.clear();
    }
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::string> row_;
};

RejectReason parseReason(const std::string& text, const std::string& path) {
    for (int i = 0; i <= static_cast<int>(RejectReason::Hidden); ++i) {
        const auto reason = static_cast<RejectReason>(i);
        if (toString(reason) == text) {
            return reason;
        }
    }
    throw Error(ErrorCode::Data,
                fmt::format("{}: unknown reason '{}'", printable(path), printable(text)),
                kFreezeAgain);
}

Error badLine(const std::string& path, std::size_t line, const std::string& why) {
    return Error(ErrorCode::Data, fmt::format("{}: line {}: {}", printable(path), line, why),
                 kFreezeAgain);
}

}  // namespace

std::string splitCsv(const FrozenSet& set) {
    std::string csv(kColumns);
    appendRows(csv, set.train);
    appendRows(csv, set.validation);
    return csv;
}

void parseSplitCsv(std::string_view text, const std::string& path, FrozenSet& set) {
    set.train.clear();
    set.validation.clear();
    const auto rows = CsvRows::parse(text, path);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const auto& row = rows[i];
        if (row.size() != kColumnCount) {
            throw badLine(path, i + 1,
                          fmt::format("{} cells instead of {}", row.size(), kColumnCount));
        }
        if (row[1] != "train" && row[1] != "val") {
            throw badLine(path, i + 1, fmt::format("unknown split '{}'", printable(row[1])));
        }
        auto& examples = row[1] == "val" ? set.validation : set.train;
        const auto id = parseInt(row[0]);
        if (!id || *id != static_cast<std::int64_t>(examples.size())) {
            throw badLine(
                path, i + 1,
                fmt::format("id '{}' where {} is next", printable(row[0]), examples.size()));
        }
        examples.push_back(
            {*id, row[1], fromCell(row[2]), fromCell(row[3]), fromCell(row[4]), fromCell(row[5])});
        if (!set.labels.index(examples.back().label)) {
            throw badLine(path, i + 1,
                          fmt::format("unknown label '{}'", printable(examples.back().label)));
        }
    }
    if (splitCsv(set) != text) {
        throw Error(ErrorCode::Data,
                    fmt::format("{} is not in the form that freeze writes", printable(path)),
                    kFreezeAgain);
    }
}

std::string datasetDigest(const FrozenSet& set, const PixelDigests& pixels) {
    Sha256 hash;
    hash.update(std::string_view("receiptbench dataset 1\n"));
    for (const std::int64_t number :
         {set.height, set.width, static_cast<std::int64_t>(set.train.size()),
          static_cast<std::int64_t>(set.validation.size())}) {
        hash.update(static_cast<std::uint64_t>(number));
    }
    hash.update(std::string_view(pixels.train)).update(std::string_view(pixels.validation));
    return hash.finishHex();
}

std::string frozenJson(const FrozenSet& set, const PixelDigests& pixels) {
    nlohmann::json rejects = nlohmann::json::array();
    for (const Reject& reject : set.rejects) {
        rejects.push_back({{"path", reject.path},
                           {"line", reject.line},
                           {"reason", toString(reject.reason)},
                           {"message", reject.message}});
    }
    const nlohmann::json json = {
        {"format", 1},
        {"split", set.splitDigest},
        {"dataset", set.datasetDigest},
        {"train", {{"count", set.train.size()}, {"sha256", pixels.train}}},
        {"val", {{"count", set.validation.size()}, {"sha256", pixels.validation}}},
        {"height", set.height},
        {"width", set.width},
        {"labels", set.labels.names()},
        {"rejects", rejects},
        {"warnings", set.warnings}};
    // A file name need not be UTF-8; a rejected one must not stop the freeze.
    return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

FrozenFacts parseFrozenJson(const std::string& text, const std::string& path) {
    const nlohmann::json json = parseJson(text, path);
    try {
        if (json.at("format").get<std::int64_t>() != 1) {
            throw Error(ErrorCode::Data,
                        fmt::format("{} has format {}, only 1 is known", printable(path),
                                    json.at("format").dump()),
                        "open it with the version that wrote it");
        }
        FrozenFacts facts;
        facts.set.splitDigest = json.at("split").get<std::string>();
        facts.set.datasetDigest = json.at("dataset").get<std::string>();
        facts.set.height = json.at("height").get<std::int64_t>();
        facts.set.width = json.at("width").get<std::int64_t>();
        facts.set.labels = LabelMap(json.at("labels").get<std::vector<std::string>>());
        facts.set.warnings = json.at("warnings").get<std::vector<std::string>>();
        for (const auto& reject : json.at("rejects")) {
            facts.set.rejects.push_back({reject.at("path").get<std::string>(),
                                         reject.at("line").get<std::int64_t>(),
                                         parseReason(reject.at("reason").get<std::string>(), path),
                                         reject.at("message").get<std::string>()});
        }
        facts.trainCount = json.at("train").at("count").get<std::int64_t>();
        facts.validationCount = json.at("val").at("count").get<std::int64_t>();
        facts.pixels = {json.at("train").at("sha256").get<std::string>(),
                        json.at("val").at("sha256").get<std::string>()};
        return facts;
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorCode::Data,
                    fmt::format("{}: {}", printable(path), printable(error.what())), kFreezeAgain);
    }
}

}  // namespace receiptbench
