#include "ui/window/import_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme.h"
#include "ui/window/window_settings.h"

namespace receiptbench {
namespace {

QPushButton* makeButton(const QString& text, const QString& accessible, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setAccessibleName(accessible);
    button->setAutoDefault(false);
    return button;
}

}  // namespace

ImportDialog::ImportDialog(const QString& source, QWidget* parent)
    : QDialog(parent),
      source_(new QLineEdit(this)),
      folder_(new QLineEdit(this)),
      derive_(new QCheckBox(
          tr("All images are &readable receipts: derive blurred and cut-off ones from them"),
          this)),
      problem_(makeText({}, this)) {
    setWindowTitle(tr("New project"));
    setObjectName(QStringLiteral("importDialog"));
    resize(640, 300);
    build();
    source_->setText(source.isEmpty() ? QString() : QDir(source).absolutePath());
    suggestFolder();
    check();
}

QLayout* ImportDialog::buildForm() {
    source_->setObjectName(QStringLiteral("importSource"));
    source_->setAccessibleName(tr("Images: a folder or a manifest"));
    source_->setPlaceholderText(tr("folder, .csv, .tsv or .jsonl"));
    folder_->setObjectName(QStringLiteral("importFolder"));
    folder_->setAccessibleName(tr("Folder of the new project"));
    derive_->setObjectName(QStringLiteral("importDerive"));
    problem_->setFocusPolicy(Qt::NoFocus);
    auto* manifest = makeButton(tr("&Manifest…"), tr("Choose a manifest"), this);
    auto* images = makeButton(tr("&Folder…"), tr("Choose a folder of images"), this);
    auto* target = makeButton(tr("&Choose…"), tr("Choose the project folder"), this);
    auto* sourceRow = new QHBoxLayout;
    sourceRow->addWidget(source_, 1);
    sourceRow->addWidget(images);
    sourceRow->addWidget(manifest);
    auto* folderRow = new QHBoxLayout;
    folderRow->addWidget(folder_, 1);
    folderRow->addWidget(target);
    auto* form = new QFormLayout;
    const auto addRow = [&](const QString& text, QLineEdit* field, QLayout* row) {
        auto* label = new QLabel(text, this);
        label->setBuddy(field);
        form->addRow(label, row);
    };
    addRow(tr("&Images"), source_, sourceRow);
    addRow(tr("&Project folder"), folder_, folderRow);
    form->addRow(QString(), derive_);
    connect(manifest, &QPushButton::clicked, this, &ImportDialog::chooseFile);
    connect(images, &QPushButton::clicked, this, [this] { chooseFolder(source_); });
    connect(target, &QPushButton::clicked, this, [this] { chooseFolder(folder_); });
    return form;
}

void ImportDialog::build() {
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    import_ = buttons->addButton(tr("I&mport"), QDialogButtonBox::AcceptRole);
    import_->setObjectName(QStringLiteral("importStart"));
    import_->setDefault(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 18, 18, 18);
    layout->setSpacing(12);
    layout->addWidget(makeText(
        tr("The images are read and checked; what cannot be used is listed with its reason. "
           "Nothing is written beside them."),
        this));
    layout->addLayout(buildForm());
    layout->addWidget(problem_);
    layout->addStretch(1);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(source_, &QLineEdit::textChanged, this, [this] {
        suggestFolder();
        check();
    });
    connect(folder_, &QLineEdit::textChanged, this, &ImportDialog::check);
}

// Follows the source until the user names a folder.
void ImportDialog::suggestFolder() {
    if (folder_->text() == suggested_) {
        suggested_ =
            WindowSettings::freshProjectFolder(QFileInfo(source_->text()).completeBaseName());
        folder_->setText(suggested_);
    }
}

void ImportDialog::check() {
    const QFileInfo source(source_->text());
    const QFileInfo folder(folder_->text());
    QString problem;
    if (source_->text().isEmpty()) {
        problem = tr("Name a folder of images or a manifest.");
    } else if (!source.exists()) {
        problem = tr("%1 does not exist.").arg(source_->text());
    } else if (folder_->text().isEmpty()) {
        problem = tr("Name a new folder for the project.");
    } else if (folder.exists() && (!folder.isDir() || !QDir(folder.filePath()).isEmpty())) {
        problem = tr("The project folder must be new or empty.");
    }
    problem_->setText(problem);
    import_->setEnabled(problem.isEmpty());
}

void ImportDialog::chooseFile() {
    const auto file =
        QFileDialog::getOpenFileName(this, tr("Manifest"), source_->text(),
                                     tr("Manifests (*.csv *.tsv *.jsonl);;All files (*)"));
    if (!file.isEmpty()) {
        source_->setText(file);
    }
}

void ImportDialog::chooseFolder(QLineEdit* into) {
    const auto folder = QFileDialog::getExistingDirectory(this, tr("Folder"), into->text());
    if (!folder.isEmpty()) {
        into->setText(folder);
    }
}

QString ImportDialog::folder() const {
    return QDir(folder_->text()).absolutePath();
}

ImportOptions ImportDialog::options() const {
    ImportOptions options;
    options.source = source_->text().toStdString();
    if (derive_->isChecked()) {
        options.impliedLabel = "readable";
        options.declaredLabels = {"readable"};
    }
    return options;
}

}  // namespace receiptbench
