// One picture as large as its room allows, never cut.
#pragma once

#include <QImage>
#include <QWidget>

namespace receiptbench {

class PictureView : public QWidget {
    Q_OBJECT

 public:
    explicit PictureView(QWidget* parent);

    void show(const QImage& image);
    void say(const QString& text);  // instead of a picture
    const QImage& image() const { return image_; }
    const QString& text() const { return text_; }

 protected:
    void paintEvent(QPaintEvent* event) override;

 private:
    QImage image_;
    QString text_;
};

}  // namespace receiptbench
