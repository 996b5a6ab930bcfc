// Unicode through ICU: two people type one name in two ways.
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/data/import/candidates.h"

namespace receiptbench {

namespace {

bool isAscii(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool isAsciiBlank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Most identities: no need for ICU's tables.
std::string asciiKey(std::string_view text) {
    std::string key;
    for (const char c : trim(text)) {
        if (!isAsciiBlank(c)) {
            key += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        } else if (key.back() != ' ') {
            key += ' ';
        }
    }
    return key;
}

bool isBlank(UChar32 point) {
    return u_isUWhiteSpace(point) != 0;
}
bool isInvisible(UChar32 point) {
    return u_hasBinaryProperty(point, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0;
}

// Canonical caseless matching (Unicode 15, D145), then the composed form.
icu::UnicodeString folded(std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* decompose = icu::Normalizer2::getNFDInstance(status);
    const icu::Normalizer2* compose = icu::Normalizer2::getNFCInstance(status);
    const auto utf8 = icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size()));
    icu::UnicodeString decomposed =
        decompose->normalize(icu::UnicodeString::fromUTF8(utf8), status);
    const icu::UnicodeString result = compose->normalize(decomposed.foldCase(), status);
    if (U_FAILURE(status)) {
        throw Error(ErrorCode::Failed,
                    std::string("Unicode normalisation failed: ") + u_errorName(status),
                    "Install ICU's data files (libicu).");
    }
    return result;
}

}  // namespace

std::string identityKey(std::string_view text) {
    if (isAscii(text)) {
        return asciiKey(text);
    }
    const icu::UnicodeString all = folded(text);
    icu::UnicodeString kept;
    bool blankBefore = false;
    for (std::int32_t i = 0; i < all.length(); i = all.moveIndex32(i, 1)) {
        const UChar32 point = all.char32At(i);
        if (isBlank(point)) {
            blankBefore = true;
        } else if (!isInvisible(point)) {
            if (blankBefore && !kept.isEmpty()) {
                kept.append(static_cast<UChar32>(' '));
            }
            blankBefore = false;
            kept.append(point);
        }
    }
    std::string key;
    return kept.toUTF8String(key);
}

std::string trimBlanks(std::string_view text) {
    if (isAscii(text)) {
        return trim(text);
    }
    const auto all = icu::UnicodeString::fromUTF8(
        icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
    std::int32_t begin = 0, end = all.length();
    while (begin < end && isBlank(all.char32At(begin))) {
        begin = all.moveIndex32(begin, 1);
    }
    while (end > begin && isBlank(all.char32At(all.moveIndex32(end, -1)))) {
        end = all.moveIndex32(end, -1);
    }
    std::string trimmed;
    return all.tempSubStringBetween(begin, end).toUTF8String(trimmed);
}

}  // namespace receiptbench
