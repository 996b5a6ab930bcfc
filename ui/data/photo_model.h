// The grid's model: places in the gallery that are shown, in order. Every answer takes constant
// time; thumbnails come when they have been read.
#pragma once

#include <QAbstractListModel>

#include <memory>
#include <vector>

#include "core/workbench/gallery.h"

namespace receiptbench {

class ThumbnailLoader;

class PhotoModel : public QAbstractListModel {
    Q_OBJECT

 public:
    enum Role { PhotoRole = Qt::UserRole };  // place in Gallery::photos

    PhotoModel(ThumbnailLoader& thumbnails, QObject* parent);

    // run: whose predictions are told. The same rows as before keep selection and scroll position.
    void show(std::shared_ptr<const Gallery> gallery, std::vector<int> shown, int run);
    const Gallery* gallery() const { return gallery_.get(); }
    int run() const { return run_; }
    int photo(const QModelIndex& index) const;  // -1: none
    QModelIndex indexOf(int photo) const;       // invalid when it is not shown

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

 private:
    ThumbnailLoader& thumbnails_;
    std::shared_ptr<const Gallery> gallery_;
    std::vector<int> shown_;
    int run_ = -1;
};

}  // namespace receiptbench
