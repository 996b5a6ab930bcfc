#include "ui/report/report_preview.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace receiptbench {
namespace {

constexpr int kGap = 18, kStrips = 10, kKeptPages = 8;
constexpr double kScreenDpi = 96, kLeastZoom = 0.25, kMostZoom = 3, kZoomStep = 1.2;

}  // namespace

ReportPreview::ReportPreview(QWidget* parent) : QAbstractScrollArea(parent) {
    setObjectName(QStringLiteral("reportPreview"));
    setAccessibleName(tr("Preview of the report's pages"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    viewport()->setBackgroundRole(QPalette::Mid);
    viewport()->setAutoFillBackground(true);
    timer_.setInterval(0);
    connect(&timer_, &QTimer::timeout, this, &ReportPreview::paintStrip);
}

void ReportPreview::setPages(std::shared_ptr<const ReportPages> pages) {
    const int before = verticalScrollBar()->value();
    pages_ = std::move(pages);
    pictures_.clear();
    seen_.assign(static_cast<std::size_t>(pageCount()), false);
    painting_ = told_ = -1;
    layOut();
    verticalScrollBar()->setValue(before);  // the view is kept
    setAccessibleDescription(tr("%1 pages").arg(pageCount()));
    pages_ ? timer_.start() : timer_.stop();
    viewport()->update();
    tellPage();
}

int ReportPreview::pageCount() const {
    return pages_ ? pages_->count() : 0;
}

double ReportPreview::zoom() const {
    return zoom_;
}

double ReportPreview::dotsPerInch() const {
    return kScreenDpi * zoom_ * devicePixelRatioF();
}

QSize ReportPreview::pageSize() const {
    return pages_ ? (pages_->size() * (kScreenDpi / 72 * zoom_)).toSize() : QSize();
}

QRect ReportPreview::pageRect(int page) const {
    const auto size = pageSize();
    const int left = std::max(kGap, (viewport()->width() - size.width()) / 2);
    return QRect(left - horizontalScrollBar()->value(),
                 kGap + page * (size.height() + kGap) - verticalScrollBar()->value(), size.width(),
                 size.height());
}

bool ReportPreview::isVisible(int page) const {
    return pageRect(page).intersects(viewport()->rect());
}

int ReportPreview::currentPage() const {
    const int step = pageSize().height() + kGap;
    const int middle = verticalScrollBar()->value() + viewport()->height() / 2;
    return pageCount() == 0 ? -1 : std::clamp(middle / std::max(1, step), 0, pageCount() - 1);
}

void ReportPreview::layOut() {
    if (fitWidth_ && pages_) {
        const double width = viewport()->width() - 2 * kGap;
        zoom_ = std::clamp(width / (pages_->size().width() * kScreenDpi / 72), kLeastZoom, 1.6);
    }
    const auto size = pageSize();
    const int height = kGap + pageCount() * (size.height() + kGap);
    verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(40);
    horizontalScrollBar()->setRange(0, std::max(0, size.width() + 2 * kGap - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
}

void ReportPreview::goTo(int page) {
    if (page >= 0 && page < pageCount()) {
        verticalScrollBar()->setValue(page * (pageSize().height() + kGap));
    }
}

void ReportPreview::zoomChangedTo(double zoom, bool fit) {
    const double step = pageSize().height() + kGap;
    const double place = verticalScrollBar()->value() / std::max(1.0, step);  // in pages
    fitWidth_ = fit;
    zoom_ = std::clamp(zoom, kLeastZoom, kMostZoom);
    layOut();
    verticalScrollBar()->setValue(static_cast<int>(place * (pageSize().height() + kGap)));
    painting_ = -1;
    if (pages_) {
        timer_.start();
    }
    viewport()->update();
    Q_EMIT zoomChanged();
}

void ReportPreview::setZoom(double zoom) {
    zoomChangedTo(zoom, false);
}

void ReportPreview::setFitWidth() {
    zoomChangedTo(zoom_, true);
}

void ReportPreview::zoomBy(int steps) {
    setZoom(zoom_ * std::pow(kZoomStep, steps));
}

// Visible pages that are not sharp, then those that have no thumbnail yet.
int ReportPreview::next() const {
    for (int page = 0; page < pageCount(); ++page) {
        const auto at = pictures_.find(page);
        const bool sharp = at != pictures_.end() && std::abs(at->second.dpi - dotsPerInch()) < 0.01;
        if (!sharp && isVisible(page)) {
            return page;
        }
    }
    const auto unseen = std::find(seen_.begin(), seen_.end(), false);
    return unseen == seen_.end() ? -1 : static_cast<int>(unseen - seen_.begin());
}

void ReportPreview::paintStrip() {
    if (painting_ < 0) {
        painting_ = next();
        strip_ = 0;
        if (painting_ < 0) {
            timer_.stop();
            return;
        }
        canvas_ = pages_->blankImage(dotsPerInch());
    }
    const int from = canvas_.height() * strip_ / kStrips,
              to = canvas_.height() * (strip_ + 1) / kStrips;
    pages_->paint(canvas_, painting_, QRect(0, from, canvas_.width(), to - from));
    if (++strip_ == kStrips) {
        finishPage();
    }
}

void ReportPreview::finishPage() {
    const int page = std::exchange(painting_, -1);
    pictures_[page] = {canvas_, dotsPerInch()};
    seen_[static_cast<std::size_t>(page)] = true;
    viewport()->update(pageRect(page));
    Q_EMIT painted(page, canvas_);
    forgetFarPages();
}

void ReportPreview::forgetFarPages() {
    while (static_cast<int>(pictures_.size()) > kKeptPages) {
        const int here = currentPage();
        const auto first = pictures_.begin(), last = std::prev(pictures_.end());
        pictures_.erase(here - first->first > last->first - here ? first : last);
    }
}

void ReportPreview::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    for (int page = 0; page < pageCount(); ++page) {
        const auto rect = pageRect(page);
        if (!rect.intersects(viewport()->rect())) {
            continue;
        }
        painter.fillRect(rect.translated(3, 3), QColor(0, 0, 0, 60));
        const auto at = pictures_.find(page);
        if (at == pictures_.end()) {
            painter.fillRect(rect, Qt::white);
            continue;
        }
        painter.drawImage(rect, at->second.image);
    }
}

void ReportPreview::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    fitWidth_ ? setFitWidth() : setZoom(zoom_);
}

void ReportPreview::scrollContentsBy(int, int) {
    viewport()->update();
    if (pages_) {
        timer_.start();
    }
    tellPage();
}

void ReportPreview::tellPage() {
    if (const int page = currentPage(); page != told_) {
        told_ = page;
        Q_EMIT currentPageChanged(page);
    }
}

void ReportPreview::wheelEvent(QWheelEvent* event) {
    if (event->modifiers() & Qt::ControlModifier) {
        zoomBy(event->angleDelta().y() > 0 ? 1 : -1);
        event->accept();
        return;
    }
    QAbstractScrollArea::wheelEvent(event);
}

void ReportPreview::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Home:
            goTo(0);
            break;
        case Qt::Key_End:
            verticalScrollBar()->setValue(verticalScrollBar()->maximum());
            break;
        case Qt::Key_PageUp:
            goTo(std::max(0, currentPage() - 1));
            break;
        case Qt::Key_PageDown:
            goTo(std::min(pageCount() - 1, currentPage() + 1));
            break;
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

}  // namespace receiptbench
