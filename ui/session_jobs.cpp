// What the session can start: each use case of the workbench as a job, with its equal command line.
#include "core/base/text.h"
#include "ui/command_line.h"
#include "ui/session.h"
#include "ui/session_private.h"

namespace receiptbench {
namespace {

Project openAt(const QString& folder) {
    return Project::open(posixFileSystem(), folder.toStdString());
}

QString nameOf(Precision precision) {
    return QString::fromStdString(toString(precision));
}

}  // namespace

bool Session::openProject(const QString& folder) {
    if (busy()) {
        p_->addLine({{},
                     tr("%1 was not opened: %2 is still running").arg(folder, p_->job.title),
                     true,
                     tr("Wait for it to end, or stop it."),
                     {}});
        return false;
    }
    p_->job = {};
    if (!p_->adopt(folder)) {
        return false;
    }
    p_->live = {};
    p_->command = QStringLiteral("receiptbench runs --project ") + shellQuoted(folder);
    p_->show(readFacts(folder.toStdString(), true));
    Q_EMIT liveReset();
    Q_EMIT jobChanged();
    return true;
}

bool Session::startExample(const QString& folder, const DemoRequest& request) {
    auto wanted = request;
    wanted.out = folder.toStdString();
    wanted.program = p_->program;
    JobSpec spec{
        JobKind::Example, tr("Example experiment"), demoCommand(wanted), folder, 0, {}, {}};
    spec.work = [wanted](Progress& progress, TrainListener& listener, const CancelToken& cancel) {
        runDemo(posixFileSystem(), wanted, progress, listener, cancel);
    };
    return p_->start(std::move(spec));
}

bool Session::startImport(const QString& folder, const ImportOptions& options) {
    JobSpec spec{JobKind::Import, tr("Import"), importCommand(folder, options), folder, 0, {}, {}};
    spec.work = [folder, options](Progress& progress, TrainListener&, const CancelToken&) {
        auto project =
            Project::openOrCreate(posixFileSystem(), folder.toStdString(), options.source);
        importInto(project, options, progress);
    };
    return p_->start(std::move(spec));
}

bool Session::startFreeze(const FreezeRequest& request) {
    const auto folder = projectFolder();
    JobSpec spec{JobKind::Freeze, tr("Freeze"), freezeCommand(folder, request), folder, 0, {}, {}};
    spec.work = [folder, request](Progress& progress, TrainListener&, const CancelToken& cancel) {
        auto project = openAt(folder);
        freezeProject(project, request, progress, &cancel);
    };
    return p_->start(std::move(spec));
}

bool Session::startPlan(const PlanOptions& options) {
    const auto folder = projectFolder();
    JobSpec spec{JobKind::Plan,
                 tr("Plan %1").arg(nameOf(options.precision)),
                 planCommand(folder, options),
                 folder,
                 0,
                 {},
                 {}};
    spec.work = [folder, options](Progress& progress, TrainListener&, const CancelToken& cancel) {
        planProject(openAt(folder), options, progress, &cancel);
    };
    spec.finished = [this] { Q_EMIT plansChanged(); };
    return p_->start(std::move(spec));
}

bool Session::startTraining(const TrainRequest& request) {
    const auto folder = projectFolder();
    JobSpec spec{JobKind::Train,
                 tr("Training %1").arg(nameOf(request.precision)),
                 trainCommand(folder, request),
                 folder,
                 request.stopAfter.value_or(0),
                 {},
                 {}};
    spec.work = [folder, request](Progress&, TrainListener& listener, const CancelToken& cancel) {
        trainRun(openAt(folder), request, listener, cancel);
    };
    spec.finished = [this] { Q_EMIT plansChanged(); };  // a run without a stored plan makes one
    return p_->start(std::move(spec));
}

bool Session::startResume(const ResumeRequest& request) {
    const auto folder = projectFolder();
    JobSpec spec{JobKind::Resume,
                 tr("Resuming %1").arg(QString::fromStdString(request.run)),
                 resumeCommand(folder, request),
                 folder,
                 request.stopAfter.value_or(0),
                 {},
                 {}};
    spec.work = [folder, request](Progress&, TrainListener& listener, const CancelToken& cancel) {
        resumeRun(openAt(folder), request, listener, cancel);
    };
    return p_->start(std::move(spec));
}

bool Session::startDrill(const DrillRequest& request) {
    const auto folder = projectFolder();
    auto wanted = request;
    wanted.program = p_->program;
    JobSpec spec{JobKind::Drill,
                 tr("Crash drill of %1").arg(QString::fromStdString(request.run)),
                 drillCommand(folder, request),
                 folder,
                 0,
                 {},
                 {}};
    spec.work = [folder, wanted](Progress& progress, TrainListener&, const CancelToken& cancel) {
        runDrill(openAt(folder), wanted, progress, &cancel);
    };
    return p_->start(std::move(spec));
}

bool Session::startCompare() {
    const auto folder = projectFolder();
    JobSpec spec{JobKind::Compare, tr("Compare"), compareCommand(folder), folder, 0, {}, {}};
    spec.work = [folder](Progress&, TrainListener&, const CancelToken&) {
        compareRuns(openAt(folder));
    };
    return p_->start(std::move(spec));
}

bool Session::startOther(const QString& title,
                         std::function<void(Progress&, const CancelToken&)> work,
                         std::function<void()> finished, const QString& command) {
    JobSpec spec{JobKind::Other, title, command, projectFolder(), 0, {}, std::move(finished)};
    spec.work = [work = std::move(work)](Progress& progress, TrainListener&,
                                         const CancelToken& cancel) { work(progress, cancel); };
    return p_->start(std::move(spec));
}

}  // namespace receiptbench
