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
#include <QUuid>

#include "core/base/error.h"
#include "core/base/file_system.h"
#include "ui/pdf/document_builder.h"
#include "ui/pdf/pdf_file.h"
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

void checkSections(const PdfOptions& options) {
    for (const auto& name : options.sections) {
        const auto known = [&](const Part& part) { return name == part.name; };
        if (std::any_of(std::begin(kParts), std::end(kParts), known)) {
            continue;
        }
        QString names;
        for (const auto& part : kParts) {
            names += (names.isEmpty() ? QString() : u", "_s) + QString::fromLatin1(part.name);
        }
        throw Error(ErrorCode::Usage,
                    "the report has no part \"" + plainText(name).toStdString() + "\"",
                    "choose from " + names.toStdString());
    }
}

}  // namespace

struct ReportPages::Private {
    Private(std::shared_ptr<const json> from, PhotoSource source, const PdfOptions& wanted)
        : report(std::move(from)),
          photos(std::move(source)),
          options(wanted),
          shape(wanted.page),
          out(document, shape.body.width()),
          date(dateText(*report)),
          hash(shortHash(fieldOf(*report, "contractHash"), 16)) {
        document.setPageSize(shape.body.size());
        out.title(u"Receipt quality under a memory budget"_s,
                  u"receiptbench report  ·  %1  ·  contract %2"_s.arg(date, hash));
    }

    bool addPart() {
        while (next < std::size(kParts)) {
            const auto& part = kParts[next++];
            if (!options.sections.empty() && options.sections.count(part.name) == 0) {
                continue;
            }
            QTextCursor edit(&document);
            edit.beginEditBlock();  // one layout at the end instead of one for each piece
            out.heading(u"%1  %2"_s.arg(++number).arg(QString::fromLatin1(part.title)));
            part.write({*report, photos, out});
            edit.endEditBlock();
            keepTogether();
            return true;
        }
        return false;
    }

    // strip: the part of the page that is wanted.
    void paint(QPainter& painter, int page, const QRectF& strip) {
        const auto& body = shape.body;
        painter.save();
        const QPointF origin(body.left(), body.top() - page * body.height());
        painter.translate(origin);
        QAbstractTextDocumentLayout::PaintContext context;
        context.palette.setColor(QPalette::Text, kInk);  // not the screen's theme
        context.clip =
            QRectF(0, page * body.height(), body.width(), body.height())
                .intersected(strip.translated(-origin).adjusted(-body.left(), 0, body.right(), 0));
        painter.setClipRect(context.clip.adjusted(-points(2), 0, points(2), 0), Qt::IntersectClip);
        document.documentLayout()->draw(&painter, context);
        painter.restore();
        furniture(painter, page);
    }

    // A heading that would stand at the foot of a page, away from what it announces, begins the
    // next one.
    void keepTogether() {
        const auto* layout = document.documentLayout();
        const double height = shape.body.height();
        for (; kept < out.together().size(); ++kept) {
            const auto& range = out.together()[kept];
            const auto first = document.findBlock(range.first);
            const double top = layout->blockBoundingRect(first).top();
            const double bottom =
                layout->blockBoundingRect(document.findBlock(range.last)).bottom();
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
        const auto& body = shape.body;
        painter.save();
        painter.setFont(reportFont(7.5));
        const QRectF foot(body.left(), body.bottom() + millimetres(5), body.width(), points(12));
        painter.setPen(QPen(kRule, points(0.5)));
        painter.drawLine(foot.topLeft() - QPointF(0, points(3)),
                         foot.topRight() - QPointF(0, points(3)));
        painter.setPen(kQuiet);
        painter.drawText(foot, Qt::AlignLeft | Qt::AlignVCenter, u"contract %1"_s.arg(hash));
        painter.drawText(foot, Qt::AlignHCenter | Qt::AlignVCenter, date);
        painter.drawText(foot, Qt::AlignRight | Qt::AlignVCenter,
                         u"page %1 of %2"_s.arg(page + 1).arg(document.pageCount()));
        if (page > 0) {
            const QRectF head(body.left(), body.top() - millimetres(11), body.width(), points(12));
            painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                             u"Receipt quality under a memory budget"_s);
            painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, u"receiptbench report"_s);
        }
        painter.restore();
    }

    std::shared_ptr<const json> report;
    PhotoSource photos;
    PdfOptions options;
    PageShape shape;
    QTextDocument document;
    DocumentBuilder out;
    QString date, hash;
    std::size_t next = 0, kept = 0;  // of kParts; of the ranges to keep together
    int number = 0;
};

namespace {

std::shared_ptr<const json> borrowed(const json& report) {
    return {std::shared_ptr<void>(), &report};
}

}  // namespace

ReportPages::ReportPages(std::shared_ptr<const json> report, PhotoSource photos,
                         const PdfOptions& options) {
    checkSections(options);
    p_ = std::make_unique<Private>(std::move(report), std::move(photos), options);
}
ReportPages::~ReportPages() = default;
bool ReportPages::addPart() {
    return p_->addPart();
}
int ReportPages::count() const {
    return p_->document.pageCount();
}
QSizeF ReportPages::size() const {
    return p_->shape.size.size(QPageSize::Point);
}

QImage ReportPages::image(int page, double dotsPerInch) const {
    auto image = blankImage(dotsPerInch);
    paint(image, page, image.rect());
    return image;
}

QImage ReportPages::blankImage(double dotsPerInch) const {
    QImage image((p_->shape.page * (dotsPerInch / kUnitsPerInch)).toSize(), QImage::Format_RGB32);
    image.fill(Qt::white);
    return image;
}

void ReportPages::paint(QImage& image, int page, const QRect& strip) const {
    const double scale = image.width() / p_->shape.page.width();
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing |
                           QPainter::SmoothPixmapTransform);
    painter.setClipRect(strip);
    painter.scale(scale, scale);
    p_->paint(painter, page,
              QRectF(QPointF(strip.topLeft()) / scale, QSizeF(strip.size()) / scale));
}

struct PdfWriting::Private {
    explicit Private(ReportPages::Private& its) : pages(its), writer(&buffer) {
        buffer.open(QIODevice::WriteOnly);
        writer.setResolution(kUnitsPerInch);
        writer.setPageSize(pages.shape.size);
        writer.setPageMargins(QMarginsF(0, 0, 0, 0));
        writer.setTitle(u"receiptbench report, contract %1"_s.arg(pages.hash));
        writer.setCreator(u"receiptbench"_s);
#if QT_VERSION >= QT_VERSION_CHECK(6, 8, 0)
        // From here on Qt writes dates and a random identifier into every file.
        const std::string time = newestTime(*pages.report);
        writer.setDocumentId(
            QUuid::createUuidV5(QUuid(), pages.hash + QString::fromStdString(time)));
        writer.setDocumentXmpMetadata(pdfMetadata(time));
#endif
    }
    const SteadyHashes steady;
    ReportPages::Private& pages;
    QBuffer buffer;
    QPdfWriter writer;
    QPainter painter;
    int next = 0;
};

PdfWriting::PdfWriting(const ReportPages& pages) : p_(std::make_unique<Private>(*pages.p_)) {}
PdfWriting::~PdfWriting() = default;

bool PdfWriting::addPage() {
    if (p_->next == p_->pages.document.pageCount()) {
        return false;
    }
    if (p_->next == 0) {
        p_->painter.begin(&p_->writer);
    } else {
        p_->writer.newPage();
    }
    p_->pages.paint(p_->painter, p_->next++, QRectF(QPointF(0, 0), p_->pages.shape.page));
    return true;
}

QByteArray PdfWriting::finish() {
    p_->painter.end();
    p_->buffer.close();
    auto bytes = p_->buffer.data();
    setPdfDates(bytes, newestTime(*p_->pages.report));
    return bytes;
}

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
    demandPdfPath(path);
    ReportPages pages(borrowed(report), photos, options);
    while (pages.addPart()) {
    }
    PdfWriting writing(pages);
    while (writing.addPage()) {
    }
    const auto bytes = writing.finish();
    writeAtomically(posixFileSystem(), path,
                    std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

std::vector<QImage> renderReportPages(const json& report, const PhotoSource& photos,
                                      const PdfOptions& options, double dotsPerInch) {
    ReportPages pages(borrowed(report), photos, options);
    while (pages.addPart()) {
    }
    std::vector<QImage> images;
    for (int page = 0; page < pages.count(); ++page) {
        images.push_back(pages.image(page, dotsPerInch));
    }
    return images;
}

}  // namespace receiptbench
