#include "ui/configure/budget_slider.h"

#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

namespace receiptbench {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr int kStepsPerOctave = 8, kFirstOctave = 2, kLastOctave = 14;  // of a mebibyte

}  // namespace

BudgetSlider::BudgetSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
    setObjectName(QStringLiteral("budgetSlider"));
    setAccessibleName(tr("Memory budget, 4 MiB to 16 GiB"));
    setRange(kFirstOctave * kStepsPerOctave, kLastOctave * kStepsPerOctave);
    setPageStep(kStepsPerOctave);
    setTickInterval(kStepsPerOctave);
    setTickPosition(QSlider::TicksBelow);
    connect(this, &QSlider::valueChanged, this, [this](int step) {
        const auto mebibytes = std::llround(std::exp2(step / static_cast<double>(kStepsPerOctave)));
        Q_EMIT chosen(mebibytes * kMiB);
    });
}

void BudgetSlider::show(std::int64_t bytes) {
    const QSignalBlocker quiet(this);
    const double octaves =
        std::log2(static_cast<double>(std::max(bytes, kMiB)) / static_cast<double>(kMiB));
    setValue(static_cast<int>(std::lround(octaves * kStepsPerOctave)));
}

}  // namespace receiptbench
