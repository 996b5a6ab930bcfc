#include "ui/pdf/pdf_file.h"

#include <QFile>
#include <QFileInfo>
#include <QXmlStreamWriter>

#include "core/base/error.h"
#include "core/base/text.h"

namespace receiptbench {

using namespace Qt::StringLiterals;

namespace {

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

// What lies behind a place has moved: the table of offsets, and the offset of that table itself.
void moveOffsets(QByteArray& pdf, qsizetype behind, qsizetype by) {
    static const QByteArray kStart = "startxref\n";
    const auto start = pdf.lastIndexOf(kStart) + kStart.size();
    const auto end = pdf.indexOf('\n', start);
    const auto table = pdf.mid(start, end - start).trimmed().toLongLong() + by;
    if (by == 0 || start < kStart.size() || pdf.mid(table, 5) != "xref\n") {
        return;
    }
    pdf.replace(start, end - start, QByteArray::number(static_cast<qlonglong>(table)) + ' ');
    // "0000000015 00000 n " and a line break: twenty bytes for each object.
    for (auto entry = pdf.indexOf('\n', table + 5) + 1; pdf.mid(entry + 10, 1) == " ";
         entry += 20) {
        const auto offset = pdf.mid(entry, 10).toLongLong();
        if (offset > behind) {
            pdf.replace(
                entry, 10,
                QByteArray::number(static_cast<qlonglong>(offset + by)).rightJustified(10, '0'));
        }
    }
}

// The writer puts the current time in, as long as the time zone's name is; the report's own takes
// its place.
bool patchDate(QByteArray& pdf, const QByteArray& entry, const std::string& time) {
    const QByteArray key = "/" + entry + " (D:";
    const auto start = pdf.indexOf(key);
    const auto end = start < 0 ? -1 : pdf.indexOf(')', start);
    const auto from = start + key.size();
    if (start < 0 || end - from < 14) {
        return false;
    }
    const auto date = pdfDigits(time) + "Z";
    pdf.replace(from, end - from, date);
    moveOffsets(pdf, from, date.size() - (end - from));
    return true;
}

}  // namespace

void setPdfDates(QByteArray& pdf, const std::string& time) {
    if (!patchDate(pdf, "CreationDate", time)) {
        throw Error(ErrorCode::Failed, "the PDF holds no creation date to set",
                    "this Qt writes it differently: report it");
    }
    patchDate(pdf, "ModDate", time);  // Qt 6.8 and later
}

QByteArray pdfMetadata(const std::string& time) {
    QByteArray packet;
    QXmlStreamWriter xml(&packet);
    const auto adobe = u"adobe:ns:meta/"_s, xmp = u"http://ns.adobe.com/xap/1.0/"_s,
               rdf = u"http://www.w3.org/1999/02/22-rdf-syntax-ns#"_s;
    xml.writeNamespace(adobe, u"x"_s);
    xml.writeNamespace(rdf, u"rdf"_s);
    xml.writeNamespace(xmp, u"xmp"_s);
    xml.writeProcessingInstruction(u"xpacket"_s,
                                   u"begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\""_s);
    xml.writeStartElement(adobe, u"xmpmeta"_s);
    xml.writeStartElement(rdf, u"RDF"_s);
    xml.writeStartElement(rdf, u"Description"_s);
    xml.writeAttribute(rdf, u"about"_s, QString());
    xml.writeTextElement(xmp, u"CreatorTool"_s, u"receiptbench"_s);
    xml.writeTextElement(xmp, u"CreateDate"_s, QString::fromStdString(time));
    for (int open = 0; open < 3; ++open) {
        xml.writeEndElement();
    }
    xml.writeProcessingInstruction(u"xpacket"_s, u"end=\"w\""_s);
    return packet;
}

void demandPdfPath(const std::string& path) {
    const QFileInfo info(QString::fromStdString(path));
    if (!info.exists() && !info.isSymLink()) {
        return;
    }
    const auto refuse = [&](const char* what) {
        throw Error(ErrorCode::Failed,
                    printable(path) + " exists and is " + what + ": it is left as it is",
                    "choose another name for the PDF");
    };
    if (info.isSymLink()) {
        refuse("a link");
    }
    if (info.isDir()) {
        refuse("a folder");
    }
    QFile file(info.filePath());
    if (!info.isFile() || !file.open(QIODevice::ReadOnly) ||
        (file.size() > 0 && file.peek(5) != "%PDF-")) {
        refuse("no PDF");
    }
}

}  // namespace receiptbench
