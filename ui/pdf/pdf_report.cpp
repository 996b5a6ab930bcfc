#include "ui/pdf/pdf_report.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QHash>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QTextBlock>
#include <QTextDocument>

#include "core/base/error.h"
#include "core/base/file_system.h"
#include "ui/pdf/document_builder.h"
#include "ui/pdf/report_style.h"
#include "ui/pdf/report_values.h"
#include "ui/pdf/sections.h"

namespace receiptbench {

using namespace Qt::StringLiterals;

namespace {

using nlohmann::json;

struct Part {
    const char* name;
    const char* title;
    Section write;
};
constexpr Part kParts[] = {{"verdict", "Verdict", verdictSection},
                           {"contract", "Contract and data", contractSection},
                           {"precision", "Precision, measured", precisionSection},
                           {"plans", "Microbatch plans", planSection},
                           {"memory", "Memory", memorySection},
                           {"time", "Time", timeSection},
                           {"gradients", "Gradient comparison", gradientSection},
                           {"ledger", "Updates, skips and loss scale", ledgerSection},
                           {"loss", "Loss", lossSection},
                           {"validation", "Validation", validationSection},
                           {"thresholds", "Changes at the acceptance threshold", thresholdSection},
                           {"recovery", "Interrupt and restore", recoverySection},
                           {"rules", "Verdict, rule by rule", rulesSection},
                           {"environment", "Environment", environmentSection},
                           {"recompute", "How to recompute", recomputeSection}};

// Fonts are listed in the order of a hash table with a random seed; the file must not depend on it.
class SteadyHashes {
 public:
    SteadyHashes() { QHashSeed::setDeterministicGlobalSeed(); }
    ~SteadyHashes() { QHashSeed::resetRandomGlobalSeed(); }
    SteadyHashes(const SteadyHashes&) = delete;
    SteadyHashes& operator=(const SteadyHashes&) = delete;
};

struct PageShape {
    explicit PageShape(PageFormat format)
        : size(format == PageFormat::A4 ? QPageSize::A4 : QPageSize::Letter),
          page(QSizeF(size.size(QPageSize::Point)) * (kUnitsPerInch / 72.0)),
          body(millimetres(17), millimetres(20), page.width() - millimetres(34),
               page.height() - millimetres(40)) {}
    QPageSize size;
    QSizeF page;
    QRectF body;
};

QString dateText(const json& report) {
    const auto time = newestTime(report);
    return time.size() >= 16 ? plainText(time.substr(0, 10) + " " + time.substr(11, 5)) + u" UTC"_s
                             : u"no run yet"_s;
}

// The finished document, laid out in pages.
class ReportPages {
 public:
    ReportPages(const json& report, const PhotoSource& photos, const PdfOptions& options)
        : shape_(options.page) {
        checkSections(options);
        document_.setPageSize(shape_.body.size());
        DocumentBuilder out(document_, shape_.body.width());
        date_ = dateText(report);
        hash_ = shortHash(fieldOf(report, "contractHash"), 16);
        out.title(u"Receipt quality under a memory budget"_s,
                  u"receiptbench report  ·  %1  ·  contract %2"_s.arg(date_, hash_));
        QTextCursor edit(&document_);
        edit.beginEditBlock();  // one layout at the end instead of one for each piece
        int number = 0;
        for (const auto& part : kParts) {
            if (options.sections.empty() || options.sections.count(part.name) > 0) {
                out.heading(u"%1  %2"_s.arg(++number).arg(QString::fromLatin1(part.title)));
                part.write({report, photos, out});
            }
        }
        edit.endEditBlock();
        keepTogether(out.together());
    }

    int count() const { return document_.pageCount(); }
    const PageShape& shape() const { return shape_; }

    void paint(QPainter& painter, int page) {
        const auto& body = shape_.body;
        painter.save();
        painter.translate(body.left(), body.top() - page * body.height());
        QAbstractTextDocumentLayout::PaintContext context;
        context.palette.setColor(QPalette::Text, kInk);  // not the screen's theme
        context.clip = QRectF(0, page * body.height(), body.width(), body.height());
        painter.setClipRect(context.clip.adjusted(-points(2), 0, points(2), 0));
        document_.documentLayout()->draw(&painter, context);
        painter.restore();
        furniture(painter, page);
    }

 private:
    static void checkSections(const PdfOptions& options) {
        for (const auto& name : options.sections) {
            const auto known = [&](const Part& part) { return name == part.name; };
            if (std::none_of(std::begin(kParts), std::end(kParts), known)) {
                QString names;
                for (const auto& part : kParts) {
                    names +=
                        (names.isEmpty() ? QString() : u", "_s) + QString::fromLatin1(part.name);
                }
                throw Error(ErrorCode::Usage,
                            "the report has no part \"" + plainText(name).toStdString() + "\"",
                            "choose from " + names.toStdString());
            }
        }
    }

    // A heading that would stand at the foot of a page, away from what it announces, begins the
    // next one.
    void keepTogether(const std::vector<DocumentBuilder::Together>& ranges) {
        const auto* layout = document_.documentLayout();
        const double height = shape_.body.height();
        for (const auto& range : ranges) {
            const auto first = document_.findBlock(range.first);
            const double top = layout->blockBoundingRect(first).top();
            const double bottom =
                layout->blockBoundingRect(document_.findBlock(range.last)).bottom();
            const bool split = std::floor((top + 1) / height) != std::floor((bottom - 1) / height);
            const bool highOnPage = std::fmod(top, height) < 0.12 * height;
            if (split && !highOnPage) {
                QTextCursor cursor(first);
                auto format = first.blockFormat();
                format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
                cursor.setBlockFormat(format);
            }
        }
    }

    void furniture(QPainter& painter, int page) {
        const auto& body = shape_.body;
        painter.save();
        painter.setFont(reportFont(7.5));
        const QRectF foot(body.left(), body.bottom() + millimetres(5), body.width(), points(12));
        painter.setPen(QPen(kRule, points(0.5)));
        painter.drawLine(foot.topLeft() - QPointF(0, points(3)),
                         foot.topRight() - QPointF(0, points(3)));
        painter.setPen(kQuiet);
        painter.drawText(foot, Qt::AlignLeft | Qt::AlignVCenter, u"contract %1"_s.arg(hash_));
        painter.drawText(foot, Qt::AlignHCenter | Qt::AlignVCenter, date_);
        painter.drawText(foot, Qt::AlignRight | Qt::AlignVCenter,
                         u"page %1 of %2"_s.arg(page + 1).arg(count()));
        if (page > 0) {
            const QRectF head(body.left(), body.top() - millimetres(11), body.width(), points(12));
            painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                             u"Receipt quality under a memory budget"_s);
            painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, u"receiptbench report"_s);
        }
        painter.restore();
    }

    PageShape shape_;
    QTextDocument document_;
    QString date_, hash_;
};

// "2026-12-01T10:20:30.123Z" -> "20261201102030"; the epoch when there is no time.
QByteArray pdfDigits(const std::string& time) {
    QByteArray digits;
    for (const char c : time.substr(0, 19)) {
        if (c >= '0' && c <= '9') {
            digits += c;
        }
    }
    return digits.size() == 14 ? digits : QByteArray("19700101000000");
}

// The writer puts the current time in; the report's own takes its place, byte for byte.
void patchDate(QByteArray& pdf, const std::string& time) {
    const QByteArray key = "/CreationDate (D:";
    const auto start = pdf.indexOf(key);
    const auto end = start < 0 ? -1 : pdf.indexOf(')', start);
    const auto from = start + key.size();
    if (start < 0 || end - from < 14) {
        throw Error(ErrorCode::Failed, "the PDF holds no creation date to set",
                    "this Qt writes it differently: report it");
    }
    // UTC is shorter than a local time with its offset: blanks behind the bracket keep the places
    // of all that follows.
    const auto date = (pdfDigits(time) + "Z)").leftJustified(end + 1 - from, ' ');
    pdf.replace(from, date.size(), date);
}

QByteArray pdfBytes(const json& report, const PhotoSource& photos, const PdfOptions& options) {
    const SteadyHashes steady;
    ReportPages pages(report, photos, options);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(kUnitsPerInch);
    writer.setPageSize(pages.shape().size);
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setTitle(
        u"receiptbench report, contract %1"_s.arg(shortHash(fieldOf(report, "contractHash"), 16)));
    writer.setCreator(u"receiptbench"_s);
    {
        QPainter painter(&writer);
        for (int page = 0; page < pages.count(); ++page) {
            if (page > 0) {
                writer.newPage();
            }
            pages.paint(painter, page);
        }
    }
    buffer.close();
    patchDate(bytes, newestTime(report));
    return bytes;
}

}  // namespace

std::string newestTime(const json& report) {
    std::string newest;
    for (const auto& run : listOf(report, "runs")) {
        for (const auto& time : {fieldOf(run, "created"), fieldOf(fieldOf(run, "end"), "time")}) {
            if (time.is_string()) {
                newest = std::max(newest, time.get<std::string>());
            }
        }
    }
    return newest;
}

const std::vector<std::pair<std::string, QString>>& pdfSections() {
    static const auto kSections = [] {
        std::vector<std::pair<std::string, QString>> sections;
        for (const auto& part : kParts) {
            sections.emplace_back(part.name, QString::fromLatin1(part.title));
        }
        return sections;
    }();
    return kSections;
}

void writePdfReport(const json& report, const PhotoSource& photos, const PdfOptions& options,
                    const std::string& path) {
    const auto bytes = pdfBytes(report, photos, options);
    writeAtomically(posixFileSystem(), path,
                    std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

std::vector<QImage> renderReportPages(const json& report, const PhotoSource& photos,
                                      const PdfOptions& options, double dotsPerInch) {
    ReportPages pages(report, photos, options);
    const double scale = dotsPerInch / kUnitsPerInch;
    const QSize size = (pages.shape().page * scale).toSize();
    std::vector<QImage> images;
    for (int page = 0; page < pages.count(); ++page) {
        QImage image(size, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing |
                               QPainter::SmoothPixmapTransform);
        painter.scale(scale, scale);
        pages.paint(painter, page);
        painter.end();
        images.push_back(image);
    }
    return images;
}

}  // namespace receiptbench
