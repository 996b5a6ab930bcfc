// What the Report page is made of.
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>

#include "ui/primary_button.h"
#include "ui/report/report_page.h"
#include "ui/report/report_preview.h"
#include "ui/state_pane.h"

namespace receiptbench {
namespace {

constexpr int kSideWidth = 264, kThumbnailWidth = 96, kThumbnailHeight = 136,
              kRoomForThumbnails = 800;

QToolButton* makeTool(const QString& words, const QString& name, const QString& hint,
                      QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(words);
    button->setAccessibleName(name);
    button->setToolTip(hint);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setMinimumSize(30, 28);
    return button;
}

QLabel* makeHeading(const QString& words, QWidget* buddy, QWidget* parent) {
    auto* label = new QLabel(words, parent);
    auto font = label->font();
    font.setBold(true);
    label->setFont(font);
    label->setBuddy(buddy);
    return label;
}

// With an edge: the page is as white as the list.
QIcon thumbnailOf(const QImage& page, const QSize& size) {
    auto small = page.scaled(size, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    QPainter painter(&small);
    painter.setPen(QColor(0xb0, 0xb7, 0xbf));
    painter.drawRect(small.rect().adjusted(0, 0, -1, -1));
    painter.end();
    return QIcon(QPixmap::fromImage(small));
}

}  // namespace

void ReportPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    thumbnails_->setVisible(width() >= kRoomForThumbnails);
}

void ReportPage::build() {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(12);
    auto* title = makeTitle(tr("Report"), this);
    title->setWordWrap(false);
    stack_ = new QStackedWidget(this);
    state_ = new StatePane(stack_);
    content_ = new QWidget(stack_);
    auto* columns = new QHBoxLayout(content_);
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(16);
    columns->addWidget(makeSide());
    columns->addWidget(makePreviewSide(), 1);
    stack_->addWidget(state_);
    stack_->addWidget(content_);
    layout->addWidget(title);
    layout->addWidget(stack_, 1);
}

QWidget* ReportPage::makeSide() {
    auto* side = new QWidget(content_);
    side->setFixedWidth(kSideWidth);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(14);
    column->addWidget(makeParts(), 1);
    column->addWidget(makeExport());
    return side;
}

QWidget* ReportPage::makeParts() {
    auto* box = new QWidget(content_);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    parts_ = new QListWidget(box);
    parts_->setObjectName(QStringLiteral("reportParts"));
    parts_->setAccessibleName(tr("Parts of the report"));
    parts_->setSpacing(2);
    parts_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (const auto& [name, title] : pdfSections()) {
        auto* item = new QListWidgetItem(title, parts_);
        item->setData(Qt::UserRole, QString::fromStdString(name));
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(Qt::Checked);
    }
    auto* all = makeTool(tr("All"), tr("Tick all parts"), tr("Tick all parts"), box);
    auto* none = makeTool(tr("None"), tr("Untick all parts"), tr("Untick all parts"), box);
    auto* head = new QHBoxLayout;
    head->addWidget(makeHeading(tr("&Parts"), parts_, box), 1);
    head->addWidget(all);
    head->addWidget(none);
    format_ = new QComboBox(box);
    format_->setObjectName(QStringLiteral("pageFormat"));
    format_->setAccessibleName(tr("Page size"));
    format_->addItem(tr("A4"), static_cast<int>(PageFormat::A4));
    format_->addItem(tr("US Letter"), static_cast<int>(PageFormat::Letter));
    auto* page = new QHBoxLayout;
    auto* label = new QLabel(tr("Page si&ze"), box);
    label->setBuddy(format_);
    page->addWidget(label);
    page->addWidget(format_, 1);
    column->addLayout(head);
    column->addWidget(parts_, 1);
    column->addLayout(page);
    connect(parts_, &QListWidget::itemChanged, this, &ReportPage::startLayout);
    connect(format_, &QComboBox::currentIndexChanged, this, &ReportPage::startLayout);
    connect(all, &QToolButton::clicked, this, [this] { tickAll(true); });
    connect(none, &QToolButton::clicked, this, [this] { tickAll(false); });
    return box;
}

QWidget* ReportPage::makeExport() {
    auto* box = new QWidget(content_);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    path_ = new QLineEdit(box);
    path_->setObjectName(QStringLiteral("exportPath"));
    path_->setAccessibleName(tr("The PDF's path"));
    auto* choose =
        makeTool(tr("…"), tr("Choose the PDF's path"), tr("Choose another place or name"), box);
    auto* place = new QHBoxLayout;
    place->addWidget(path_, 1);
    place->addWidget(choose);
    export_ = new PrimaryButton(tr("Export PDF"), box);
    export_->setObjectName(QStringLiteral("exportButton"));
    export_->setAccessibleName(tr("Export PDF"));
    export_->setShortcut(Qt::CTRL | Qt::Key_E);
    export_->setMinimumHeight(34);
    text_ = new QPushButton(tr("Write &JSON and Markdown"), box);
    text_->setObjectName(QStringLiteral("exportTextButton"));
    text_->setAccessibleName(tr("Write JSON and Markdown"));
    folder_ = new QPushButton(tr("Sho&w in folder"), box);
    folder_->setObjectName(QStringLiteral("showFolderButton"));
    folder_->setAccessibleName(tr("Show in folder"));
    progress_ = new QProgressBar(box);
    progress_->setAccessibleName(tr("Progress"));
    progress_->setMaximumHeight(10);
    progress_->setTextVisible(false);
    messageIcon_ = new QLabel(box);
    message_ = makeText({}, box);
    message_->setObjectName(QStringLiteral("reportMessage"));
    message_->setAccessibleName(tr("Result of the export"));
    auto* said = new QHBoxLayout;
    said->addWidget(messageIcon_, 0, Qt::AlignTop);
    said->addWidget(message_, 1);
    column->addWidget(makeHeading(tr("&File"), path_, box));
    column->addLayout(place);
    for (QWidget* widget : {static_cast<QWidget*>(export_), static_cast<QWidget*>(text_),
                            static_cast<QWidget*>(folder_), static_cast<QWidget*>(progress_)}) {
        column->addWidget(widget);
    }
    column->addLayout(said);
    connect(path_, &QLineEdit::textChanged, this, &ReportPage::updateButtons);
    connect(export_, &QPushButton::clicked, this, &ReportPage::exportPdf);
    connect(text_, &QPushButton::clicked, this, &ReportPage::exportText);
    connect(folder_, &QPushButton::clicked, this, &ReportPage::showInFolder);
    connect(choose, &QToolButton::clicked, this, [this] {
        const auto chosen =
            QFileDialog::getSaveFileName(this, tr("Export PDF"), exportPath(), tr("PDF (*.pdf)"),
                                         nullptr, QFileDialog::DontConfirmOverwrite);
        if (!chosen.isEmpty()) {
            setExportPath(chosen);
        }
    });
    return box;
}

QWidget* ReportPage::makePreviewSide() {
    auto* box = new QWidget(content_);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    preview_ = new ReportPreview(box);
    thumbnails_ = new QListWidget(box);
    thumbnails_->setObjectName(QStringLiteral("pageList"));
    thumbnails_->setAccessibleName(tr("Pages"));
    thumbnails_->setViewMode(QListView::IconMode);
    thumbnails_->setFlow(QListView::TopToBottom);
    thumbnails_->setWrapping(false);
    thumbnails_->setMovement(QListView::Static);
    thumbnails_->setUniformItemSizes(true);
    thumbnails_->setSpacing(4);
    thumbnails_->setIconSize({kThumbnailWidth, kThumbnailHeight});
    thumbnails_->setFixedWidth(kThumbnailWidth + 52);
    thumbnails_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(thumbnails_);
    row->addWidget(preview_, 1);
    column->addWidget(makeZoomRow());
    column->addLayout(row, 1);
    connect(thumbnails_, &QListWidget::currentRowChanged, this, [this](int page) {
        if (page >= 0 && page != preview_->currentPage()) {
            preview_->goTo(page);
        }
    });
    connect(preview_, &ReportPreview::painted, this, [this](int page, const QImage& image) {
        if (auto* item = thumbnails_->item(page)) {
            item->setIcon(thumbnailOf(image, thumbnails_->iconSize() * devicePixelRatioF()));
        }
    });
    return box;
}

QWidget* ReportPage::makeZoomRow() {
    auto* bar = new QWidget(content_);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    pageLabel_ = new QLabel(bar);
    zoomLabel_ = new QLabel(bar);
    zoomLabel_->setMinimumWidth(48);
    zoomLabel_->setAlignment(Qt::AlignCenter);
    auto* out =
        makeTool(tr("−"), tr("Zoom out"), tr("Smaller (Ctrl+−, or Ctrl and the wheel)"), bar);
    auto* in = makeTool(tr("+"), tr("Zoom in"), tr("Larger (Ctrl++, or Ctrl and the wheel)"), bar);
    auto* actual =
        makeTool(tr("100 %"), tr("Actual size"), tr("As large as on paper (Ctrl+0)"), bar);
    auto* fit = makeTool(tr("Fit width"), tr("Fit the page's width"),
                         tr("The page as wide as the view (Ctrl+9)"), bar);
    actual->setShortcut(Qt::CTRL | Qt::Key_0);
    fit->setShortcut(Qt::CTRL | Qt::Key_9);
    row->addWidget(pageLabel_);
    row->addStretch();
    for (QWidget* widget :
         {static_cast<QWidget*>(out), static_cast<QWidget*>(zoomLabel_), static_cast<QWidget*>(in),
          static_cast<QWidget*>(actual), static_cast<QWidget*>(fit)}) {
        row->addWidget(widget);
    }
    connect(out, &QToolButton::clicked, this, [this] { preview_->zoomBy(-1); });
    connect(in, &QToolButton::clicked, this, [this] { preview_->zoomBy(1); });
    connect(actual, &QToolButton::clicked, this, [this] { preview_->setZoom(1); });
    connect(fit, &QToolButton::clicked, this, [this] { preview_->setFitWidth(); });
    auto* larger = new QShortcut(QKeySequence::ZoomIn, this);
    auto* smaller = new QShortcut(QKeySequence::ZoomOut, this);
    connect(larger, &QShortcut::activated, in, &QToolButton::click);
    connect(smaller, &QShortcut::activated, out, &QToolButton::click);
    connect(preview_, &ReportPreview::zoomChanged, this,
            [this] { zoomLabel_->setText(tr("%1 %").arg(std::lround(100 * preview_->zoom()))); });
    connect(preview_, &ReportPreview::currentPageChanged, this, [this](int page) {
        pageLabel_->setText(
            page < 0 ? QString() : tr("Page %1 of %2").arg(page + 1).arg(preview_->pageCount()));
        const QSignalBlocker quiet(thumbnails_);
        thumbnails_->setCurrentRow(page);
    });
    return bar;
}

}  // namespace receiptbench
