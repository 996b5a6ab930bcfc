// One photo, enlarged: the picture as the model sees it or the original file, where it comes from,
// and what every run says.
#pragma once

#include <QImage>
#include <QWidget>

#include <cstdint>
#include <functional>
#include <memory>

#include "core/workbench/gallery.h"

class QBoxLayout;
class QCheckBox;
class QFormLayout;
class QLabel;
class QPushButton;
class QTableWidget;

namespace receiptbench {

class PictureView;

// Of a PixelSource: the pixels of frozen photos. Thread-safe.
QImage toQImage(const Image& image);

class PhotoViewer : public QWidget {
    Q_OBJECT

 public:
    explicit PhotoViewer(QWidget* parent);

    // pixels: null while they cannot be read. run: whose line is marked.
    void show(std::shared_ptr<const Gallery> gallery, std::shared_ptr<const PhotoPixels> pixels,
              int photo, int run, const QString& position);
    int photo() const { return photo_; }
    const QImage& picture() const;
    bool showsOriginal() const;

 Q_SIGNALS:
    void stepped(int by);  // to the next (1) or the previous (-1) photo
    void closed();

 protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

 private:
    QWidget* makeBar();
    QWidget* makeFacts();
    void showPicture();
    void showFacts();
    void showRuns();
    void fitRuns();

    std::shared_ptr<const Gallery> gallery_;
    std::shared_ptr<const PhotoPixels> pixels_;
    int photo_ = -1, run_ = -1;
    std::int64_t asked_ = 0;  // of the original being read: an older one is dropped

    QBoxLayout* body_ = nullptr;
    PictureView* picture_ = nullptr;
    QLabel *caption_ = nullptr, *position_ = nullptr, *pictureNote_ = nullptr;
    QLabel *label_ = nullptr, *split_ = nullptr, *identity_ = nullptr, *file_ = nullptr,
           *derivation_ = nullptr;
    QTableWidget* runs_ = nullptr;
    QLabel* noRuns_ = nullptr;
    QCheckBox* original_ = nullptr;
    QPushButton* close_ = nullptr;
};

}  // namespace receiptbench
