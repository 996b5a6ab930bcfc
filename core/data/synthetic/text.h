// What stands on a drawn receipt, before any pixel: a shop, its items and sums that add up, cut
// into printed lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"

namespace receiptbench {

struct ReceiptItem {
    std::string name;
    int quantity = 1;
    std::int64_t unitCents = 0;
    std::int64_t cents() const { return quantity * unitCents; }
};

// All amounts in cents: total = sum of the items - discount, net + tax = total, paid - change =
// total.
struct ReceiptText {
    std::string shop, branch;
    std::vector<std::string> address;
    std::string date, time, number, cashier;
    std::vector<ReceiptItem> items;
    std::int64_t discountCents = 0, totalCents = 0, netCents = 0, taxCents = 0, paidCents = 0,
                 changeCents = 0;
    int taxPercent = 0;
    bool card = false;
    std::size_t language = 0;  // which wording, see words.h
    std::string thanks;
};
ReceiptText composeReceipt(RandomStream& random);

// Which columns a line fills is the printer's matter: the paper's width is chosen to suit its
// length.
struct PrintedLine {
    enum class Kind { Centred, Pair, BoldPair, Big, Rule, Gap, Barcode, Matrix };
    Kind kind = Kind::Gap;
    std::string left;   // the text; Rule: its character
    std::string right;  // of a pair: at the right edge
};
std::vector<PrintedLine> layoutReceipt(const ReceiptText& receipt, RandomStream& random);

}  // namespace receiptbench
