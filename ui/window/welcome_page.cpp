#include "ui/window/welcome_page.h"

#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMimeData>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/pages.h"
#include "ui/theme.h"
#include "ui/window/computer_card.h"
#include "ui/window/import_dialog.h"
#include "ui/primary_button.h"
#include "ui/window/window_settings.h"

namespace receiptbench {
namespace {

constexpr QSize kButton(136, 34);
constexpr int kWidest = 1040;  // lines of text longer than that are hard to read

QString droppedPath(const QMimeData* data) {
    const auto urls = data->urls();
    return urls.size() == 1 && urls.first().isLocalFile() ? urls.first().toLocalFile() : QString();
}

QLabel* note(const QString& text, QWidget* parent) {
    auto* label = makeText(text, parent);
    label->setTextInteractionFlags(Qt::NoTextInteraction);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

QVBoxLayout* cardLayout(QFrame* card) {
    styleCard(card);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(18, 16, 18, 16);
    layout->setSpacing(10);
    return layout;
}

QPushButton* makeButton(const QString& text, const char* name, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setAccessibleName(QString(text).remove(QLatin1Char('&')));
    button->setMinimumSize(kButton);
    return button;
}

int rowHeight(const QFontMetrics& metrics) {
    return 2 * metrics.height() + 18;
}

// A project's name, and its folder below.
class ProjectDelegate : public QStyledItemDelegate {
 public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {option.rect.width(), rowHeight(option.fontMetrics)};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool marked = option.state & (QStyle::State_Selected | QStyle::State_MouseOver);
        const QColor accent = option.palette.color(QPalette::Link);
        if (marked) {
            QColor ground = accent;
            ground.setAlphaF(option.state & QStyle::State_Selected ? 0.16F : 0.07F);
            painter->setPen(option.state & QStyle::State_HasFocus ? QPen(accent, 1.5)
                                                                  : QPen(Qt::NoPen));
            painter->setBrush(ground);
            painter->drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -1), 6, 6);
        }
        const QString folder = index.data(Qt::UserRole).toString();
        const QRect field = option.rect.adjusted(10, 8, -10, -8);
        QFont bold = option.font;
        bold.setBold(true);
        painter->setFont(bold);
        painter->setPen(option.palette.color(QPalette::Text));
        painter->drawText(field, Qt::AlignLeft | Qt::AlignTop, QDir(folder).dirName());
        painter->setFont(option.font);
        painter->setPen(option.palette.color(QPalette::PlaceholderText));
        painter->drawText(field, Qt::AlignLeft | Qt::AlignBottom,
                          option.fontMetrics.elidedText(folder, Qt::ElideMiddle, field.width()));
        painter->restore();
    }
};

}  // namespace

DropArea::DropArea(QWidget* parent) : QFrame(parent) {
    setAcceptDrops(true);
    setObjectName(QStringLiteral("dropArea"));
}

void DropArea::dragEnterEvent(QDragEnterEvent* event) {
    if (!droppedPath(event->mimeData()).isEmpty()) {
        over_ = true;
        update();
        event->acceptProposedAction();
    }
}

void DropArea::dragLeaveEvent(QDragLeaveEvent*) {
    over_ = false;
    update();
}

void DropArea::dropEvent(QDropEvent* event) {
    over_ = false;
    update();
    event->acceptProposedAction();
    Q_EMIT dropped(droppedPath(event->mimeData()));
}

void DropArea::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor accent = palette().color(QPalette::Link);
    QColor ground = accent;
    ground.setAlphaF(over_ ? 0.14F : 0.04F);
    painter.setPen(QPen(over_ ? accent : palette().color(QPalette::PlaceholderText),
                        over_ ? 2 : 1.2, Qt::DashLine));
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);
}

WelcomePage::WelcomePage(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(buildContent());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(area);
    connect(&session, &Session::projectChanged, this, &WelcomePage::refreshRecent);
    connect(&session, &Session::jobChanged, this, &WelcomePage::refreshState);
    refreshRecent();
    refreshState();
}

QWidget* WelcomePage::buildContent() {
    auto* inside = new QWidget;
    auto* left = new QVBoxLayout;
    left->setSpacing(16);
    left->addWidget(buildExample());
    left->addWidget(buildImages());
    left->addWidget(buildRecent());
    left->addStretch(1);
    auto* right = new QVBoxLayout;
    right->addWidget(new ComputerCard(inside));
    right->addStretch(1);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(16);
    columns->addLayout(left, 3);
    columns->addLayout(right, 2);
    auto* content = new QVBoxLayout;
    content->setSpacing(14);
    content->addWidget(makeTitle(
        tr("Train within a memory budget, and prove that the result is preserved"), inside));
    content->addWidget(
        note(tr("Everything stays on this computer: no account, no server, no network."), inside));
    content->addWidget(buildState());
    content->addLayout(columns, 1);
    auto* centred = new QWidget(inside);
    centred->setLayout(content);
    centred->setMaximumWidth(kWidest);
    auto* outer = new QHBoxLayout(inside);
    outer->setContentsMargins(28, 26, 28, 26);
    outer->addWidget(centred, 1);
    return inside;
}

QWidget* WelcomePage::buildExample() {
    auto* card = new QFrame(this);
    auto* layout = cardLayout(card);
    try_ = new PrimaryButton(tr("&Try the example (about 2 minutes)"), card);
    try_->setObjectName(QStringLiteral("tryExample"));
    try_->setAccessibleName(tr("Try the example, about 2 minutes"));
    layout->addWidget(makeCardTitle(tr("See the whole job first"), card));
    layout->addWidget(note(tr("Draws receipts, freezes them, trains in fp32, bf16 and fp16 under a "
                              "budget that bites, trains one run "
                              "wrong on purpose, crashes two and recovers them, and compares."),
                           card));
    layout->addWidget(try_);
    connect(try_, &QPushButton::clicked, this, [this] { startExample(); });
    return card;
}

QWidget* WelcomePage::buildImages() {
    auto* area = new DropArea(this);
    auto* layout = new QVBoxLayout(area);
    layout->setContentsMargins(18, 18, 18, 18);
    layout->setSpacing(10);
    layout->addWidget(makeCardTitle(tr("Your own receipts"), area));
    layout->addWidget(note(
        tr("Drop a folder of images, a manifest (.csv, .tsv, .jsonl) or a project here."), area));
    auto* row = new QHBoxLayout;
    auto* images = makeButton(tr("&New project…"), "newProject", area);
    auto* project = makeButton(tr("&Open project…"), "openProject", area);
    row->addWidget(images);
    row->addWidget(project);
    row->addStretch(1);
    layout->addLayout(row);
    connect(images, &QPushButton::clicked, this, [this] { askForImport({}); });
    connect(project, &QPushButton::clicked, this, &WelcomePage::askForProject);
    connect(area, &DropArea::dropped, this, &WelcomePage::openOrImport);
    return area;
}

QWidget* WelcomePage::buildRecent() {
    auto* card = new QFrame(this);
    auto* layout = cardLayout(card);
    recent_ = new QListWidget(card);
    recent_->setObjectName(QStringLiteral("recentProjects"));
    recent_->setAccessibleName(tr("Recent projects"));
    recent_->setFrameShape(QFrame::NoFrame);
    recent_->setItemDelegate(new ProjectDelegate(recent_));
    recent_->setMouseTracking(true);
    recent_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // as high as its rows
    noRecent_ = note(tr("None yet. Projects that you open are listed here."), card);
    layout->addWidget(makeCardTitle(tr("Recent projects"), card));
    layout->addWidget(noRecent_);
    layout->addWidget(recent_);
    connect(recent_, &QListWidget::itemActivated, this,
            [this](const QListWidgetItem* item) { open(item->data(Qt::UserRole).toString()); });
    return card;
}

QWidget* WelcomePage::buildState() {
    state_ = new QFrame(this);
    state_->setObjectName(QStringLiteral("welcomeState"));
    styleCard(state_);
    auto* layout = new QHBoxLayout(state_);
    layout->setContentsMargins(14, 10, 14, 10);
    stateIcon_ = new QLabel(state_);
    stateText_ = makeText({}, state_);
    stateText_->setFocusPolicy(Qt::NoFocus);
    progress_ = new QProgressBar(state_);
    progress_->setTextVisible(false);
    progress_->setFixedSize(160, 8);
    progress_->setAccessibleName(tr("Progress"));
    layout->addWidget(stateIcon_, 0, Qt::AlignTop);
    layout->addWidget(stateText_, 1);
    layout->addWidget(progress_);
    return state_;
}

void WelcomePage::refreshRecent() {
    if (!session_.projectFolder().isEmpty()) {
        WindowSettings::addRecentProject(session_.projectFolder());
    }
    recent_->clear();
    for (const auto& folder : WindowSettings::recentProjects()) {
        auto* item = new QListWidgetItem(
            QStringLiteral("%1\n%2").arg(QDir(folder).dirName(), folder), recent_);
        item->setData(Qt::UserRole, folder);
        item->setData(Qt::AccessibleTextRole,
                      tr("Project %1 in %2").arg(QDir(folder).dirName(), folder));
    }
    recent_->setFixedHeight(recent_->count() * rowHeight(recent_->fontMetrics()) + 4);
    recent_->setVisible(recent_->count() > 0);
    noRecent_->setVisible(recent_->count() == 0);
}

void WelcomePage::refreshState() {
    const auto& job = session_.job();
    const bool busy = session_.busy(), failed = job.state == JobState::Failed;
    if (busy || failed) {
        refused_.clear();
    }
    try_->setEnabled(!busy);
    state_->setVisible(busy || failed || !refused_.isEmpty());
    progress_->setVisible(busy);
    progress_->setRange(0, static_cast<int>(job.total));
    progress_->setValue(static_cast<int>(job.done));
    if (busy) {
        stateIcon_->clear();
        stateText_->setText(job.stage.isEmpty()
                                ? tr("%1 is running.").arg(job.title)
                                : tr("%1 is running: %2.").arg(job.title, job.stage));
        return;
    }
    stateIcon_->setPixmap(meaningIcon(Meaning::Bad).pixmap(20, 20));
    const auto remedy = job.remedy.isEmpty() ? QString() : QLatin1Char('\n') + job.remedy;
    stateText_->setText(failed ? tr("%1 failed: %2%3").arg(job.title, job.error, remedy)
                               : refused_);
}

void WelcomePage::focusFirst() {
    try_->setFocus(Qt::OtherFocusReason);
}

bool WelcomePage::startExample(const QString& folder) {
    const auto wanted =
        folder.isEmpty() ? WindowSettings::freshProjectFolder(QStringLiteral("example")) : folder;
    if (!session_.startExample(wanted, example_)) {
        return false;
    }
    session_.requestMode(Mode::Run);
    return true;
}

bool WelcomePage::open(const QString& folder) {
    if (!session_.openProject(folder)) {
        const auto& line = session_.log().back();
        refused_ = line.remedy.isEmpty() ? line.text : line.text + QLatin1Char('\n') + line.remedy;
        refreshState();
        session_.requestMode(Mode::Welcome);
        return false;
    }
    refused_.clear();
    session_.requestMode(session_.runs().empty() ? Mode::Data : Mode::Run);
    return true;
}

void WelcomePage::openOrImport(const QString& path) {
    if (QFileInfo::exists(QDir(path).filePath(QStringLiteral("project.json")))) {
        open(path);
    } else {
        askForImport(path);
    }
}

void WelcomePage::askForImport(const QString& source) {
    ImportDialog dialog(source, this);
    if (dialog.exec() == QDialog::Accepted &&
        session_.startImport(dialog.folder(), dialog.options())) {
        session_.requestMode(Mode::Data);
    }
}

void WelcomePage::askForProject() {
    const auto folder = QFileDialog::getExistingDirectory(this, tr("Open project"));
    if (!folder.isEmpty()) {
        open(folder);
    }
}

QWidget* makeWelcomePage(Session& session, QWidget* parent) {
    return new WelcomePage(session, parent);
}

}  // namespace receiptbench
