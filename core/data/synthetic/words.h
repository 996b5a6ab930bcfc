// The words on drawn receipts. Shops, streets and goods are made up. ASCII only: that is what a
// cash printer's font has here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace receiptbench::words {

struct Language {
    std::string_view currency, total, discount, cash, card, change, tax, receipt, cashier, thanks1,
        thanks2, dateOrder;
    char decimalSign;
    int taxPercent;
    bool german;
};
inline constexpr std::array<Language, 5> kLanguages{{
    {"EUR", "SUMME", "Rabatt", "Bar", "Karte", "Rueckgeld", "MwSt", "Bon-Nr.", "Kassa",
     "Vielen Dank fuer Ihren Einkauf!", "Auf Wiedersehen", "d.m.y", ',', 20, true},
    {"CHF", "TOTAL", "Rabatt", "Bar", "Karte", "Rueckgeld", "MwSt", "Beleg", "Kasse",
     "Besten Dank fuer Ihren Besuch", "Auf Wiederluege", "d.m.y", '.', 8, true},
    {"EUR", "TOTAL", "Discount", "Cash", "Card", "Change", "VAT", "Receipt", "Till",
     "Thank you for shopping with us!", "Please keep your receipt", "d/m/y", '.', 23, false},
    {"GBP", "TOTAL TO PAY", "Savings", "Cash", "Card sale", "Change due", "VAT", "Trans.",
     "Served by", "Thank you, see you again", "Returns within 28 days", "d/m/y", '.', 20, false},
    {"USD", "BALANCE DUE", "Coupon", "Cash", "Debit", "Change", "Tax", "Check", "Server",
     "THANK YOU - COME AGAIN", "Have a great day!", "m/d/y", '.', 7, false},
}};

struct Goods {
    std::string_view english, german;
    int cents;
};
using Shelf = std::array<Goods, 14>;
struct Shop {
    std::array<std::string_view, 3> english, german;  // kinds of shop
    Shelf shelf;
    int markup;  // largest change of a price, in percent
};
inline constexpr std::array<Shop, 5> kShops{{
    {{"MARKET", "FOODS", "GROCERY"},
     {"MARKT", "FRISCHMARKT", "FEINKOST"},
     {{{"Whole milk 1l", "Vollmilch 1l", 129},
       {"Butter 250g", "Butter 250g", 279},
       {"Eggs 10 pcs", "Eier 10 Stk", 349},
       {"Tomatoes", "Rispentomaten", 248},
       {"Bananas", "Bananen", 187},
       {"Rye bread", "Roggenbrot", 319},
       {"Gouda sliced", "Gouda Scheiben", 259},
       {"Yoghurt plain", "Naturjoghurt", 89},
       {"Spaghetti 500g", "Spaghetti 500g", 119},
       {"Orange juice", "Orangensaft", 199},
       {"Coffee ground", "Kaffee gemahlen", 599},
       {"Apples 1kg", "Aepfel 1kg", 229},
       {"Sparkl. water", "Mineralwasser", 49},
       {"Olive oil", "Olivenoel", 749}}},
     25},
    {{"BAKERY", "CAFE", "COFFEE HOUSE"},
     {"BACKSTUBE", "KONDITOREI", "CAFE"},
     {{{"Espresso", "Espresso", 260},
       {"Cappuccino", "Cappuccino", 390},
       {"Croissant", "Croissant", 210},
       {"Cheese cake", "Topfentorte", 450},
       {"Ham sandwich", "Schinkensemmel", 495},
       {"Hot chocolate", "Heisse Schoko", 420},
       {"Seeded roll", "Kornspitz", 110},
       {"Apple strudel", "Apfelstrudel", 430},
       {"Tea, pot", "Tee Kanne", 380},
       {"Bagel", "Laugenbrezel", 180},
       {"Muffin", "Muffin", 290},
       {"Fresh juice", "Frischer Saft", 480},
       {"Loaf 1kg", "Hausbrot 1kg", 540},
       {"Soup of day", "Tagessuppe", 590}}},
     20},
    {{"HARDWARE", "TOOLS", "DIY"},
     {"BAUMARKT", "EISENWAREN", "WERKZEUG"},
     {{{"Wood screws 4x40", "Holzschr. 4x40", 449},
       {"Paint white 2l", "Wandfarbe 2l", 1799},
       {"Brush 50mm", "Flachpinsel 50", 399},
       {"Drill bit 6mm", "Bohrer 6mm", 329},
       {"Sandpaper set", "Schleifpapier", 499},
       {"LED bulb E27", "LED E27", 599},
       {"Tape 50m", "Klebeband 50m", 349},
       {"Hook set", "Haken Set", 279},
       {"Wall plugs", "Duebel 8mm", 389},
       {"Work gloves", "Handschuhe", 699},
       {"Silicone", "Silikon weiss", 749},
       {"Battery AA x4", "Batterie AA 4", 549},
       {"Extension 3m", "Verlaengerung", 1099},
       {"Potting soil", "Blumenerde", 599}}},
     30},
    {{"PHARMACY", "DRUGSTORE", "HEALTH"},
     {"APOTHEKE", "DROGERIE", "REFORMHAUS"},
     {{{"Shampoo 300ml", "Shampoo 300ml", 379},
       {"Toothpaste", "Zahnpasta", 189},
       {"Hand cream", "Handcreme", 449},
       {"Plasters", "Pflaster", 299},
       {"Vitamin C", "Vitamin C", 599},
       {"Cough drops", "Hustenbonbons", 329},
       {"Sun milk 30", "Sonnenmilch 30", 999},
       {"Soap", "Seife", 149},
       {"Cotton pads", "Wattepads", 129},
       {"Tissues", "Taschentuecher", 219},
       {"Herbal tea", "Kraeutertee", 289},
       {"Deodorant", "Deodorant", 259},
       {"Lip balm", "Lippenpflege", 199},
       {"Razor blades", "Rasierklingen", 1149}}},
     25},
    {{"BOOKS", "STATIONERY", "PAPER"},
     {"BUCH & PAPIER", "PAPIER", "BUCHHANDEL"},
     {{{"Notebook A5", "Notizbuch A5", 459},
       {"Pen blue", "Kugelschr. blau", 189},
       {"Pencil HB", "Bleistift HB", 99},
       {"Paperback", "Taschenbuch", 1199},
       {"City map", "Stadtplan", 790},
       {"Envelopes 25", "Kuverts 25", 349},
       {"Postcard", "Postkarte", 150},
       {"Glue stick", "Klebestift", 229},
       {"Folder A4", "Mappe A4", 279},
       {"Calendar", "Kalender", 1290},
       {"Marker set", "Marker Set", 699},
       {"Magazine", "Zeitschrift", 590},
       {"Ruler 30cm", "Lineal 30cm", 169},
       {"Gift wrap", "Geschenkpapier", 299}}},
     25},
}};

inline constexpr std::array<std::string_view, 24> kNames{
    "LINDEN",     "HARBOUR", "NORTHGATE", "ROSSBACH", "MILLSTONE",  "SUNNYSIDE",
    "KESTREL",    "ALMA",    "BRUNNER",   "OAKFIELD", "ZUM ADLER",  "VALLEY",
    "FERRY LANE", "TANNHOF", "BLUE DOOR", "GRUBER",   "OLD BRIDGE", "MARLOW",
    "SEEBLICK",   "QUARRY",  "PINE & CO", "HOLLER",   "WESTEND",    "CORNER"};
inline constexpr std::array<std::string_view, 12> kStreets{
    "High Street",  "Station Road",   "Mill Lane", "Market Square", "Church Street", "Kings Road",
    "Hauptstrasse", "Bahnhofstrasse", "Am Graben", "Lindengasse",   "Ringstrasse",   "Marktplatz"};
inline constexpr std::array<std::string_view, 12> kTowns{
    "Eastbrook", "Wexcombe", "Fairhaven", "Norwick",  "Stonebury", "Lakeview",
    "Oberndorf", "Steinach", "Waldkirch", "Neumarkt", "Seeburg",   "Altenau"};
inline constexpr std::array<std::string_view, 10> kCashiers{
    "Anna", "Ben", "Clara", "David", "Eva", "Felix", "Greta", "Hugo", "Ida", "Jonas"};

}  // namespace receiptbench::words
