#include "ui/data/photo_model.h"

#include <algorithm>

#include "ui/data/photo_text.h"
#include "ui/data/thumbnail_loader.h"

namespace receiptbench {

PhotoModel::PhotoModel(ThumbnailLoader& thumbnails, QObject* parent)
    : QAbstractListModel(parent), thumbnails_(thumbnails) {}

void PhotoModel::show(std::shared_ptr<const Gallery> gallery, std::vector<int> shown, int run) {
    const bool same = gallery_ != nullptr && gallery != nullptr &&
                      gallery_->folder == gallery->folder &&
                      gallery_->datasetDigest == gallery->datasetDigest && shown == shown_;
    if (same) {
        gallery_ = std::move(gallery);
        run_ = run;
        if (!shown_.empty()) {
            Q_EMIT dataChanged(index(0), index(rowCount() - 1));
        }
        return;
    }
    beginResetModel();
    gallery_ = std::move(gallery);
    shown_ = std::move(shown);
    run_ = run;
    endResetModel();
}

int PhotoModel::photo(const QModelIndex& index) const {
    return index.isValid() ? shown_[static_cast<std::size_t>(index.row())] : -1;
}

QModelIndex PhotoModel::indexOf(int photo) const {
    const auto at = std::lower_bound(shown_.begin(), shown_.end(), photo);
    return at != shown_.end() && *at == photo ? index(static_cast<int>(at - shown_.begin()))
                                              : QModelIndex();
}

int PhotoModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant PhotoModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || gallery_ == nullptr) {
        return {};
    }
    const int place = photo(index);
    switch (role) {
        case Qt::DisplayRole:
            return captionText(*gallery_, run_, static_cast<std::size_t>(place));
        case Qt::ToolTipRole:
            // Escaped: names from files are never taken for markup.
            return fullText(*gallery_, run_, static_cast<std::size_t>(place)).toHtmlEscaped();
        case Qt::AccessibleTextRole:
            return fullText(*gallery_, run_, static_cast<std::size_t>(place));
        case Qt::DecorationRole:
            return thumbnails_.thumbnail(place);
        case PhotoRole:
            return place;
        default:
            return {};
    }
}

}  // namespace receiptbench
