// The report's parts. Each takes what it needs from gatherReport's object and says what is missing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <QString>

#include <nlohmann/json.hpp>

#include "ui/pdf/document_builder.h"
#include "ui/pdf/pdf_report.h"

namespace receiptbench {

struct SectionInput {
    const nlohmann::json& report;
    const PhotoSource& photos;
    DocumentBuilder& out;
};
using Section = void (*)(const SectionInput&);

void verdictSection(const SectionInput& in);
void rulesSection(const SectionInput& in);
void contractSection(const SectionInput& in);
void precisionSection(const SectionInput& in);
void planSection(const SectionInput& in);
void memorySection(const SectionInput& in);
void timeSection(const SectionInput& in);
void gradientSection(const SectionInput& in);
void ledgerSection(const SectionInput& in);
void lossSection(const SectionInput& in);
void validationSection(const SectionInput& in);
void thresholdSection(const SectionInput& in);
void recoverySection(const SectionInput& in);
void environmentSection(const SectionInput& in);
void recomputeSection(const SectionInput& in);

// Shared by the parts.
QString runLabel(const nlohmann::json& run);  // name, and its kind unless it is a plain run
std::string newestTime(
    const nlohmann::json& report);  // of its runs: creation and end, UTC; empty when there is none

}  // namespace receiptbench
