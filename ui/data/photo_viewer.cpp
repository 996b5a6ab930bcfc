#include "ui/data/photo_viewer.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/background.h"
#include "ui/data/photo_text.h"
#include "ui/data/picture_view.h"

namespace receiptbench {
namespace {

constexpr int kFactsWidth = 340, kSideBySide = 760;
constexpr std::int64_t kLongSide = 1600;  // of an original: more than a window shows

struct Original {
    QImage image;
    QString problem;
};

QPushButton* makeButton(const QString& text, const char* name, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setAccessibleName(QString(text).remove(u'&'));
    button->setAutoDefault(false);
    return button;
}

QString plain(const std::string& text) {
    return QString::fromStdString(printable(text));
}

}  // namespace

QImage toQImage(const Image& image) {
    if (image.rgb.empty()) {
        return {};
    }
    return QImage(image.rgb.data(), static_cast<int>(image.width), static_cast<int>(image.height),
                  static_cast<qsizetype>(3 * image.width), QImage::Format_RGB888)
        .copy();
}

PhotoViewer::PhotoViewer(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("photoViewer"));
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Enlarged photo"));
    caption_ = makeTitle({}, this);
    caption_->setObjectName(QStringLiteral("viewerCaption"));
    picture_ = new PictureView(this);
    pictureNote_ = makeText({}, this);
    pictureNote_->setFocusPolicy(Qt::NoFocus);
    pictureNote_->setObjectName(QStringLiteral("viewerNote"));
    auto* left = new QVBoxLayout;
    left->addWidget(picture_, 1);
    left->addWidget(pictureNote_);
    body_ = new QBoxLayout(QBoxLayout::LeftToRight);
    body_->setSpacing(16);
    body_->addLayout(left, 1);
    body_->addWidget(makeFacts());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    layout->addWidget(makeBar());
    layout->addLayout(body_, 1);
}

QWidget* PhotoViewer::makeBar() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    position_ = new QLabel(bar);
    position_->setObjectName(QStringLiteral("viewerPosition"));
    auto* previous = makeButton(tr("‹ &Previous"), "previousPhoto", bar);
    auto* next = makeButton(tr("&Next ›"), "nextPhoto", bar);
    close_ = makeButton(tr("&Back to the grid"), "closeViewer", bar);
    close_->setToolTip(tr("Escape"));
    row->addWidget(caption_, 1);
    for (QWidget* widget : {static_cast<QWidget*>(position_), static_cast<QWidget*>(previous),
                            static_cast<QWidget*>(next), static_cast<QWidget*>(close_)}) {
        row->addWidget(widget);
    }
    connect(previous, &QPushButton::clicked, this, [this] { Q_EMIT stepped(-1); });
    connect(next, &QPushButton::clicked, this, [this] { Q_EMIT stepped(1); });
    connect(close_, &QPushButton::clicked, this, &PhotoViewer::closed);
    return bar;
}

QWidget* PhotoViewer::makeFacts() {
    auto* facts = new QWidget(this);
    facts->setMaximumWidth(kFactsWidth);
    auto* layout = new QVBoxLayout(facts);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(6);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
    const auto add = [&](const QString& name, QLabel*& value) {
        value = makeText({}, facts);
        value->setFocusPolicy(Qt::NoFocus);
        auto* label = new QLabel(name, facts);
        label->setForegroundRole(QPalette::PlaceholderText);
        form->addRow(label, value);
    };
    add(tr("Label"), label_);
    add(tr("Split"), split_);
    add(tr("Identity"), identity_);
    add(tr("File"), file_);
    add(tr("Derivation"), derivation_);
    original_ = new QCheckBox(tr("Show the &original file"), facts);
    original_->setObjectName(QStringLiteral("showOriginal"));
    connect(original_, &QCheckBox::toggled, this, &PhotoViewer::showPicture);
    runs_ = new QTableWidget(0, 4, facts);
    runs_->setObjectName(QStringLiteral("viewerRuns"));
    runs_->setAccessibleName(tr("What each run says"));
    runs_->setHorizontalHeaderLabels({tr("Run"), tr("Says"), tr("Score"), tr("Decision")});
    runs_->verticalHeader()->hide();
    runs_->setShowGrid(false);
    runs_->setAlternatingRowColors(true);
    runs_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    runs_->setSelectionMode(QAbstractItemView::NoSelection);
    runs_->setTabKeyNavigation(false);
    runs_->horizontalHeader()->setHighlightSections(false);
    runs_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    noRuns_ = makeText({}, facts);
    noRuns_->setFocusPolicy(Qt::NoFocus);
    layout->addLayout(form);
    layout->addWidget(original_);
    layout->addWidget(runs_);
    layout->addWidget(noRuns_);
    layout->addStretch(1);
    return facts;
}

const QImage& PhotoViewer::picture() const {
    return picture_->image();
}

bool PhotoViewer::showsOriginal() const {
    return original_->isChecked() && original_->isEnabled();
}

void PhotoViewer::show(std::shared_ptr<const Gallery> gallery,
                       std::shared_ptr<const PhotoPixels> pixels, int photo, int run,
                       const QString& position) {
    gallery_ = std::move(gallery);
    pixels_ = std::move(pixels);
    photo_ = photo;
    run_ = run;
    position_->setText(position);
    const auto& one = gallery_->photos[static_cast<std::size_t>(photo_)];
    original_->setEnabled(hasOriginal(*gallery_, one));
    original_->setToolTip(original_->isEnabled()
                              ? tr("The photo as it was imported, before any derivation")
                              : tr("The program drew this photo: there is no file behind it"));
    showFacts();
    showRuns();
    showPicture();
}

void PhotoViewer::showFacts() {
    const auto place = static_cast<std::size_t>(photo_);
    const auto& one = gallery_->photos[place];
    caption_->setText(captionText(*gallery_, run_, place));
    label_->setText(labelText(*gallery_, one.label));
    split_->setText(
        tr("%1, photo %2").arg(one.validation ? tr("validation") : tr("training")).arg(one.id));
    identity_->setText(plain(one.identity));
    file_->setText(hasOriginal(*gallery_, one) ? fileText(one)
                                               : tr("%1, drawn by the program").arg(fileText(one)));
    derivation_->setText(one.derivation.empty() ? tr("none")
                                                : plain(describeDerivation(one.derivation)));
}

void PhotoViewer::showRuns() {
    const auto place = static_cast<std::size_t>(photo_);
    const auto& one = gallery_->photos[place];
    const bool some = one.validation && !gallery_->runs.empty();
    runs_->setVisible(some);
    noRuns_->setVisible(!some);
    noRuns_->setText(one.validation
                         ? tr("No run has finished yet, so there is no prediction.")
                         : tr("Only validation photos are predicted: a model has seen this one."));
    runs_->setRowCount(some ? static_cast<int>(gallery_->runs.size()) : 0);
    for (int row = 0; row < runs_->rowCount(); ++row) {
        const auto& run = gallery_->runs[static_cast<std::size_t>(row)];
        const auto& prediction = *gallery_->prediction(static_cast<std::size_t>(row), place);
        const auto changed = changeText(prediction.change);
        const auto name = plain(run.run);
        const QStringList cells{run.isBaseline ? tr("%1 (baseline)").arg(name) : name,
                                labelText(*gallery_, prediction.predicted), scoreText(prediction),
                                changed.isEmpty() ? decisionText(prediction) : changed};
        for (int column = 0; column < cells.size(); ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            QFont font = runs_->font();
            font.setBold(row == run_);
            item->setFont(font);
            if (column == 1) {
                item->setIcon(meaningIcon(outcomeOf(one, &prediction)));
            }
            if (column == 3 && !changed.isEmpty()) {
                item->setForeground(meaningColour(Meaning::Bad));
            }
            runs_->setItem(row, column, item);
        }
    }
    fitRuns();
}

void PhotoViewer::fitRuns() {
    runs_->resizeColumnsToContents();
    runs_->horizontalHeader()->setStretchLastSection(true);
    const int rows = fontMetrics().height() + 10;
    runs_->verticalHeader()->setDefaultSectionSize(rows);
    runs_->setFixedHeight(runs_->horizontalHeader()->sizeHint().height() +
                          rows * runs_->rowCount() + 4);
}

void PhotoViewer::showPicture() {
    if (gallery_ == nullptr || photo_ < 0) {
        return;
    }
    const auto& one = gallery_->photos[static_cast<std::size_t>(photo_)];
    const auto asked = ++asked_;
    if (!showsOriginal()) {
        picture_->show(pixels_ == nullptr ? QImage()
                                          : toQImage(pixels_->read(one.validation, one.id)));
        pictureNote_->setText(
            tr("As the model sees it: %1×%2 pixels").arg(gallery_->width).arg(gallery_->height));
        return;
    }
    picture_->say(tr("Reading the original…"));
    pictureNote_->setText(tr("The file as it is on disk now, before any derivation"));
    readInBackground<Original>(
        this,
        [gallery = gallery_, photo = one]() -> Original {
            try {
                return {toQImage(readOriginal(*gallery, photo, kLongSide)), {}};
            } catch (const std::exception& error) {
                return {{}, plain(error.what())};
            }
        },
        [this, asked](const Original& original) {
            if (asked != asked_) {
                return;
            }
            original.problem.isEmpty()
                ? picture_->show(original.image)
                : picture_->say(tr("The original cannot be shown: %1").arg(original.problem));
        });
}

void PhotoViewer::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Escape:
            Q_EMIT closed();
            return;
        case Qt::Key_Left:
        case Qt::Key_Up:
        case Qt::Key_PageUp:
            Q_EMIT stepped(-1);
            return;
        case Qt::Key_Right:
        case Qt::Key_Down:
        case Qt::Key_PageDown:
            Q_EMIT stepped(1);
            return;
        case Qt::Key_O:
            if (original_->isEnabled()) {
                original_->toggle();
            }
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

void PhotoViewer::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool beside = width() >= kSideBySide;
    body_->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    runs_->parentWidget()->setMaximumWidth(beside ? kFactsWidth : QWIDGETSIZE_MAX);
}

void PhotoViewer::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && gallery_ != nullptr && photo_ >= 0) {
        showRuns();  // icons keep the colours that they were made with
    }
}

}  // namespace receiptbench
