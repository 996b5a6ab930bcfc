// What the Data page is made of.
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSlider>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

#include "ui/data/data_page.h"
#include "ui/data/facet_list.h"
#include "ui/data/import_summary.h"
#include "ui/data/photo_delegate.h"
#include "ui/data/photo_model.h"
#include "ui/data/photo_viewer.h"
#include "ui/data/rejects_view.h"
#include "ui/data/thumbnail_loader.h"
#include "ui/state_pane.h"

namespace receiptbench {
namespace {

constexpr int kFacetsWidth = 196, kSearchPause = 120;  // milliseconds after the last key
constexpr int kSmallest = 80, kUsual = 144, kLargest = 320;

QPushButton* makeButton(const QString& text, const char* name, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setAccessibleName(QString(text).remove(u'&'));
    button->setAutoDefault(false);
    return button;
}

QLabel* makeQuiet(QWidget* parent, const char* name) {
    auto* label = makeText({}, parent);
    label->setFocusPolicy(Qt::NoFocus);
    label->setObjectName(QString::fromLatin1(name));
    return label;
}

}  // namespace

void DataPage::build() {
    thumbnails_ = new ThumbnailLoader(this);
    model_ = new PhotoModel(*thumbnails_, this);
    stack_ = new QStackedWidget(this);
    state_ = new StatePane(stack_);
    summary_ = new ImportSummary(stack_);
    viewer_ = new PhotoViewer(stack_);
    rejects_ = new RejectsView(stack_);
    browser_ = makeBrowser();
    for (QWidget* part : {static_cast<QWidget*>(state_), static_cast<QWidget*>(summary_), browser_,
                          static_cast<QWidget*>(viewer_), static_cast<QWidget*>(rejects_)}) {
        stack_->addWidget(part);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(12);
    layout->addWidget(makeHead());
    layout->addWidget(makeBanner());
    layout->addWidget(stack_, 1);
    connect(summary_, &ImportSummary::freezeWanted, this,
            [this] { session_.requestMode(Mode::Configure); });
    connect(summary_, &ImportSummary::rejectsWanted, this, &DataPage::showRejects);
    connect(viewer_, &PhotoViewer::closed, this, &DataPage::backToGrid);
    connect(viewer_, &PhotoViewer::stepped, this, &DataPage::step);
    connect(rejects_, &RejectsView::closed, this, &DataPage::backToGrid);
}

QWidget* DataPage::makeHead() {
    head_ = new QWidget(this);
    auto* title = makeTitle(tr("Data"), head_);
    title->setWordWrap(false);
    figures_ = makeQuiet(head_, "dataFigures");
    rejectsButton_ = makeButton(tr("&Rejected files"), "showRejects", head_);
    verifyButton_ = makeButton(tr("Verif&y"), "verifyButton", head_);
    verifyButton_->setToolTip(tr("Hashes every frozen pixel again and compares with the contract"));
    splitIcon_ = new QLabel(head_);
    splitLine_ = makeQuiet(head_, "splitLine");
    problems_ = makeQuiet(head_, "dataProblems");
    auto* first = new QHBoxLayout;
    first->setSpacing(16);
    first->addWidget(title);
    first->addWidget(figures_, 1);
    first->addWidget(rejectsButton_);
    first->addWidget(verifyButton_);
    auto* second = new QHBoxLayout;
    second->setSpacing(8);
    second->addWidget(splitIcon_);
    second->addWidget(splitLine_, 1);
    auto* column = new QVBoxLayout(head_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addLayout(first);
    column->addLayout(second);
    column->addWidget(problems_);
    connect(verifyButton_, &QPushButton::clicked, this, &DataPage::verify);
    connect(rejectsButton_, &QPushButton::clicked, this, &DataPage::showRejects);
    return head_;
}

// What another page asked to see; one button takes it away again.
QWidget* DataPage::makeBanner() {
    auto* frame = new QFrame(this);
    frame->setFrameShape(QFrame::StyledPanel);
    frame->setAutoFillBackground(true);
    frame->setBackgroundRole(QPalette::AlternateBase);
    banner_ = frame;
    bannerText_ = makeQuiet(banner_, "bannerText");
    auto* dismiss = makeButton(tr("Show &all photos"), "dismissRequest", banner_);
    auto* row = new QHBoxLayout(banner_);
    row->setContentsMargins(12, 6, 8, 6);
    row->addWidget(bannerText_, 1);
    row->addWidget(dismiss);
    connect(dismiss, &QPushButton::clicked, this, &DataPage::showAll);
    banner_->hide();
    return banner_;
}

QWidget* DataPage::makeBrowser() {
    auto* browser = new QWidget(stack_);
    makeGrid();
    caption_ = makeQuiet(browser, "gridCaption");
    caption_->setWordWrap(false);
    caption_->setMinimumWidth(1);  // gives way instead of widening the page
    shownCount_ = makeQuiet(browser, "shownCount");
    shownCount_->setWordWrap(false);
    auto* foot = new QHBoxLayout;
    foot->setSpacing(16);
    foot->addWidget(caption_, 1);
    foot->addWidget(shownCount_);
    auto* right = new QVBoxLayout;
    right->setSpacing(10);
    right->addWidget(makeTools());
    right->addWidget(grid_, 1);
    right->addLayout(foot);
    auto* row = new QHBoxLayout(browser);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(16);
    row->addWidget(makeFacets());
    row->addLayout(right, 1);
    return browser;
}

QWidget* DataPage::makeFacets() {
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 8, 0);
    column->setSpacing(14);
    const std::array titles{tr("Split"), tr("Class"), tr("Prediction"), tr("Outcome"),
                            tr("Decision")};
    for (std::size_t i = 0; i < kFacets; ++i) {
        facets_[i] = new FacetList(titles[i], content);
        facets_[i]->setObjectName(QStringLiteral("facet%1").arg(i));
        column->addWidget(facets_[i]);
        connect(facets_[i], &FacetList::chosen, this,
                [this, facet = kAllFacets[i]](int value) { choose(facet, value); });
    }
    column->addStretch(1);
    auto* area = new QScrollArea(stack_);
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFixedWidth(kFacetsWidth);
    area->setFocusPolicy(Qt::NoFocus);
    area->viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    return area;
}

QWidget* DataPage::makeTools() {
    auto* tools = new QWidget(stack_);
    search_ = new QLineEdit(tools);
    search_->setObjectName(QStringLiteral("identitySearch"));
    search_->setPlaceholderText(tr("Search identity or file"));
    search_->setAccessibleName(tr("Search identity or file"));
    search_->setClearButtonEnabled(true);
    searchPause_ = new QTimer(this);
    searchPause_->setSingleShot(true);
    searchPause_->setInterval(kSearchPause);
    runRow_ = new QWidget(tools);
    runs_ = new QComboBox(runRow_);
    runs_->setObjectName(QStringLiteral("dataRunBox"));
    runs_->setAccessibleName(tr("Predictions of run"));
    runs_->setMinimumContentsLength(10);
    auto* runLabel = new QLabel(tr("Predictions &of"), runRow_);
    runLabel->setBuddy(runs_);
    auto* runLayout = new QHBoxLayout(runRow_);
    runLayout->setContentsMargins(0, 0, 0, 0);
    runLayout->addWidget(runLabel);
    runLayout->addWidget(runs_);
    size_ = new QSlider(Qt::Horizontal, tools);
    size_->setObjectName(QStringLiteral("tileSize"));
    size_->setAccessibleName(tr("Size of the photos"));
    size_->setToolTip(tr("Size of the photos"));
    size_->setRange(kSmallest / kTileStep, kLargest / kTileStep);
    size_->setPageStep(3);
    size_->setFixedWidth(110);
    auto* row = new QHBoxLayout(tools);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(14);
    row->addWidget(search_, 1);
    row->addWidget(runRow_);
    row->addWidget(size_);
    connect(search_, &QLineEdit::textChanged, searchPause_, qOverload<>(&QTimer::start));
    connect(searchPause_, &QTimer::timeout, this, [this] {
        filter_.text = search_->text().trimmed();
        applyFilter();
    });
    connect(runs_, &QComboBox::activated, this, &DataPage::chooseRun);
    connect(size_, &QSlider::valueChanged, this,
            [this](int step) { setTileSize(step * kTileStep); });
    auto* find = new QShortcut(QKeySequence::Find, this);
    find->setContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, search_, [this] {
        search_->setFocus();
        search_->selectAll();
    });
    size_->setValue(kUsual / kTileStep);
    return tools;
}

void DataPage::makeGrid() {
    grid_ = new QListView(stack_);
    delegate_ = new PhotoDelegate(grid_);
    grid_->setObjectName(QStringLiteral("photoGrid"));
    grid_->setAccessibleName(tr("Photos"));
    grid_->setModel(model_);
    grid_->setItemDelegate(delegate_);
    grid_->setViewMode(QListView::IconMode);
    grid_->setUniformItemSizes(true);
    grid_->setResizeMode(QListView::Adjust);
    grid_->setMovement(QListView::Static);
    grid_->setSpacing(4);
    grid_->setMouseTracking(true);
    grid_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    grid_->setSelectionMode(QAbstractItemView::SingleSelection);
    grid_->setFrameShape(QFrame::StyledPanel);
    connect(thumbnails_, &ThumbnailLoader::arrived, grid_->viewport(),
            qOverload<>(&QWidget::update));
    connect(grid_, &QListView::activated, this, &DataPage::enlarge);
    connect(grid_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &DataPage::showCaption);
}

}  // namespace receiptbench
