#include "ui/recovery/folder_view.h"

#include <QFontDatabase>
#include <QPainter>

#include <algorithm>

namespace receiptbench {
namespace {

constexpr int kCardHeight = 76, kGap = 10, kDuration = 350;
constexpr double kPad = 12, kIcon = 22;

}  // namespace

FolderView::FolderView(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Checkpoint folder"));
    animation_.setStartValue(0.0);
    animation_.setEndValue(1.0);
    animation_.setDuration(kDuration);
    animation_.setEasingCurve(QEasingCurve::OutCubic);
    connect(&animation_, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        progress_ = value.toDouble();
        update();
    });
}

void FolderView::show(const std::vector<FileCard>& files, bool animated) {
    earlier_ = std::exchange(files_, files);
    QStringList words;
    for (const auto& file : files_) {
        words << tr("%1, %2, %3")
                     .arg(file.name, bytesText(static_cast<std::int64_t>(file.bytes)), file.word);
    }
    setAccessibleDescription(words.isEmpty() ? tr("The folder is empty")
                                             : words.join(QStringLiteral("; ")));
    animation_.stop();
    progress_ = animated ? 0 : 1;
    if (animated) {
        animation_.start();
    }
    updateGeometry();
    update();
}

QSize FolderView::sizeHint() const {
    const auto rows = std::max<int>(1, static_cast<int>(files_.size()));
    return {480, rows * (kCardHeight + kGap)};
}

QSize FolderView::minimumSizeHint() const {
    return {280, sizeHint().height()};
}

const FileCard* FolderView::earlier(const FileCard& file) const {
    const auto at = std::find_if(earlier_.begin(), earlier_.end(),
                                 [&](const FileCard& other) { return other.name == file.name; });
    return at == earlier_.end() ? nullptr : &*at;
}

void FolderView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (files_.empty()) {
        painter.setPen(meaningColour(Meaning::Neutral));
        painter.drawText(rect(), Qt::AlignCenter, tr("The folder is empty"));
        return;
    }
    QRectF box(1, 1, width() - 2, kCardHeight);
    for (const auto& file : files_) {
        painter.setOpacity(earlier(file) == nullptr ? progress_ : 1);
        paintCard(painter, box, file);
        box.translate(0, kCardHeight + kGap);
    }
}

void FolderView::paintCard(QPainter& painter, const QRectF& box, const FileCard& file) const {
    const auto ink = palette().color(QPalette::Text);
    auto frame = meaningColour(file.meaning);
    painter.setPen(QPen(frame, 1, file.gone ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(box, 6, 6);
    meaningIcon(file.meaning)
        .paint(&painter, QRectF(box.left() + kPad, box.top() + kPad, kIcon, kIcon).toRect());

    QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    mono.setStrikeOut(file.gone);
    const double left = box.left() + 2 * kPad + kIcon, width = box.right() - kPad - left;
    const QRectF nameLine(left, box.top() + 8, width, 20);
    painter.setFont(mono);
    painter.setPen(file.gone ? meaningColour(Meaning::Neutral) : ink);
    painter.drawText(
        nameLine, Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(file.name, Qt::ElideMiddle, static_cast<int>(width) - 90));
    painter.setFont(font());
    painter.drawText(nameLine, Qt::AlignRight | Qt::AlignVCenter,
                     bytesText(static_cast<std::int64_t>(file.bytes)));
    paintBar(painter, QRectF(left, box.top() + 33, width, 6), file);
    painter.setPen(frame);
    painter.drawText(
        QRectF(left, box.top() + 46, width, 22), Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(file.word, Qt::ElideRight, static_cast<int>(width)));
}

// Sizes are compared within the folder: a torn file is seen to be short.
void FolderView::paintBar(QPainter& painter, const QRectF& bar, const FileCard& file) const {
    std::uint64_t largest = 1;
    for (const auto& other : files_) {
        largest = std::max(largest, other.bytes);
    }
    const auto share = [&](const FileCard& its) {
        return its.gone ? 0.0 : static_cast<double>(its.bytes) / static_cast<double>(largest);
    };
    const auto* was = earlier(file);
    const double from = was != nullptr ? std::min(share(*was), 1.0) : 0;
    const double now = from + (share(file) - from) * progress_;
    auto ground = palette().color(QPalette::Text);
    ground.setAlphaF(0.1F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(bar, 3, 3);
    painter.setBrush(meaningColour(file.meaning));
    painter.drawRoundedRect(QRectF(bar.left(), bar.top(), bar.width() * now, bar.height()), 3, 3);
}

}  // namespace receiptbench
