// Text from outside made fit to be shown: what is valid, what is escaped.
#include <fmt/format.h>

#include "core/base/text.h"

namespace receiptbench {
namespace {

struct Decoded {
    char32_t point = 0;
    std::size_t length = 0;  // 0: not valid UTF-8 here
};

// One code point at the text's start. Overlong forms, surrogates and values above U+10FFFF are
// invalid.
Decoded decode(std::string_view text) {
    const auto byteAt = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byteAt(0);
    if (lead < 0x80) {
        return {lead, 1};
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) {
        return {};
    }
    char32_t point = lead & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byteAt(i) & 0xC0) != 0x80) {
            return {};
        }
        point = point << 6 | (byteAt(i) & 0x3Fu);
    }
    const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
    if (overlong || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
        return {};
    }
    return {point, length};
}

// Controls, and what reorders or breaks a line without being seen.
bool isHarmful(char32_t point) {
    return point < 0x20 || (point >= 0x7F && point <= 0x9F) || point == 0x2028 || point == 0x2029 ||
           (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) ||
           point == 0xFEFF;
}

void appendEscaped(std::string& out, std::string_view bytes) {
    for (const char c : bytes) {
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (c == '\r') {
            out += "\\r";
        } else {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
}

}  // namespace

bool isValidUtf8(std::string_view text) {
    while (!text.empty()) {
        const Decoded next = decode(text);
        if (next.length == 0) {
            return false;
        }
        text.remove_prefix(next.length);
    }
    return true;
}

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const Decoded next = decode(text);
        const std::string_view bytes = text.substr(0, next.length == 0 ? 1 : next.length);
        if (next.length == 0 || isHarmful(next.point)) {
            appendEscaped(out, bytes);
        } else {
            out += bytes;
        }
        text.remove_prefix(bytes.size());
    }
    return out;
}

std::string csvCell(std::string_view text) {
    std::string cell(text);
    if (!text.empty() &&
        std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) {
        const std::string_view number = text.front() == '+' ? text.substr(1) : text;
        if (!parseDouble(number)) {
            cell.insert(cell.begin(), '\'');  // a spreadsheet would run it as a formula
        }
    }
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
        return cell;
    }
    std::string quoted = "\"";
    for (const char c : cell) {
        quoted += c;
        if (c == '"') {
            quoted += c;
        }
    }
    return quoted + "\"";
}

}  // namespace receiptbench
