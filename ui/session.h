// The only place where the window meets the workbench. Jobs run one at a time on a thread of the
// session; what they tell is stored under a mutex and collected by a UI timer (10 Hz), so that a
// fast run cannot flood the event loop. All signals are emitted on the UI thread. Destroying the
// session stops the job at the boundary, saves and joins.
#pragma once

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/update_record.h"
#include "core/workbench/comparison.h"
#include "core/workbench/demo.h"
#include "core/workbench/drill.h"
#include "core/workbench/project.h"
#include "core/workbench/training.h"

namespace receiptbench {

enum class Mode { Welcome, Data, Configure, Run, Compare, Recovery, Report };

enum class JobKind {
    None,
    Example,
    Import,
    Freeze,
    Plan,
    Train,
    Resume,
    Drill,
    Compare,
    Report,
    Other
};
enum class JobState { Idle, Running, Stopping, Finished, Failed };

struct JobStatus {  // of the current or last job
    JobKind kind = JobKind::None;
    JobState state = JobState::Idle;
    QString title;  // "Training bf16"
    QString stage;  // "planning fp32"
    std::int64_t done = 0, total = 0;
    double secondsRunning = 0;
    std::optional<double> secondsLeftLow, secondsLeftHigh;  // a range; none while unknown
    QString error, remedy;                                  // of a failed job
    bool stopped = false;  // finished early, because it was asked to
};

struct LiveRun {  // the run being trained, or the last one of this session
    std::string name;
    RunPlan plan;
    std::int64_t memoryLimit = 0;  // bytes; 0: none
    std::int64_t updatesPlanned = 0;
    std::vector<UpdateRecord> updates;
    std::vector<MemorySample> memory;
    std::optional<GradientCheckResult> check;
};

struct LogLine {
    QString time, text;
    bool problem = false;
    QString remedy;
    std::optional<Mode> fixAt;  // the page where the remedy is
};

struct Selection {            // what the inspector shows
    QString run;              // empty: nothing
    std::int64_t update = 0;  // 0: the run itself
    QString checkpoint;       // file name; empty: none
    bool operator==(const Selection&) const = default;
};

class Session : public QObject {
    Q_OBJECT

 public:
    // program: path of the receiptbench command line, for drills' children.
    explicit Session(std::string program, QObject* parent = nullptr);
    ~Session() override;

    // What is open. Values are read anew after the matching signal.
    const Project* project() const;  // null on the Welcome page
    QString projectFolder() const;
    const std::vector<RunOverview>& runs() const;
    const std::optional<Comparison>& comparison() const;
    const std::vector<DrillResult>& drills() const;
    const JobStatus& job() const;
    const LiveRun& live() const;
    const std::vector<LogLine>& log() const;
    bool busy() const;  // a job runs

    // Jobs: refused with a log line (returns false) while another one runs.
    bool openProject(const QString& folder);
    bool startExample(const QString& folder,
                      const DemoRequest& request);  // the demo with all its stages
    bool startImport(const QString& folder, const ImportOptions& options);
    bool startFreeze(const FreezeRequest& request);
    bool startPlan(const PlanOptions& options);
    bool startTraining(const TrainRequest& request);
    bool startResume(const ResumeRequest& request);
    bool startDrill(const DrillRequest& request);
    bool startCompare();
    // Any other use case: runs on the job thread; finished() follows on the UI thread when it did
    // not throw. command: its equal command line, if there is one.
    bool startOther(const QString& title, std::function<void(Progress&, const CancelToken&)> work,
                    std::function<void()> finished, const QString& command = {});
    // Stop: drops the unfinished update within one microbatch, the last boundary is saved. gently:
    // finishes the update first.
    void stop(bool gently = false);
    bool waitForIdle(int milliseconds);  // for closing the window and tests; keeps signals flowing

    // Everything shown has an equal command line: of the last or running job, copyable.
    QString commandLine() const;
    const std::string& program() const;

    void refreshProject();  // reads runs and drills anew

    void requestMode(Mode mode);  // pages ask the window to show another page
    void selectRun(const QString& name);
    const QString& selectedRun() const;
    void selectUpdate(const QString& run, std::int64_t update);
    void selectCheckpoint(const QString& run, const QString& file);
    const Selection& selection() const;
    // Ticked runs are drawn by plots beside the live one; all are, until unticked.
    bool isDrawn(const QString& run) const;
    void setDrawn(const QString& run, bool drawn);
    // For seriesColour(): the run's place in the project, the same on every page; -1 when unknown.
    int runIndex(const QString& run) const;
    // Photos to show in the Data page (row numbers of the validation set), e.g. those whose
    // decision flipped.
    void requestPhotos(const QString& title, const std::vector<std::int64_t>& validationIds);

 Q_SIGNALS:
    void projectChanged();
    void runsChanged();
    void comparisonChanged();
    void drillsChanged();
    void plansChanged();
    void jobChanged();   // state, stage or progress
    void liveReset();    // another run began
    void liveUpdated();  // new records in live(), at most 10 a second
    void logged();
    void modeRequested(receiptbench::Mode mode);
    void selectedRunChanged();
    void selectionChanged();  // run, update or checkpoint
    void drawnRunsChanged();
    void photosRequested(const QString& title, const std::vector<std::int64_t>& validationIds);

 private:
    struct Private;
    std::unique_ptr<Private> p_;
};

}  // namespace receiptbench
