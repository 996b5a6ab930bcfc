// The report's pages below each other, painted by the same code as the PDF's. Painting happens in
// short strips between events, the visible pages first, so that the window never stalls; a page
// stays as it was until its new picture is complete.
#pragma once

#include <QAbstractScrollArea>
#include <QImage>
#include <QTimer>

#include <map>
#include <memory>

#include "ui/pdf/pdf_report.h"

namespace receiptbench {

class ReportPreview : public QAbstractScrollArea {
    Q_OBJECT

 public:
    explicit ReportPreview(QWidget* parent);

    void setPages(std::shared_ptr<const ReportPages> pages);  // null: none
    int pageCount() const;
    int currentPage() const;  // the one at the middle of the view
    double zoom() const;      // 1: a page as large as on paper, at 96 dots an inch
    bool fitsWidth() const { return fitWidth_; }
    bool isComplete() const {
        return pages_ != nullptr && next() < 0;
    }  // all that is wanted is painted

 public Q_SLOTS:
    void goTo(int page);
    void setZoom(double zoom);
    void setFitWidth();
    void zoomBy(int steps);

 Q_SIGNALS:
    void painted(int page,
                 const QImage& image);  // each page once after setPages, and again when zoomed
    void currentPageChanged(int page);
    void zoomChanged();

 protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

 private:
    struct Picture {
        QImage image;
        double dpi = 0;
    };
    QSize pageSize() const;  // in pixels of the widget
    QRect pageRect(int page) const;
    double dotsPerInch() const;  // of the pictures
    bool isVisible(int page) const;
    int next() const;  // the page to be painted, -1: none
    void layOut();
    void zoomChangedTo(double zoom, bool fit);
    void paintStrip();
    void finishPage();
    void forgetFarPages();
    void tellPage();

    std::shared_ptr<const ReportPages> pages_;
    std::map<int, Picture> pictures_;
    std::vector<bool> seen_;  // painted once: has its thumbnail
    QImage canvas_;           // the page being painted
    int painting_ = -1, strip_ = 0, told_ = -1;
    double zoom_ = 1;
    bool fitWidth_ = true;
    QTimer timer_;
};

}  // namespace receiptbench
