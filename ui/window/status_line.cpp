#include "ui/window/status_line.h"

#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "core/base/text.h"
#include "ui/mode_icons.h"
#include "ui/theme.h"
#include "ui/window/runs_model.h"

namespace receiptbench {
namespace {

constexpr int kIcon = 16, kGaugeBar = 64;

Meaning meaningOf(const JobStatus& job) {
    switch (job.state) {
        case JobState::Finished:
            return job.stopped ? Meaning::Neutral : Meaning::Good;
        case JobState::Failed:
            return Meaning::Bad;
        case JobState::Stopping:
            return Meaning::Caution;
        default:
            return Meaning::Neutral;
    }
}

QString wordOf(const JobStatus& job) {
    switch (job.state) {
        case JobState::Running:
            return StatusLine::tr("Running");
        case JobState::Stopping:
            return StatusLine::tr("Stopping");
        case JobState::Finished:
            return job.stopped ? StatusLine::tr("Stopped") : StatusLine::tr("Finished");
        case JobState::Failed:
            return StatusLine::tr("Failed");
        case JobState::Idle:
            break;
    }
    return StatusLine::tr("Ready");
}

// Gives way when the bar is narrow: the figures beside it matter more.
class ElidedLabel : public QLabel {
 public:
    using QLabel::QLabel;
    QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

 protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(contentsRect(), Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
    }
};

template <typename Label = QLabel>
QLabel* makeCell(const char* name, QWidget* parent) {
    auto* label = new Label(parent);
    label->setTextFormat(Qt::PlainText);
    label->setObjectName(QString::fromLatin1(name));
    label->setContentsMargins(6, 0, 6, 0);
    return label;
}

}  // namespace

MemoryGauge::MemoryGauge(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("memoryGauge"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
}

void MemoryGauge::setPeak(std::int64_t peak, std::int64_t limit) {
    peak_ = peak;
    limit_ = limit;
    const auto text = peakText(peak, limit);
    words_ = text.isEmpty() ? QString() : tr("peak %1").arg(text);
    setAccessibleName(words_);
    setToolTip(tr("Highest memory of the run's tensors, and the budget"));
    setVisible(!words_.isEmpty());
    updateGeometry();
    update();
}

QSize MemoryGauge::sizeHint() const {
    return {(limit_ > 0 ? kGaugeBar + 8 : 0) + fontMetrics().horizontalAdvance(words_) + 12,
            fontMetrics().height() + 4};
}

void MemoryGauge::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    int x = 4;
    if (limit_ > 0) {
        const double share =
            std::clamp(static_cast<double>(peak_) / static_cast<double>(limit_), 0.0, 1.0);
        const QRectF frame(x, (height() - 10) / 2.0, kGaugeBar, 10);
        painter.setPen(QPen(palette().color(QPalette::PlaceholderText), 1));
        painter.setBrush(palette().color(QPalette::Base));
        painter.drawRoundedRect(frame, 3, 3);
        painter.setPen(Qt::NoPen);
        painter.setBrush(peak_ > limit_ ? meaningColour(Meaning::Bad) : seriesColour(0));
        painter.drawRoundedRect(QRectF(frame.left() + 1, frame.top() + 1,
                                       share * (frame.width() - 2), frame.height() - 2),
                                2, 2);
        x += kGaugeBar + 8;
    }
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignLeft | Qt::AlignVCenter, words_);
}

StatusLine::StatusLine(Session& session, QWidget* parent)
    : QStatusBar(parent),
      session_(session),
      icon_(new QLabel(this)),
      state_(makeCell("statusState", this)),
      job_(makeCell<ElidedLabel>("statusJob", this)),
      progressWords_(makeCell("statusProgress", this)),
      progress_(new QProgressBar(this)),
      left_(makeCell("statusLeft", this)),
      gauge_(new MemoryGauge(this)),
      device_(makeCell("statusDevice", this)),
      problems_(new QToolButton(this)),
      stop_(new QPushButton(tr("Stop"), this)) {
    build();
    connect(&session, &Session::jobChanged, this, &StatusLine::refresh);
    connect(&session, &Session::projectChanged, this, &StatusLine::refresh);
    connect(&session, &Session::liveReset, this, [this] {
        counted_ = 0;
        peak_ = 0;
        refreshMemory();
    });
    connect(&session, &Session::liveUpdated, this, &StatusLine::refreshMemory);
    connect(&session, &Session::runsChanged, this, &StatusLine::refreshMemory);
    refresh();
    refreshMemory();
}

void StatusLine::build() {
    setSizeGripEnabled(false);
    icon_->setContentsMargins(8, 0, 0, 0);
    progress_->setTextVisible(false);
    progress_->setFixedSize(96, 8);
    progress_->setAccessibleName(tr("Progress of the job"));
    problems_->setAutoRaise(true);
    problems_->setObjectName(QStringLiteral("statusProblems"));
    problems_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    problems_->setFocusPolicy(Qt::StrongFocus);
    stop_->setObjectName(QStringLiteral("stopButton"));
    stop_->setToolTip(tr("Stop within one microbatch; the last boundary is saved (Ctrl+.)"));
    stop_->setAccessibleName(tr("Stop the job"));
    addWidget(icon_);
    addWidget(state_);
    addWidget(job_, 1);
    addWidget(progress_);
    addWidget(progressWords_);
    addWidget(left_);
    addPermanentWidget(gauge_);
    addPermanentWidget(device_);
    addPermanentWidget(problems_);
    addPermanentWidget(stop_);
    connect(stop_, &QPushButton::clicked, &session_, [this] { session_.stop(); });
    connect(problems_, &QToolButton::clicked, this, &StatusLine::problemsRequested);
    setProblems(0);
}

void StatusLine::setProblems(int count) {
    problems_->setVisible(count > 0);
    problems_->setIcon(meaningIcon(Meaning::Bad));
    problems_->setText(count == 1 ? tr("1 problem") : tr("%1 problems").arg(count));
    problems_->setAccessibleName(tr("%1, show").arg(problems_->text()));
}

// Steps of a training are updates; those of other stages have no name.
QString StatusLine::progressText() const {
    const auto& job = session_.job();
    const auto& live = session_.live();
    const bool updates = !live.updates.empty() && job.total == live.updatesPlanned &&
                         job.done == live.updates.back().update;
    if (job.total <= 0 || (!updates && !session_.busy())) {
        return {};
    }
    return (updates ? tr("update %1 of %2") : tr("%1 of %2")).arg(job.done).arg(job.total);
}

void StatusLine::refresh() {
    const auto& job = session_.job();
    const bool busy = session_.busy();
    const auto shown = std::pair(job.state, isDark());
    if (shown != shown_) {  // progress comes ten times a second, another state seldom
        shown_ = shown;
        const auto icon = busy ? runStateIcon(RunState::Running) : meaningIcon(meaningOf(job));
        icon_->setPixmap(icon.pixmap(kIcon, kIcon));
        stop_->setIcon(busy ? stopIcon() : QIcon());
    }
    state_->setText(wordOf(job));
    const bool said = job.stage.isEmpty() || job.stage == QLatin1String("training");
    job_->setText(said || job.state == JobState::Finished
                      ? job.title
                      : QStringLiteral("%1 · %2").arg(job.title, job.stage));
    job_->setToolTip(job_->text().toHtmlEscaped());
    progressWords_->setText(progressText());
    progress_->setVisible(busy);
    progress_->setRange(0, static_cast<int>(std::max<std::int64_t>(0, job.total)));
    progress_->setValue(static_cast<int>(job.done));
    left_->setText(timeLeftText(job.secondsLeftLow, job.secondsLeftHigh));
    stop_->setEnabled(busy && job.state != JobState::Stopping);
    stop_->setText(job.state == JobState::Stopping ? tr("Stopping…") : tr("Stop"));
}

void StatusLine::refreshMemory() {
    const auto& live = session_.live();
    counted_ = std::min(counted_, live.updates.size());
    for (; counted_ < live.updates.size(); ++counted_) {
        peak_ = std::max(peak_, live.updates[counted_].memory.total);
    }
    gauge_->setPeak(peak_, live.memoryLimit);
    const auto& runs = session_.runs();
    device_->setText(runs.empty() ? QString()
                                  : QString::fromStdString(
                                        printable(runs.back().description.environment.device)));
    device_->setVisible(!device_->text().isEmpty());
}

}  // namespace receiptbench
