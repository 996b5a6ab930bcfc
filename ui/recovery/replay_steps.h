// A finished drill as a story in steps, built from its stored result only.
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

#include "ui/recovery/tape_facts.h"
#include "ui/theme.h"

namespace receiptbench {

struct FileCard {  // one file of the checkpoint folder
    QString name;
    std::uint64_t bytes = 0;
    QString word;  // its state
    Meaning meaning = Meaning::Neutral;
    bool gone = false;
};
struct StepCell {
    QString text;
    std::optional<Meaning> meaning;
};
struct ReplayStep {
    QString name, head, text;
    Meaning meaning = Meaning::Neutral;
    std::vector<FileCard> files;  // the step shows these, or the table
    QStringList columns;
    std::vector<std::vector<StepCell>> rows;
};

// receipts: null while they are not read yet; the step then says the stored counts.
std::vector<ReplayStep> replaySteps(const DrillResult& drill, const DrillReceipts* receipts);

QString drillName(const DrillResult& drill);     // "fp32-1"
QString drillTitle(const DrillResult& drill);    // "fp32, update 105, inside call 3"
QString drillVerdict(const DrillResult& drill);  // "Recovery proven"
QString drillFigures(const DrillResult& drill);  // "21 of 21 receipts equal"

}  // namespace receiptbench
