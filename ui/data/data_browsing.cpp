// The Data page's browsing: filter, facets, what was asked for, and the photo in hand.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QSignalBlocker>
#include <QStackedWidget>

#include <algorithm>

#include "core/base/text.h"
#include "ui/data/data_page.h"
#include "ui/data/facet_list.h"
#include "ui/data/import_summary.h"
#include "ui/data/photo_delegate.h"
#include "ui/data/photo_model.h"
#include "ui/data/photo_text.h"
#include "ui/data/photo_viewer.h"
#include "ui/data/rejects_view.h"
#include "ui/data/thumbnail_loader.h"

namespace receiptbench {
namespace {

QString plain(const std::string& text) {
    return QString::fromStdString(printable(text));
}

}  // namespace

void DataPage::fillRuns(const QString& wanted) {
    const QSignalBlocker quiet(runs_);
    runs_->clear();
    for (const auto& run : gallery_->runs) {
        const auto name = plain(run.run);
        runs_->addItem(run.isBaseline ? tr("%1 (baseline)").arg(name) : name, name);
    }
    const int at = runs_->findData(wanted);
    filter_.run = at >= 0 ? at : runs_->count() > 0 ? 0 : -1;
    runs_->setCurrentIndex(filter_.run);
    runRow_->setVisible(runs_->count() > 0);
}

void DataPage::chooseRun(int run) {
    filter_.run = run;
    applyFilter();
}

void DataPage::choose(Facet facet, int value) {
    filter_.of(facet) = value;
    applyFilter();
}

void DataPage::photosRequested(const QString& title,
                               const std::vector<std::int64_t>& validationIds) {
    pending_ = Request{title, validationIds};
    takeRequest();
}

// Every other choice is dropped, so that what was asked for is what is shown; the run that differs
// most on these photos is the one that they were asked for.
void DataPage::takeRequest() {
    if (!pending_ || gallery_ == nullptr || !gallery_->frozen) {
        return;
    }
    requestTitle_ = pending_->title;
    const int before = filter_.run;
    filter_ = {};
    filter_.run = before;
    filter_.requested = std::move(pending_->validationIds);
    pending_.reset();
    std::int64_t most = 0;
    for (std::size_t run = 0; run < gallery_->runs.size(); ++run) {
        const auto& rows = gallery_->runs[run].rows;
        const auto changed = std::count_if(
            filter_.requested->begin(), filter_.requested->end(), [&](std::int64_t row) {
                return row >= 0 && row < static_cast<std::int64_t>(rows.size()) &&
                       !changeText(rows[static_cast<std::size_t>(row)].change).isEmpty();
            });
        if (changed > most) {
            most = changed;
            filter_.run = static_cast<int>(run);
        }
    }
    runs_->setCurrentIndex(filter_.run);
    const QSignalBlocker quiet(search_);
    search_->clear();
    stack_->setCurrentWidget(browser_);
    applyFilter();
    refresh();
}

void DataPage::showAll() {
    const int run = filter_.run;
    filter_ = {};
    filter_.run = run;
    requestTitle_.clear();
    {
        const QSignalBlocker quiet(search_);
        search_->clear();
    }
    applyFilter();
    refresh();
    grid_->setFocus();
}

void DataPage::applyFilter() {
    if (gallery_ == nullptr || !gallery_->frozen) {
        return;
    }
    const bool compared = filter_.run >= 0 && gallery_->hasBaseline &&
                          !gallery_->runs[static_cast<std::size_t>(filter_.run)].isBaseline;
    if (!compared) {
        filter_.of(Facet::Change) = kEvery;
    }
    const int current = currentPhoto();
    result_ = filterPhotos(*gallery_, filter_);
    model_->show(gallery_, result_.shown, filter_.run);
    setCurrentPhoto(current);
    showFacets();
    facet(Facet::Change).setVisible(compared);
    const auto shown = result_.shown.size(), all = gallery_->photos.size();
    shownCount_->setText(shown == all ? tr("all %1 shown").arg(all)
                                      : tr("%1 of %2 shown").arg(shown).arg(all));
    bannerText_->setText(tr("%1 · %2 photos")
                             .arg(requestTitle_)
                             .arg(filter_.requested ? filter_.requested->size() : 0));
    showCaption();
}

void DataPage::showFacets() {
    for (const auto each : kAllFacets) {
        QStringList names;
        for (int value = 0; value < facetValues(*gallery_, each); ++value) {
            names << facetValueName(*gallery_, each, value);
        }
        facet(each).show(names, result_.of(each), result_.every(each), filter_.of(each));
        facet(each).setVisible(filter_.run >= 0 || each == Facet::Split || each == Facet::Class);
    }
    if (filter_.run >= 0) {
        const auto name = plain(gallery_->runs[static_cast<std::size_t>(filter_.run)].run);
        facet(Facet::Prediction).setTitle(tr("Prediction of %1").arg(name));
        facet(Facet::Outcome).setTitle(tr("Outcome of %1").arg(name));
        facet(Facet::Change).setTitle(tr("Decision against baseline"));
    }
}

void DataPage::setTileSize(int height) {
    const double aspect =
        gallery_ != nullptr && gallery_->height > 0
            ? static_cast<double>(gallery_->width) / static_cast<double>(gallery_->height)
            : 0.75;
    const int width = aspect <= 1 ? static_cast<int>(height * aspect) : height;
    delegate_->setPicture({width, aspect <= 1 ? height : static_cast<int>(height / aspect)});
    thumbnails_->setSize(height, devicePixelRatioF());
    const auto current = grid_->currentIndex();
    grid_->doItemsLayout();
    if (current.isValid()) {
        grid_->scrollTo(current);
    }
}

int DataPage::currentPhoto() const {
    return model_->photo(grid_->currentIndex());
}

void DataPage::setCurrentPhoto(int photo) {
    auto at = photo < 0 ? QModelIndex() : model_->indexOf(photo);
    if (!at.isValid()) {
        at = model_->index(0);
    }
    if (at.isValid() && at != grid_->currentIndex()) {
        grid_->setCurrentIndex(at);
    }
}

void DataPage::showCaption() {
    const int photo = currentPhoto();
    if (gallery_ == nullptr || photo < 0) {
        caption_->setText(gallery_ != nullptr && gallery_->frozen
                              ? tr("No photo fits: choose less, or show all.")
                              : QString());
        return;
    }
    const auto text = fullText(*gallery_, filter_.run, static_cast<std::size_t>(photo));
    caption_->setText(text);
    caption_->setToolTip(text.toHtmlEscaped());
}

void DataPage::enlarge() {
    const int photo = currentPhoto();
    if (gallery_ == nullptr || photo < 0) {
        return;
    }
    viewer_->show(gallery_, pixels_, photo, filter_.run,
                  tr("%1 of %2").arg(grid_->currentIndex().row() + 1).arg(model_->rowCount()));
    stack_->setCurrentWidget(viewer_);
    viewer_->setFocus();
}

void DataPage::step(int by) {
    const auto next = model_->index(grid_->currentIndex().row() + by);
    if (next.isValid()) {
        grid_->setCurrentIndex(next);
        enlarge();
    }
}

void DataPage::backToGrid() {
    stack_->setCurrentWidget(gallery_ != nullptr && gallery_->frozen
                                 ? static_cast<QWidget*>(browser_)
                                 : static_cast<QWidget*>(summary_));
    refresh();
    if (stack_->currentWidget() == browser_) {
        grid_->setFocus();
        grid_->scrollTo(grid_->currentIndex());
    }
}

void DataPage::showRejects() {
    rejects_->show(gallery_->rejects);
    stack_->setCurrentWidget(rejects_);
}

}  // namespace receiptbench
