// CSV and TSV through libcsv, strictly (RFC 4180): blanks belong to their cell, and a quote in the
// wrong place refuses the file, since everything after it would be read wrongly.
#include <csv.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/data/import/manifest.h"

namespace receiptbench {

namespace {

constexpr std::size_t kCellBlock = std::size_t{1} << 16;

std::string foldedName(std::string_view name) {
    std::string folded = trim(name);
    std::transform(folded.begin(), folded.end(), folded.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return folded;
}

class DelimitedReader {
 public:
    DelimitedReader(char delimiter, const std::string& what, const ImportOptions& options,
                    const TakeRow& take)
        : delimiter_(delimiter), what_(what), options_(options), take_(take) {
        if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) {
            throw std::bad_alloc();
        }
        csv_set_delim(&parser_, static_cast<unsigned char>(delimiter));
        csv_set_space_func(&parser_, [](unsigned char) { return 0; });
        csv_set_blk_size(&parser_, kCellBlock);
    }
    ~DelimitedReader() { csv_free(&parser_); }
    DelimitedReader(const DelimitedReader&) = delete;
    DelimitedReader& operator=(const DelimitedReader&) = delete;

    // libcsv tells no positions, so it gets one physical line after the other.
    void read(std::string_view text) {
        while (!text.empty()) {
            const std::size_t stop = text.find_first_of("\r\n");
            std::size_t size = stop == std::string_view::npos ? text.size() : stop + 1;
            if (stop != std::string_view::npos && text[stop] == '\r' && size < text.size() &&
                text[size] == '\n') {
                ++size;
            }
            readLine(text.substr(0, size));
            text.remove_prefix(size);
        }
        if (csv_fini(&parser_, onCell, onRow, this) != 0) {
            throw Error(
                ErrorCode::Data,
                fmt::format("{}: the quote opened on line {} is never closed", what_, cellLine_),
                "Close it, or write a quote inside a quoted cell twice.");
        }
        rethrow();
        if (!headerRead_) {
            throw Error(ErrorCode::Data, fmt::format("{} is empty", what_), headerHint());
        }
    }

 private:
    void readLine(std::string_view line) {
        ++line_;
        const bool opensRow = !rowOpen_;
        if (opensRow) {
            row_ = ManifestRow{};
            row_.line = cellLine_ = line_;
            rowOpen_ = true;
            column_ = 0;
        }
        const std::size_t done = csv_parse(&parser_, line.data(), line.size(), onCell, onRow, this);
        rethrow();
        if (done != line.size()) {
            if (csv_error(&parser_) != CSV_EPARSE) {
                throw std::bad_alloc();
            }
            throw Error(ErrorCode::Data,
                        fmt::format("{}: misplaced quote on line {}", what_, cellLine_),
                        "Quote the whole cell, without blanks before it, and write a quote inside "
                        "it twice.");
        }
        // An empty line between rows is no row: nothing was called back.
        rowOpen_ = rowOpen_ && !(opensRow && column_ == 0 && trim(line).empty());
    }

    // libcsv is C: nothing may be thrown through it.
    template <typename Work>
    void guarded(const Work& work) {
        if (error_) {
            return;
        }
        try {
            work();
        } catch (...) {
            error_ = std::current_exception();
        }
    }
    void rethrow() {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }
    static void onCell(void* text, std::size_t size, void* self) {
        auto* reader = static_cast<DelimitedReader*>(self);
        reader->guarded([&] { reader->takeCell({static_cast<const char*>(text), size}); });
    }
    static void onRow(int, void* self) {
        auto* reader = static_cast<DelimitedReader*>(self);
        reader->guarded([&] { reader->takeRow(); });
    }

    void takeCell(std::string_view cell) {
        if (!headerRead_) {
            header_.emplace_back(cell);
        } else if (column_ < fieldOfColumn_.size() && fieldOfColumn_[column_]) {
            row_.fields[static_cast<std::size_t>(*fieldOfColumn_[column_])] = cell;
        }
        if (column_ == 0) {
            blankSoFar_ = trim(cell).empty();
        }
        ++column_;
        cellLine_ = line_;
    }

    void takeRow() {
        rowOpen_ = false;
        if (column_ == 1 && blankSoFar_) {
            return;
        }
        if (!headerRead_) {
            headerRead_ = true;
            mapColumns();
            return;
        }
        if (column_ != header_.size()) {
            row_.problem =
                Problem{RejectReason::BadRow,
                        fmt::format("{} cells where the header has {}", column_, header_.size())};
        }
        take_(std::move(row_));
    }

    void mapColumns() {
        fieldOfColumn_.assign(header_.size(), std::nullopt);
        std::vector<std::string> folded;
        for (const std::string& name : header_) {
            folded.push_back(foldedName(name));
        }
        for (std::size_t f = 0; f < kFieldCount; ++f) {
            const auto field = static_cast<Field>(f);
            if (const auto column = columnOf(field, folded)) {
                fieldOfColumn_[*column] = field;
            } else if (isRequired(field)) {
                throwMissing(field);
            }
        }
    }
    bool isRequired(Field field) const {
        return field == Field::Path ||
               options_.columns.count(kFieldNames[static_cast<std::size_t>(field)]) != 0 ||
               (field == Field::Label && options_.impliedLabel.empty());
    }
    std::optional<std::size_t> columnOf(Field field, const std::vector<std::string>& folded) const {
        for (const std::string& name : namesOf(field, options_)) {
            const std::string wanted = foldedName(name);
            const auto found = std::find(folded.begin(), folded.end(), wanted);
            if (found == folded.end()) {
                continue;
            }
            if (std::find(found + 1, folded.end(), wanted) != folded.end()) {
                throw Error(ErrorCode::Data,
                            fmt::format("{} has two columns \"{}\"", what_, printable(name)),
                            "Rename or remove one of them.");
            }
            return static_cast<std::size_t>(found - folded.begin());
        }
        return std::nullopt;
    }
    [[noreturn]] void throwMissing(Field field) const {
        std::string seen;
        for (std::size_t i = 0; i < header_.size() && seen.size() < 200; ++i) {
            seen += (i == 0 ? "" : ", ") + printable(std::string_view(header_[i]).substr(0, 100));
        }
        const std::string name = namesOf(field, options_).front();
        throw Error(ErrorCode::Data,
                    fmt::format("{} has no column \"{}\"; its first line reads: {}", what_,
                                printable(name), seen),
                    headerHint());
    }
    std::string headerHint() const {
        const bool semicolons = header_.size() == 1 && header_[0].find(';') != std::string::npos;
        const bool tabs =
            header_.size() == 1 && delimiter_ == ',' && header_[0].find('\t') != std::string::npos;
        return semicolons ? "It seems to be separated by semicolons: save it with commas."
               : tabs     ? "It seems to be separated by tabs: rename it to .tsv."
                          : "The first line names the columns (path,label,identity); --column "
                            "path=NAME --column label=NAME maps other names.";
    }

    char delimiter_;
    const std::string& what_;
    const ImportOptions& options_;
    const TakeRow& take_;
    csv_parser parser_{};
    std::exception_ptr error_;
    std::int64_t line_ = 0;      // of the text being parsed
    std::int64_t cellLine_ = 0;  // where the cell being parsed began
    bool rowOpen_ = false, headerRead_ = false, blankSoFar_ = false;
    std::size_t column_ = 0;
    std::vector<std::string> header_;
    std::vector<std::optional<Field>> fieldOfColumn_;
    ManifestRow row_;
};

}  // namespace

void readDelimited(std::string_view text, char delimiter, const std::string& what,
                   const ImportOptions& options, const TakeRow& take) {
    DelimitedReader(delimiter, what, options, take).read(text);
}

}  // namespace receiptbench
