// The frozen photos as a grid with facets, what each run says of them, and before freezing what was
// imported.
#pragma once

#include <QWidget>

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "ui/data/photo_filter.h"
#include "ui/session.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QListView;
class QPushButton;
class QSlider;
class QStackedWidget;
class QTimer;

namespace receiptbench {

class FacetList;
class ImportSummary;
class PhotoDelegate;
class PhotoModel;
class PhotoViewer;
class RejectsView;
class StatePane;
class ThumbnailLoader;

class DataPage : public QWidget {
    Q_OBJECT

 public:
    DataPage(Session& session, QWidget* parent);

    const Gallery* gallery() const { return gallery_.get(); }
    const PhotoFilter& filter() const { return filter_; }
    const FilterResult& result() const { return result_; }
    FacetList& facet(Facet facet) { return *facets_[static_cast<std::size_t>(facet)]; }
    bool loading() const { return loading_; }

 public Q_SLOTS:
    void verify();
    void importImages();
    void showAll();  // drops every choice

 protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

 private:
    static constexpr int kTileStep = 16;  // pixels of height for each step of the size slider
    enum class Verified { NotYet, Running, Yes, No };
    struct Loaded {
        std::shared_ptr<const Gallery> gallery;
        std::shared_ptr<const PhotoPixels> pixels;
        QString error, remedy;
    };

    void build();  // data_layout.cpp, as are the next
    QWidget* makeHead();
    QWidget* makeBanner();
    QWidget* makeBrowser();
    QWidget* makeFacets();
    QWidget* makeTools();
    void makeGrid();
    void connectSession();

    void projectChanged();
    void runsChanged();
    void jobChanged();
    void load();
    void loaded(const Loaded& facts);
    void refresh();  // which part is shown
    void sayJob();
    void sayNothingImported();
    void showHead();
    void showSplitLine();

    void chooseRun(int run);
    void fillRuns(const QString& wanted);
    void choose(Facet facet, int value);
    void photosRequested(const QString& title, const std::vector<std::int64_t>& validationIds);
    void takeRequest();
    void applyFilter();
    void showFacets();
    void setTileSize(int height);

    int currentPhoto() const;  // -1: none
    void setCurrentPhoto(int photo);
    void showCaption();
    void enlarge();
    void step(int by);
    void backToGrid();
    void showRejects();
    QString runKey() const;

    Session& session_;
    std::shared_ptr<const Gallery> gallery_;
    std::shared_ptr<const PhotoPixels> pixels_;
    QString error_, remedy_;
    bool loading_ = false, stale_ = true, wasBusy_ = false;
    std::int64_t asked_ = 0;  // loads, to drop those of another project
    QString loadedRuns_;
    Verified verified_ = Verified::NotYet;
    QString verifiedText_;
    PhotoFilter filter_;
    FilterResult result_;
    struct Request {
        QString title;
        std::vector<std::int64_t> validationIds;
    };
    std::optional<Request> pending_;  // until the gallery is there
    QString requestTitle_;

    ThumbnailLoader* thumbnails_ = nullptr;
    PhotoModel* model_ = nullptr;
    PhotoDelegate* delegate_ = nullptr;
    std::array<FacetList*, kFacets> facets_{};
    QStackedWidget* stack_ = nullptr;
    StatePane* state_ = nullptr;
    ImportSummary* summary_ = nullptr;
    QWidget *browser_ = nullptr, *head_ = nullptr, *banner_ = nullptr, *runRow_ = nullptr;
    PhotoViewer* viewer_ = nullptr;
    RejectsView* rejects_ = nullptr;
    QListView* grid_ = nullptr;
    QLabel *figures_ = nullptr, *splitIcon_ = nullptr, *splitLine_ = nullptr, *problems_ = nullptr,
           *bannerText_ = nullptr, *caption_ = nullptr, *shownCount_ = nullptr;
    QPushButton *verifyButton_ = nullptr, *rejectsButton_ = nullptr, *clear_ = nullptr;
    QLineEdit* search_ = nullptr;
    QComboBox* runs_ = nullptr;
    QSlider* size_ = nullptr;
    QTimer* searchPause_ = nullptr;
};

}  // namespace receiptbench
