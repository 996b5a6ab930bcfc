#include "core/data/synthetic/paper.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <string_view>

#include "core/data/synthetic/random_choice.h"

namespace receiptbench {
namespace {

using Kind = PrintedLine::Kind;

// Pixels of the flat paper; about 1.5 per pixel of the photo.
constexpr int kCellWidth = 12, kCellHeight = 22, kMargin = 26;
constexpr int kBarcodeHeight = 62, kMatrixCells = 25, kMatrixPixels = 4;
constexpr int kAtlasScale = 4, kFewestColumns = 30, kMostColumns = 46;

// A fixed-pitch font made of OpenCV's stroke letters, each squeezed into one cell as a cash printer
// does.
class PrinterFont {
 public:
    explicit PrinterFont(RandomStream& random)
        : face_(std::array{cv::FONT_HERSHEY_SIMPLEX, cv::FONT_HERSHEY_DUPLEX,
                           cv::FONT_HERSHEY_PLAIN}[random.below(3)]),
          weight_(random.uniform(0.9, 1.35)) {}

    // Darkens picture where the letter's strokes are; scale 2 is twice as wide and high.
    void draw(cv::Mat& picture, char letter, cv::Point where, int scale, bool bold) {
        const cv::Mat& glyph = glyphOf(letter, scale, bold);
        const cv::Rect target(where, glyph.size());
        if ((target & cv::Rect(cv::Point(), picture.size())) == target) {
            cv::Mat region = picture(target);
            cv::max(region, glyph, region);
        }
    }

 private:
    const cv::Mat& glyphOf(char letter, int scale, bool bold) {
        cv::Mat& glyph = glyphs_[static_cast<std::size_t>(scale > 1 ? 2
                                                          : bold    ? 1
                                                                    : 0)]
                                [static_cast<unsigned char>(letter) & 127U];
        if (glyph.empty()) {
            glyph = render(letter, cv::Size(kCellWidth * scale, kCellHeight * scale),
                           bold || scale > 1);
        }
        return glyph;
    }

    cv::Mat render(char letter, cv::Size cell, bool bold) const {
        const std::string text(1, letter);
        const int capHeight = cell.height * kAtlasScale * 13 / 20;
        const int thickness =
            std::max(1, static_cast<int>(std::lround(capHeight * weight_ * (bold ? 0.17 : 0.11))));
        int baseline = 0;
        const double unit = cv::getTextSize("H", face_, 1.0, 1, &baseline).height;
        const double size = capHeight / unit;
        const cv::Size extent = cv::getTextSize(text, face_, size, thickness, &baseline);
        const int width =
            std::max(extent.width, cv::getTextSize("0", face_, size, thickness, &baseline).width);
        cv::Mat canvas = cv::Mat::zeros(cell.height * kAtlasScale, width, CV_8U);
        const cv::Point origin((width - extent.width) / 2,
                               (canvas.rows + capHeight) / 2 - cell.height * kAtlasScale / 14);
        cv::putText(canvas, text, origin, face_, size, cv::Scalar(255), thickness, cv::LINE_8);
        cv::Mat glyph;
        cv::resize(canvas, glyph, cell, 0, 0, cv::INTER_AREA);
        return glyph;
    }

    int face_;
    double weight_;
    std::array<std::array<cv::Mat, 128>, 3> glyphs_;
};

int heightOf(const PrintedLine& line) {
    switch (line.kind) {
        case Kind::Big:
            return 2 * kCellHeight + 4;
        case Kind::Gap:
            return kCellHeight / 2;
        case Kind::Barcode:
            return kBarcodeHeight + kCellHeight;
        case Kind::Matrix:
            return kMatrixCells * kMatrixPixels + 4;
        default:
            return kCellHeight;
    }
}

// Bars of one to three modules in the style of Code 128: it need not decode, but looks the part.
void drawBarcode(cv::Mat& print, int top, RandomStream& random) {
    const int width = print.cols * between(random, 55, 75) / 100, left = (print.cols - width) / 2;
    for (int x = left; x < left + width;) {
        const int bar = 2 * between(random, 1, 3), space = 2 * between(random, 1, 3);
        cv::rectangle(print, cv::Rect(x, top, std::min(bar, left + width - x), kBarcodeHeight),
                      cv::Scalar(255), cv::FILLED);
        x += bar + space;
    }
}

void drawFinder(cv::Mat& print, cv::Point corner) {
    const int unit = kMatrixPixels;
    cv::rectangle(print, cv::Rect(corner.x - unit, corner.y - unit, 9 * unit, 9 * unit),
                  cv::Scalar(0), cv::FILLED);
    cv::rectangle(print, cv::Rect(corner.x, corner.y, 7 * unit, 7 * unit), cv::Scalar(255),
                  cv::FILLED);
    cv::rectangle(print, cv::Rect(corner.x + unit, corner.y + unit, 5 * unit, 5 * unit),
                  cv::Scalar(0), cv::FILLED);
    cv::rectangle(print, cv::Rect(corner.x + 2 * unit, corner.y + 2 * unit, 3 * unit, 3 * unit),
                  cv::Scalar(255), cv::FILLED);
}

// In the style of a QR code of 25 by 25 modules.
void drawMatrix(cv::Mat& print, int top, RandomStream& random) {
    const int side = kMatrixCells * kMatrixPixels, left = (print.cols - side) / 2;
    for (int y = 0; y < kMatrixCells; ++y) {
        for (int x = 0; x < kMatrixCells; ++x) {
            if (random.next32() & 1U) {
                cv::rectangle(print,
                              cv::Rect(left + x * kMatrixPixels, top + y * kMatrixPixels,
                                       kMatrixPixels, kMatrixPixels),
                              cv::Scalar(255), cv::FILLED);
            }
        }
    }
    const int far = side - 7 * kMatrixPixels;
    for (const cv::Point corner : {cv::Point(0, 0), cv::Point(far, 0), cv::Point(0, far)}) {
        drawFinder(print, corner + cv::Point(left, top));
    }
}

// One line of letters; scale 2 is twice as wide and high. What does not fit is cut, as the printer
// does.
void drawText(cv::Mat& print, PrinterFont& font, std::string_view text, int x, int top, int scale,
              bool bold) {
    for (const char letter : text) {
        if (letter != ' ') {
            font.draw(print, letter, cv::Point(x, top), scale, bold);
        }
        x += kCellWidth * scale;
    }
}

void drawCentred(cv::Mat& print, PrinterFont& font, std::string_view text, int top, int scale) {
    const int width = static_cast<int>(text.size()) * kCellWidth * scale;
    drawText(print, font, text, (print.cols - width) / 2, top, scale, false);
}

void drawPair(cv::Mat& print, PrinterFont& font, const PrintedLine& line, int top) {
    const bool bold = line.kind == Kind::BoldPair;
    const int columns = (print.cols - 2 * kMargin) / kCellWidth;
    const int room = columns - static_cast<int>(line.right.size()) - 1;
    drawText(print, font, line.left.substr(0, static_cast<std::size_t>(std::max(room, 0))), kMargin,
             top, 1, bold);
    drawText(print, font, line.right, kMargin + (room + 1) * kCellWidth, top, 1, bold);
}

void drawLine(cv::Mat& print, PrinterFont& font, const PrintedLine& line, int top,
              RandomStream& random) {
    switch (line.kind) {
        case Kind::Centred:
            return drawCentred(print, font, line.left, top, 1);
        case Kind::Big:
            return drawCentred(print, font, line.left, top, 2);
        case Kind::Pair:
        case Kind::BoldPair:
            return drawPair(print, font, line, top);
        case Kind::Rule: {
            const auto columns = static_cast<std::size_t>((print.cols - 2 * kMargin) / kCellWidth);
            return drawCentred(print, font, std::string(columns, line.left.front()), top, 1);
        }
        case Kind::Barcode:
            drawBarcode(print, top, random);
            return drawCentred(print, font, line.left, top + kBarcodeHeight, 1);
        case Kind::Matrix:
            return drawMatrix(print, top, random);
        case Kind::Gap:
            return;
    }
}

// [h,w] CV_8U: 255 is full ink. As wide as suits the length: a very narrow receipt would leave much
// of the photo to the table, and a cut at the photo's side might miss it.
cv::Mat drawPrint(const std::vector<PrintedLine>& lines, RandomStream& random) {
    const int above = between(random, 20, 44), below = between(random, 26, 60);
    int height = above + below;
    for (const PrintedLine& line : lines) {
        height += heightOf(line);
    }
    const int wanted = static_cast<int>(height / random.uniform(1.2, 1.5));
    const int columns =
        std::clamp((wanted - 2 * kMargin) / kCellWidth, kFewestColumns, kMostColumns);
    cv::Mat print = cv::Mat::zeros(height, columns * kCellWidth + 2 * kMargin, CV_8U);
    PrinterFont font(random);
    int top = above;
    for (const PrintedLine& line : lines) {
        drawLine(print, font, line, top, random);
        top += heightOf(line);
    }
    return print;
}

// Smooth random field: mean 0, standard deviation about 1, features of about `size` pixels.
cv::Mat smoothField(cv::Size area, cv::Size2d size, RandomStream& random) {
    cv::Mat coarse(std::max(3, static_cast<int>(area.height / size.height)),
                   std::max(3, static_cast<int>(area.width / size.width)), CV_32F);
    cv::RNG noise(random.next64());
    noise.fill(coarse, cv::RNG::NORMAL, 0.0, 1.3);
    cv::Mat field;
    cv::resize(coarse, field, area, 0, 0, cv::INTER_CUBIC);
    return field;
}

// A crease across the paper: brighter on the side that faces the light, darker on the other, a fine
// line between.
void addFold(cv::Mat& light, RandomStream& random, bool across) {
    const double strength = random.uniform(0.03, 0.13) * (chance(random, 0.5) ? 1 : -1);
    const double reach = random.uniform(0.05, 0.16), tilt = random.uniform(-0.06, 0.06);
    const double position = across ? random.uniform(0.2, 0.8) : random.uniform(0.35, 0.65);
    for (int y = 0; y < light.rows; ++y) {
        auto* row = light.ptr<float>(y);
        for (int x = 0; x < light.cols; ++x) {
            const double along =
                static_cast<double>(across ? x : y) / (across ? light.cols : light.rows);
            const double over =
                static_cast<double>(across ? y : x) / (across ? light.rows : light.cols);
            const double distance = over - position - tilt * (along - 0.5);
            row[x] += static_cast<float>(
                strength * (distance < 0 ? -1 : 1) * std::exp(-std::abs(distance) / reach) -
                std::abs(strength) * std::exp(-distance * distance / 2e-5));
        }
    }
}

// Light on the paper: 1 where it lies flat. Made small, since it is smooth, then enlarged.
cv::Mat paperLight(cv::Size area, RandomStream& random) {
    const cv::Size coarse(std::max(16, area.width / 4), std::max(16, area.height / 4));
    cv::Mat light(coarse, CV_32F, cv::Scalar(1));
    const double curl = random.uniform(0.0, 0.10), waves = random.uniform(0.4, 1.6),
                 phase = random.uniform(0, 2 * std::numbers::pi);
    for (int y = 0; y < coarse.height; ++y) {
        const double bend =
            curl * std::sin(2 * std::numbers::pi * waves * y / coarse.height + phase);
        light.row(y) += cv::Scalar(bend);
    }
    if (chance(random, 0.6)) {
        for (int folds = between(random, 1, 3); folds > 0; --folds) {
            addFold(light, random, chance(random, 0.75));
        }
    }
    light += random.uniform(0.005, 0.03) * smoothField(coarse, cv::Size2d(14, 10), random);
    cv::Mat full;
    cv::resize(light, full, area, 0, 0, cv::INTER_LINEAR);
    return full;
}

// Cut by the printer's saw-tooth edge, straight, or torn by hand.
int edgeDepth(int x, int style, double period, const cv::Mat& torn) {
    switch (style) {
        case 0:
            return 2;
        case 1:
            return static_cast<int>(2 + 5 * std::abs(std::fmod(x / period, 2.0) - 1));
        default:
            return std::clamp(static_cast<int>(5 + 3 * torn.at<float>(0, x)), 0, 12);
    }
}

cv::Mat drawOutline(cv::Size area, RandomStream& random) {
    cv::Mat outline(area, CV_8U, cv::Scalar(255));
    for (const bool atTop : {true, false}) {
        const int style = static_cast<int>(random.below(3));
        const double period = random.uniform(4, 8);
        const cv::Mat torn = smoothField(cv::Size(area.width, 3), cv::Size2d(12, 1), random);
        for (int x = 0; x < area.width; ++x) {
            const int depth = edgeDepth(x, style, period, torn);
            const cv::Range rows =
                atTop ? cv::Range(0, depth) : cv::Range(area.height - depth, area.height);
            outline(rows, cv::Range(x, x + 1)).setTo(0);
        }
    }
    return outline;
}

}  // namespace

Paper printPaper(const std::vector<PrintedLine>& lines, RandomStream& random) {
    const cv::Mat print = drawPrint(lines, random);
    const cv::Size area = print.size();
    // Thermal print fades: by patches, and by columns where the print head is worn.
    cv::Mat strength =
        random.uniform(0.68, 0.92) + 0.05 * smoothField(area, cv::Size2d(110, 90), random);
    if (chance(random, 0.4)) {
        strength -= 0.06 * smoothField(area, cv::Size2d(9, 4000), random);
    }
    cv::Mat ink, grain(area, CV_32F);
    print.convertTo(ink, CV_32F, 1.0 / 255);
    cv::RNG noise(random.next64());
    noise.fill(grain, cv::RNG::NORMAL, 0.0, 0.012);
    const double white = random.uniform(222, 246);
    cv::Mat brightness = white * (1.0 - ink.mul(strength)).mul(paperLight(area, random) + grain);
    Paper paper;
    brightness.convertTo(paper.ink, CV_8U);
    paper.outline = drawOutline(area, random);
    return paper;
}

}  // namespace receiptbench
