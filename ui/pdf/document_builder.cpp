#include "ui/pdf/document_builder.h"

#include <algorithm>
#include <memory>

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QTextObjectInterface>
#include <QTextTable>

#include "ui/pdf/report_style.h"

namespace receiptbench {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPlotObject = QTextFormat::UserObject + 1;
constexpr int kPhotoObject = QTextFormat::UserObject + 2;
constexpr int kContent = QTextFormat::UserProperty + 1;
constexpr int kSize = QTextFormat::UserProperty + 2;
constexpr double kTableText = 7.8, kBody = 9, kNote = 8;

QColor inkOf(Tone tone) {
    switch (tone) {
        case Tone::Good:
            return kGoodInk;
        case Tone::Bad:
            return kBadInk;
        case Tone::Quiet:
            return kQuiet;
        case Tone::Plain:
            break;
    }
    return kInk;
}

QColor fillOf(Tone tone) {
    return tone == Tone::Good ? kGoodFill : tone == Tone::Bad ? kBadFill : kPaleFill;
}

// Plots are painted by replaying their recorded picture, so that they stay vectors on the page.
class PageObjects : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)

 public:
    using QObject::QObject;

    QSizeF intrinsicSize(QTextDocument*, int, const QTextFormat& format) override {
        return format.property(kSize).toSizeF();
    }

    void drawObject(QPainter* painter, const QRectF& rect, QTextDocument*, int,
                    const QTextFormat& format) override {
        // A plot that moved to the next page is offered for this one, too, and its own clipping
        // would let it through.
        if (painter->hasClipping() &&
            !painter->clipBoundingRect().intersects(rect.adjusted(0, 1, 0, -1))) {
            return;
        }
        const auto content = format.property(kContent);
        if (format.objectType() == kPlotObject) {
            const auto picture = content.value<QPicture>();
            painter->save();
            painter->setRenderHint(QPainter::Antialiasing);
            painter->translate(rect.topLeft());
            // Replaying enlarges by the ratio of the two resolutions; the picture is in the page's
            // units already.
            painter->scale(
                picture.logicalDpiX() / static_cast<double>(painter->device()->logicalDpiX()),
                picture.logicalDpiY() / static_cast<double>(painter->device()->logicalDpiY()));
            painter->drawPicture(QPointF(0, 0), picture);
            painter->restore();
            return;
        }
        const auto image = content.value<QImage>();
        const auto size = QSizeF(image.size()).scaled(rect.size(), Qt::KeepAspectRatio);
        const QRectF frame(rect.topLeft() + QPointF((rect.width() - size.width()) / 2,
                                                    rect.height() - size.height()),
                           size);
        painter->setRenderHint(QPainter::SmoothPixmapTransform);
        painter->drawImage(frame, image);
        painter->setPen(QPen(kRule, points(0.4)));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(frame);
    }
};

QTextCharFormat characters(const QFont& font, const QColor& colour) {
    QTextCharFormat format;
    format.setFont(font);
    format.setForeground(colour);
    return format;
}

QTextBlockFormat blockFormat(double above, double below, Qt::Alignment alignment = Qt::AlignLeft) {
    QTextBlockFormat format;
    format.setTopMargin(points(above));
    format.setBottomMargin(points(below));
    format.setAlignment(alignment);
    return format;
}

QTextTableFormat plainTable(double percent) {
    QTextTableFormat format;
    format.setBorder(0);
    format.setCellSpacing(0);
    format.setCellPadding(0);
    format.setBorderCollapse(true);
    format.setWidth(QTextLength(QTextLength::PercentageLength, percent));
    return format;
}

void padCell(QTextTableCellFormat& format, double sides, double ends) {
    format.setLeftPadding(points(sides));
    format.setRightPadding(points(sides));
    format.setTopPadding(points(ends));
    format.setBottomPadding(points(ends));
}

void ruleBelow(QTextTableCellFormat& format, const QColor& colour, double width) {
    format.setBottomBorder(points(width));
    format.setBottomBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBottomBorderBrush(colour);
}

// Long words such as hashes may break anywhere: a zero-width space after every so many characters
// would be copied along with the text, so the column's width has to do; see
// QTextOption::WrapAtWordBoundaryOrAnywhere in the document's options.
void fillCell(QTextTable& table, int row, int column, const Cell& cell, bool right, bool head) {
    auto at = table.cellAt(row, column);
    QTextTableCellFormat format;
    padCell(format, 3.5, head ? 2.2 : 1.9);
    ruleBelow(format, head ? kQuiet : kFaintRule, head ? 0.6 : 0.4);
    format.setVerticalAlignment(head ? QTextCharFormat::AlignBottom : QTextCharFormat::AlignTop);
    if (cell.fill.isValid()) {
        format.setBackground(cell.fill);
    }
    const auto font = cell.fixedWidth
                          ? reportMonoFont(kTableText - 0.8)
                          : reportFont(head ? kTableText - 0.4 : kTableText, head || cell.bold);
    format.setFont(font);  // else an empty cell would be as high as running text
    at.setFormat(format);
    auto cursor = at.firstCursorPosition();
    auto lines = blockFormat(0, 0, right ? Qt::AlignRight : Qt::AlignLeft);
    // The same for both fonts, or a page could end between the cells of one row.
    lines.setLineHeight(points(1.2 * kTableText), QTextBlockFormat::MinimumHeight);
    cursor.setBlockFormat(lines);
    cursor.insertText(cell.text, characters(font, head ? kQuiet : inkOf(cell.tone)));
}

}  // namespace

DocumentBuilder::DocumentBuilder(QTextDocument& document, double width)
    : document_(document), cursor_(&document), width_(width) {
    document.setUndoRedoEnabled(false);
    document.setDocumentMargin(0);
    document.setDefaultFont(reportFont(kBody));
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    option.setTextDirection(Qt::LeftToRight);
    document.setDefaultTextOption(option);
    auto* objects = new PageObjects(&document);
    document.documentLayout()->registerHandler(kPlotObject, objects);
    document.documentLayout()->registerHandler(kPhotoObject, objects);
}

double DocumentBuilder::columnWidth() const {
    return (width_ - points(10)) / 2;
}

void DocumentBuilder::block(const QTextBlockFormat& format, const QTextCharFormat& characters) {
    if (empty_) {
        cursor_.setBlockFormat(format);
        cursor_.setBlockCharFormat(characters);
        empty_ = false;
    } else {
        cursor_.insertBlock(format, characters);
    }
}

void DocumentBuilder::text(const QString& words, const QFont& font, const QColor& colour) {
    cursor_.insertText(words, characters(font, colour));
}

void DocumentBuilder::beginTogether() {
    if (openSince_ < 0) {
        openSince_ = cursor_.block().position();
    }
}

void DocumentBuilder::endTogether(int position) {
    if (openSince_ >= 0) {
        together_.push_back({openSince_, position});
        openSince_ = -1;
    }
}

void DocumentBuilder::title(const QString& words, const QString& line) {
    block(blockFormat(0, 2), {});
    text(words, reportFont(22, true), kInk);
    block(blockFormat(0, 8), {});
    text(line, reportFont(9.5), kQuiet);
}

void DocumentBuilder::heading(const QString& words) {
    if (openSince_ >= 0) {
        endTogether(cursor_.position());
    }
    block(blockFormat(18, 5), {});
    beginTogether();
    text(words, reportFont(13.5, true), kBlue);
}

void DocumentBuilder::subheading(const QString& words) {
    block(blockFormat(9, 3), {});
    beginTogether();
    text(words, reportFont(9.5, true), kInk);
}

void DocumentBuilder::paragraph(const QString& words, Tone tone) {
    block(blockFormat(1, 4), {});
    text(words, reportFont(kBody), inkOf(tone));
}

void DocumentBuilder::note(const QString& words) {
    block(blockFormat(0, 4), {});
    text(words, reportFont(kNote), kQuiet);
}

void DocumentBuilder::bullet(const QString& words, Tone tone) {
    auto format = blockFormat(0.5, 2);
    format.setLeftMargin(points(10));
    format.setTextIndent(points(-10));
    block(format, {});
    text(QChar(0x2022) + u"  "_s, reportFont(kBody), kQuiet);
    text(words, reportFont(kBody), inkOf(tone));
}

void DocumentBuilder::command(const QString& words) {
    auto format = blockFormat(1, 3);
    format.setLeftMargin(points(6));
    block(format, {});
    text(words, reportMonoFont(7.6), kInk);
}

void DocumentBuilder::gap(double height) {
    QTextBlockFormat format;
    format.setLineHeight(points(height), QTextBlockFormat::FixedHeight);
    block(format, characters(reportFont(1), kInk));
}

void DocumentBuilder::card(const QString& head, const QString& words, Tone tone) {
    gap(1);
    auto* table = cursor_.insertTable(1, 1, plainTable(100));
    QTextTableCellFormat format;
    padCell(format, 8, 5);
    format.setBackground(fillOf(tone));
    format.setLeftBorder(points(3));
    format.setLeftBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setLeftBorderBrush(inkOf(tone));
    auto cell = table->cellAt(0, 0);
    cell.setFormat(format);
    auto inside = cell.firstCursorPosition();
    inside.setBlockFormat(blockFormat(0, 1.5));
    inside.insertText(head, characters(reportFont(10.5, true), inkOf(tone)));
    inside.insertBlock(blockFormat(0, 0));
    inside.insertText(words, characters(reportFont(kBody), kInk));
    cursor_.movePosition(QTextCursor::End);
    endTogether(table->lastPosition());
    gap(2.5);
}

void DocumentBuilder::figures(const std::vector<Figure>& figures) {
    if (figures.empty()) {
        return;
    }
    gap(1);
    auto format = plainTable(100);
    const int columns = static_cast<int>(figures.size());
    format.setColumnWidthConstraints(
        QVector<QTextLength>(columns, QTextLength(QTextLength::PercentageLength, 100.0 / columns)));
    auto* table = cursor_.insertTable(1, columns, format);
    for (int i = 0; i < columns; ++i) {
        const auto& figure = figures[static_cast<std::size_t>(i)];
        QTextTableCellFormat cellFormat;
        padCell(cellFormat, 7, 6);
        cellFormat.setBackground(kPaleFill);
        cellFormat.setTopBorder(points(1.5));
        cellFormat.setTopBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        cellFormat.setTopBorderBrush(inkOf(figure.tone == Tone::Plain ? Tone::Quiet : figure.tone));
        auto cell = table->cellAt(0, i);
        cell.setFormat(cellFormat);
        auto inside = cell.firstCursorPosition();
        inside.setBlockFormat(blockFormat(0, 1));
        inside.insertText(figure.value, characters(reportFont(15, true), inkOf(figure.tone)));
        inside.insertBlock(blockFormat(0, 0));
        inside.insertText(figure.caption, characters(reportFont(7.8), kQuiet));
    }
    cursor_.movePosition(QTextCursor::End);
    endTogether(table->lastPosition());
    gap(4);
}

void DocumentBuilder::table(const std::vector<Column>& columns,
                            const std::vector<std::vector<Cell>>& rows, double width) {
    gap(1);
    auto format = plainTable(width);
    format.setHeaderRowCount(1);
    QVector<QTextLength> widths;
    for (const auto& column : columns) {
        widths.push_back(column.share > 0 ? QTextLength(QTextLength::PercentageLength, column.share)
                                          : QTextLength());
    }
    format.setColumnWidthConstraints(widths);
    auto* table = cursor_.insertTable(static_cast<int>(rows.size()) + 1,
                                      static_cast<int>(columns.size()), format);
    for (int c = 0; c < static_cast<int>(columns.size()); ++c) {
        const auto& column = columns[static_cast<std::size_t>(c)];
        fillCell(*table, 0, c, Cell(column.title), column.right, true);
        for (int r = 0; r < static_cast<int>(rows.size()); ++r) {
            const auto& row = rows[static_cast<std::size_t>(r)];
            const auto at = static_cast<std::size_t>(c);
            fillCell(*table, r + 1, c, at < row.size() ? row[at] : Cell(), column.right, false);
        }
    }
    cursor_.movePosition(QTextCursor::End);
    // A short table stays with its heading as a whole, a long one with its first rows.
    const int last = std::min(static_cast<int>(rows.size()), rows.size() <= 8 ? 8 : 3);
    endTogether(table->cellAt(last, 0).lastPosition());
    gap(5);
}

void DocumentBuilder::plots(const std::vector<PlotPicture>& plots) {
    block(blockFormat(2, 4), {});
    for (std::size_t i = 0; i < plots.size(); ++i) {
        QTextCharFormat format;
        format.setObjectType(kPlotObject);
        format.setProperty(kContent, QVariant::fromValue(plots[i].picture));
        format.setProperty(kSize, plots[i].size);
        cursor_.insertText(QString(QChar::ObjectReplacementCharacter), format);
    }
    endTogether(cursor_.position());
}

void DocumentBuilder::photos(const QString& caption,
                             const std::vector<std::pair<QImage, QString>>& photos) {
    constexpr int kPerRow = 6;
    const int rows = (static_cast<int>(photos.size()) + kPerRow - 1) / kPerRow;
    if (rows == 0) {
        return;
    }
    block(blockFormat(0, 2), {});
    beginTogether();
    text(caption, reportFont(kNote), kQuiet);
    auto format = plainTable(100);
    format.setColumnWidthConstraints(
        QVector<QTextLength>(kPerRow, QTextLength(QTextLength::PercentageLength, 100.0 / kPerRow)));
    auto* table = cursor_.insertTable(rows, kPerRow, format);
    const QSizeF size(width_ / kPerRow - points(10), millimetres(30));
    for (int i = 0; i < static_cast<int>(photos.size()); ++i) {
        const auto& [image, words] = photos[static_cast<std::size_t>(i)];
        auto cell = table->cellAt(i / kPerRow, i % kPerRow);
        QTextTableCellFormat cellFormat;
        padCell(cellFormat, 4, 3);
        cell.setFormat(cellFormat);
        auto inside = cell.firstCursorPosition();
        inside.setBlockFormat(blockFormat(0, 1.5, Qt::AlignHCenter));
        if (!image.isNull()) {
            QTextCharFormat object;
            object.setObjectType(kPhotoObject);
            object.setProperty(kContent, image);
            object.setProperty(kSize, size);
            inside.insertText(QString(QChar::ObjectReplacementCharacter), object);
            inside.insertBlock(blockFormat(0, 0, Qt::AlignHCenter));
        }
        inside.insertText(words, characters(reportFont(7), kQuiet));
    }
    cursor_.movePosition(QTextCursor::End);
    endTogether(table->cellAt(0, 0).lastPosition());
    gap(4);
}

}  // namespace receiptbench

#include "document_builder.moc"
