// What makes a PDF's bytes depend on its report only, and where it may be put.
#pragma once

#include <QByteArray>

#include <string>

namespace receiptbench {

// time: UTC, "2026-12-01T10:20:30.123Z". Error(Failed) when this Qt writes no date where one is
// known.
void setPdfDates(QByteArray& pdf, const std::string& time);
QByteArray pdfMetadata(const std::string& time);  // XMP, for the Qt that would write its own

// Error(Failed) when something is there that is no PDF: a folder, a device, a link, another file.
void demandPdfPath(const std::string& path);

}  // namespace receiptbench
