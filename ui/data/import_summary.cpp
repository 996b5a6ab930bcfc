#include "ui/data/import_summary.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStringList>
#include <QTableWidget>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/primary_button.h"
#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr int kWidth = 620, kMostRows = 12;

QString plain(const std::string& text) {
    return QString::fromStdString(printable(text));
}

QTableWidget* makeClasses(QWidget* parent) {
    auto* table = new QTableWidget(0, 3, parent);
    table->setObjectName(QStringLiteral("importedClasses"));
    table->setAccessibleName(ImportSummary::tr("Imported classes"));
    table->setHorizontalHeaderLabels(
        {ImportSummary::tr("Class"), ImportSummary::tr("Photos"), ImportSummary::tr("Identities")});
    table->verticalHeader()->hide();
    table->setShowGrid(false);
    table->setAlternatingRowColors(true);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setTabKeyNavigation(false);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 12);
    return table;
}

}  // namespace

ImportSummary::ImportSummary(QWidget* parent)
    : QWidget(parent),
      title_(makeTitle({}, this)),
      text_(makeText({}, this)),
      warnings_(makeText({}, this)),
      classes_(makeClasses(this)),
      rejects_(new QPushButton(this)),
      freeze_(new PrimaryButton(tr("Free&ze in Configure"), this)) {
    setMaximumWidth(kWidth);
    text_->setFocusPolicy(Qt::NoFocus);
    warnings_->setObjectName(QStringLiteral("importWarnings"));
    warnings_->setAccessibleName(tr("Warnings of the import"));
    rejects_->setObjectName(QStringLiteral("importRejects"));
    rejects_->setAccessibleName(tr("Rejected files"));
    freeze_->setObjectName(QStringLiteral("goFreeze"));
    freeze_->setAccessibleName(tr("Freeze in Configure"));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(12);
    buttons->addWidget(freeze_);
    buttons->addWidget(rejects_);
    buttons->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(14);
    layout->addWidget(title_);
    layout->addWidget(text_);
    layout->addWidget(classes_);
    layout->addWidget(warnings_);
    layout->addLayout(buttons);
    layout->addStretch(1);
    connect(freeze_, &QPushButton::clicked, this, &ImportSummary::freezeWanted);
    connect(rejects_, &QPushButton::clicked, this, &ImportSummary::rejectsWanted);
}

void ImportSummary::show(const Gallery& gallery) {
    std::int64_t photos = 0;
    classes_->setRowCount(static_cast<int>(gallery.classes.size()));
    for (int row = 0; row < classes_->rowCount(); ++row) {
        const auto& one = gallery.classes[static_cast<std::size_t>(row)];
        photos += one.photos;
        const QStringList cells{plain(one.label), QString::number(one.photos),
                                QString::number(one.identities)};
        for (int column = 0; column < cells.size(); ++column) {
            classes_->setItem(row, column, new QTableWidgetItem(cells[column]));
        }
    }
    const int rows = std::clamp(classes_->rowCount(), 1, kMostRows);
    classes_->setFixedHeight(classes_->horizontalHeader()->sizeHint().height() +
                             rows * classes_->verticalHeader()->defaultSectionSize() + 4);
    title_->setText(tr("%1 photos imported, not frozen yet").arg(photos));
    text_->setText(
        gallery.readableOnly
            ? tr("From %1. Freezing splits them by identity into training and validation, derives "
                 "a blurred and a cut-off photo from each, and fixes the experiment's contract.")
                  .arg(plain(gallery.imageRoot))
            : tr("From %1. Freezing splits them by identity into training and validation, and "
                 "fixes the experiment's contract.")
                  .arg(plain(gallery.imageRoot)));
    QStringList warnings;
    for (const auto& warning : gallery.warnings) {
        warnings << tr("Warning: %1").arg(plain(warning));
    }
    warnings_->setText(warnings.join(u'\n'));
    warnings_->setVisible(!warnings.isEmpty());
    rejects_->setText(tr("&Rejected files (%1)").arg(gallery.rejects.size()));
    rejects_->setAccessibleName(tr("Rejected files, %1").arg(gallery.rejects.size()));
    rejects_->setVisible(!gallery.rejects.empty());
}

}  // namespace receiptbench
