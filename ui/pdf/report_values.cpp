#include "ui/pdf/report_values.h"

#include <cmath>
#include <limits>

#include <QStringList>

#include "core/base/text.h"

namespace receiptbench {

using namespace Qt::StringLiterals;

using nlohmann::json;

const json& fieldOf(const json& object, const char* key) {
    static const json kNothing;
    if (!object.is_object()) {
        return kNothing;
    }
    const auto at = object.find(key);
    return at == object.end() ? kNothing : *at;
}

const json& listOf(const json& object, const char* key) {
    static const json kEmpty = json::array();
    const auto& value = fieldOf(object, key);
    return value.is_array() ? value : kEmpty;
}

QString notAvailable() {
    return u"n/a"_s;
}

QString noComparison(const json& report) {
    const auto& problem = fieldOf(report, "comparisonProblem");
    return problem.is_string() ? u"No comparison: %1."_s.arg(plainText(problem))
                               : u"No comparison yet: run receiptbench compare."_s;
}

QString plainText(const std::string& value, int longest) {
    auto text = QString::fromStdString(printable(value));
    // Line and page separators as well as direction overrides would disturb the page around them.
    for (QChar& c : text) {
        const bool overridesDirection = (c.unicode() >= 0x202a && c.unicode() <= 0x202e) ||
                                        (c.unicode() >= 0x2066 && c.unicode() <= 0x2069);
        if (c.unicode() == 0x2028 || c.unicode() == 0x2029 ||
            c == QChar::ObjectReplacementCharacter || overridesDirection) {
            c = QChar::ReplacementCharacter;
        }
    }
    if (text.size() > longest) {
        const int end = text.at(longest - 1).isHighSurrogate() ? longest - 1 : longest;
        text = text.left(end) + QChar(0x2026);
    }
    return text;
}

QString plainText(const json& value, int longest) {
    return value.is_string() ? plainText(value.get_ref<const std::string&>(), longest)
                             : notAvailable();
}

QString shortHash(const json& value, int characters) {
    return value.is_string() ? plainText(value.get_ref<const std::string&>().substr(
                                   0, static_cast<std::size_t>(characters)))
                             : notAvailable();
}

double numberOf(const json& value) {
    if (value.is_number()) {
        return value.get<double>();
    }
    const auto text = value.is_string() ? value.get_ref<const std::string&>() : std::string();
    if (text == "inf" || text == "-inf") {
        return text == "inf" ? std::numeric_limits<double>::infinity()
                             : -std::numeric_limits<double>::infinity();
    }
    return std::numeric_limits<double>::quiet_NaN();
}

std::int64_t wholeOf(const json& value) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        return number > static_cast<std::uint64_t>(kMost) ? kMost
                                                          : static_cast<std::int64_t>(number);
    }
    if (value.is_number_integer()) {
        return value.get<std::int64_t>();
    }
    const double number = numberOf(value);
    if (std::isnan(number)) {
        return 0;
    }
    constexpr double kEdge = 9.2e18;
    return number > kEdge ? kMost : number < -kEdge ? -kMost : static_cast<std::int64_t>(number);
}

std::vector<std::int64_t> wholesOf(const json& list) {
    std::vector<std::int64_t> values;
    if (list.is_array()) {
        for (const auto& value : list) {
            values.push_back(wholeOf(value));
        }
    }
    return values;
}

bool isTrue(const json& value) {
    return value.is_boolean() && value.get<bool>();
}

namespace {

QString formatted(double value, char format, int digits) {
    if (std::isnan(value)) {
        return notAvailable();
    }
    if (std::isinf(value)) {
        return value > 0 ? u"inf"_s : u"-inf"_s;
    }
    return QString::number(value, format, digits);
}

}  // namespace

QString fixedText(double value, int decimals) {
    return formatted(value, 'f', decimals);
}
QString powerText(double value, int digits) {
    return formatted(value, 'e', digits - 1);
}
QString shortText(double value, int digits) {
    return formatted(value, 'g', digits);
}

QString percentText(double share, int decimals) {
    return std::isfinite(share) ? fixedText(100 * share, decimals) + u" %"_s
                                : fixedText(share, decimals);
}

QString bytesText(const json& value) {
    return value.is_number() ? QString::fromStdString(formatBytes(wholeOf(value))) : notAvailable();
}

QString countText(const json& value) {
    if (!value.is_number()) {
        return notAvailable();
    }
    auto text = QString::number(wholeOf(value));
    const int first = text.startsWith(QLatin1Char('-')) ? 1 : 0;
    if (text.size() - first > 4) {
        for (int at = static_cast<int>(text.size()) - 3; at > first; at -= 3) {
            text.insert(at, QChar(0x00a0));
        }
    }
    return text;
}

QString joinedText(const std::vector<std::int64_t>& values, const QString& separator) {
    QStringList parts;
    for (const auto value : values) {
        parts << QString::number(value);
    }
    return parts.join(separator);
}

}  // namespace receiptbench
