#include "core/data/synthetic/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/data/synthetic/random_choice.h"
#include "core/data/synthetic/words.h"

namespace receiptbench {
namespace {

using Kind = PrintedLine::Kind;

// In German-speaking places the second half of streets and towns.
template <typename Names>
std::string localName(RandomStream& random, const Names& names, bool german) {
    const std::uint64_t half = names.size() / 2;
    return std::string(names[static_cast<std::size_t>(random.below(half) + (german ? half : 0))]);
}

std::string date(RandomStream& random, std::string_view order) {
    const int day = between(random, 1, 28), month = between(random, 1, 12),
              year = between(random, 2019, 2026);
    std::string text;
    for (const char part : order) {
        text += part == 'd'   ? fmt::format("{:02}", day)
                : part == 'm' ? fmt::format("{:02}", month)
                : part == 'y' ? fmt::format("{}", year)
                              : std::string(1, part);
    }
    return text;
}

// Prices end in 9, 0 or 5, as in shops.
std::int64_t price(RandomStream& random, const words::Goods& goods, int markup) {
    const std::int64_t cents = goods.cents * (100 + between(random, -markup, markup)) / 100;
    const int last = static_cast<int>(random.below(10));
    return std::max<std::int64_t>(19, cents / 10 * 10 + (last < 6 ? 9 : last < 8 ? 0 : 5));
}

void fillItems(ReceiptText& receipt, const words::Shop& shop, RandomStream& random) {
    const bool german = words::kLanguages[receipt.language].german;
    const auto order = permutation(static_cast<std::int64_t>(shop.shelf.size()),
                                   RandomStream(random.next64(), "shelf"));
    const int count = between(random, 4, 10);
    for (int i = 0; i < count; ++i) {
        const words::Goods& goods =
            shop.shelf[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
        ReceiptItem item{std::string(german ? goods.german : goods.english), 1,
                         price(random, goods, shop.markup)};
        if (chance(random, 0.2)) {
            item.quantity = between(random, 2, 4);
        }
        receipt.items.push_back(std::move(item));
    }
}

void fillSums(ReceiptText& receipt, RandomStream& random) {
    for (const ReceiptItem& item : receipt.items) {
        receipt.totalCents += item.cents();
    }
    if (chance(random, 0.25)) {
        receipt.discountCents = receipt.totalCents * between(random, 5, 15) / 100;
        receipt.totalCents -= receipt.discountCents;
    }
    receipt.taxPercent = words::kLanguages[receipt.language].taxPercent;
    receipt.netCents =
        (receipt.totalCents * 100 + (100 + receipt.taxPercent) / 2) / (100 + receipt.taxPercent);
    receipt.taxCents = receipt.totalCents - receipt.netCents;
    receipt.card = chance(random, 0.5);
    const std::int64_t note = receipt.totalCents > 5000   ? 5000
                              : receipt.totalCents > 1000 ? 1000
                                                          : 500;
    receipt.paidCents =
        receipt.card ? receipt.totalCents : (receipt.totalCents + note - 1) / note * note;
    receipt.changeCents = receipt.paidCents - receipt.totalCents;
}

std::string formatMoney(std::int64_t cents, char decimalSign) {
    return fmt::format("{}{}{}{:02}", cents < 0 ? "-" : "", std::abs(cents) / 100, decimalSign,
                       std::abs(cents) % 100);
}

// Collects the lines of one receipt.
class Lines {
 public:
    explicit Lines(char decimalSign) : decimalSign_(decimalSign) {}
    void add(Kind kind, std::string left = {}, std::string right = {}) {
        lines_.push_back({kind, std::move(left), std::move(right)});
    }
    void centre(std::string_view text) { add(Kind::Centred, std::string(text)); }
    void pair(std::string_view left, std::string_view right, Kind kind = Kind::Pair) {
        add(kind, std::string(left), std::string(right));
    }
    void amount(std::string_view left, std::int64_t cents) { pair(left, money(cents)); }
    std::string money(std::int64_t cents) const { return formatMoney(cents, decimalSign_); }
    std::vector<PrintedLine> take() { return std::move(lines_); }

 private:
    char decimalSign_;
    std::vector<PrintedLine> lines_;
};

void addItems(Lines& lines, const ReceiptText& receipt, bool taxLetters) {
    for (const ReceiptItem& item : receipt.items) {
        if (item.quantity > 1) {
            lines.pair(fmt::format("  {} x {}", item.quantity, lines.money(item.unitCents)), "");
        }
        lines.pair(item.name, lines.money(item.cents()) + (taxLetters ? " A" : ""));
    }
}

void addSums(Lines& lines, const ReceiptText& receipt, const words::Language& language,
             const std::string& rule) {
    lines.add(Kind::Rule, rule);
    if (receipt.discountCents > 0) {
        lines.amount(language.discount, -receipt.discountCents);
    }
    lines.pair(language.total,
               fmt::format("{} {}", language.currency, lines.money(receipt.totalCents)),
               Kind::BoldPair);
    lines.add(Kind::Rule, rule);
    lines.amount(receipt.card ? language.card : language.cash, receipt.paidCents);
    if (!receipt.card) {
        lines.amount(language.change, receipt.changeCents);
    }
    lines.add(Kind::Gap);
    lines.pair(fmt::format("{} {}%  net {}", language.tax, receipt.taxPercent,
                           lines.money(receipt.netCents)),
               lines.money(receipt.taxCents));
}

}  // namespace

ReceiptText composeReceipt(RandomStream& random) {
    ReceiptText receipt;
    receipt.language = static_cast<std::size_t>(random.below(words::kLanguages.size()));
    const words::Language& language = words::kLanguages[receipt.language];
    const words::Shop& shop = pick(random, words::kShops);
    receipt.shop = std::string(pick(random, words::kNames));
    receipt.branch = std::string(pick(random, language.german ? shop.german : shop.english));
    const std::string street = localName(random, words::kStreets, language.german),
                      town = localName(random, words::kTowns, language.german);
    const int number = between(random, 1, 148), code = between(random, 1010, 9990);
    receipt.address = {language.german ? fmt::format("{} {}", street, number)
                                       : fmt::format("{} {}", number, street),
                       fmt::format("{} {}", code, town)};
    if (chance(random, 0.6)) {
        receipt.address.push_back(
            fmt::format("Tel. 0{} / {}", between(random, 120, 989), between(random, 10000, 99999)));
    }
    receipt.date = date(random, language.dateOrder);
    receipt.time = fmt::format("{:02}:{:02}", between(random, 7, 20), between(random, 0, 59));
    receipt.number = fmt::format("{:06}", between(random, 1, 999999));
    receipt.cashier = std::string(pick(random, words::kCashiers));
    receipt.thanks = std::string(language.thanks1);
    fillItems(receipt, shop, random);
    fillSums(receipt, random);
    return receipt;
}

std::vector<PrintedLine> layoutReceipt(const ReceiptText& receipt, RandomStream& random) {
    const words::Language& language = words::kLanguages[receipt.language];
    const std::string rule = chance(random, 0.5) ? "-" : chance(random, 0.5) ? "=" : "*";
    const bool code = chance(random, 0.75), matrix = chance(random, 0.35);
    Lines lines(language.decimalSign);
    lines.add(Kind::Big, receipt.shop);
    if (chance(random, 0.5)) {
        lines.centre(receipt.branch);
    } else {
        lines.add(Kind::Big, receipt.branch);
    }
    for (const std::string& line : receipt.address) {
        lines.centre(line);
    }
    lines.add(Kind::Gap);
    lines.pair(receipt.date, receipt.time);
    lines.pair(fmt::format("{} {}", language.receipt, receipt.number),
               fmt::format("{} {}", language.cashier, receipt.cashier));
    lines.add(Kind::Rule, rule);
    addItems(lines, receipt, language.german);
    addSums(lines, receipt, language, rule);
    lines.add(Kind::Gap);
    if (code) {
        lines.add(matrix ? Kind::Matrix : Kind::Barcode, receipt.number);
        lines.add(Kind::Gap);
    }
    lines.centre(receipt.thanks);
    if (!code || chance(random, 0.5)) {
        lines.centre(language.thanks2);
    }
    return lines.take();
}

}  // namespace receiptbench
