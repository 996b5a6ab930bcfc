// Fills a QTextDocument with the report's kinds of content. Every text goes in as plain text:
// nothing from a file is interpreted.
#pragma once

#include <utility>
#include <vector>

#include <QImage>
#include <QString>
#include <QTextCursor>
#include <QTextDocument>

#include "ui/pdf/plot_picture.h"

namespace receiptbench {

enum class Tone { Plain, Good, Bad, Quiet };

struct Cell {
    Cell() = default;
    Cell(QString words) : text(std::move(words)) {}  // NOLINT: a row is mostly plain words
    Cell(QString words, Tone its, bool isBold = false)
        : text(std::move(words)), tone(its), bold(isBold) {}
    QString text;
    Tone tone = Tone::Plain;
    bool bold = false;
    bool fixedWidth = false;  // hashes, paths, calls
    QColor fill;              // of the cell; invalid: none
};
struct Column {
    QString title;
    bool right = false;  // numbers
    double share = 0;    // percent of the width; 0: what the content needs
};
struct Figure {  // a large number with its caption
    QString value, caption;
    Tone tone = Tone::Plain;
};

class DocumentBuilder {
 public:
    DocumentBuilder(QTextDocument& document, double width);

    void title(const QString& text, const QString& line);
    void heading(const QString& text);
    void subheading(const QString& text);
    void paragraph(const QString& text, Tone tone = Tone::Plain);
    void note(const QString& text);  // small, what a table or plot shows
    void bullet(const QString& text, Tone tone = Tone::Plain);
    void command(const QString& text);  // fixed width
    void card(const QString& head, const QString& words, Tone tone);
    void figures(const std::vector<Figure>& figures);
    // At least one column. width in percent of the page.
    void table(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows,
               double width = 100);
    void plots(const std::vector<PlotPicture>& plots);  // beside each other
    void photos(const QString& caption, const std::vector<std::pair<QImage, QString>>& photos);

    double width() const { return width_; }
    double columnWidth() const;  // of two plots beside each other

    // From a heading to the end of the first thing below it: pages must not break there.
    struct Together {
        int first = 0, last = 0;  // positions in the document
    };
    const std::vector<Together>& together() const { return together_; }

 private:
    void block(const QTextBlockFormat& format, const QTextCharFormat& characters);
    void text(const QString& words, const QFont& font, const QColor& colour);
    void beginTogether();
    void endTogether(int position);
    void gap(double height);

    QTextDocument& document_;
    QTextCursor cursor_;
    double width_;
    bool empty_ = true;
    int openSince_ = -1;  // a heading that has nothing below it yet
    std::vector<Together> together_;
};

}  // namespace receiptbench
