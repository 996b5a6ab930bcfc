#include "core/workbench/demo.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/workbench/reporting.h"

namespace receiptbench {
namespace {

constexpr std::int64_t kOverflowUpdates = 6;
constexpr std::int64_t kLeastUpdates = 2;

// The training's updates as steps of the progress, and everything on to the caller's listener.
class ProgressListener : public TrainListener {
 public:
    ProgressListener(Progress& progress, TrainListener& next) : progress_(progress), next_(next) {}
    void onStart(const std::string& run, const RunPlan& plan) override { next_.onStart(run, plan); }
    void onCheck(const GradientCheckResult& check) override { next_.onCheck(check); }
    void onUpdate(const UpdateRecord& record) override {
        progress_.step(record.update);
        next_.onUpdate(record);
    }
    void onMemory(const MemorySample& sample) override { next_.onMemory(sample); }
    void onCheckpoint(const std::string& file, double seconds) override {
        next_.onCheckpoint(file, seconds);
    }
    void onMessage(const std::string& text) override { next_.onMessage(text); }

 private:
    Progress& progress_;
    TrainListener& next_;
};

class Demo {
 public:
    Demo(FileSystem& files, const DemoRequest& request, Progress& progress, TrainListener& listener,
         const CancelToken& cancel)
        : files_(files),
          request_(request),
          progress_(progress),
          listener_(progress, listener),
          cancel_(cancel) {}

    DemoResult run() {
        const double start = Clock::system().seconds();
        const auto project = prepare();
        stopIfAsked();
        for (const auto precision : orderedModes()) {
            trainMode(project, precision);
        }
        sideRuns(project);
        drills(project);
        report(project);
        result_.seconds = Clock::system().seconds() - start;
        return std::move(result_);
    }

 private:
    void stopIfAsked() const {
        if (cancel_.finishRequested()) {
            const bool begun = !listRuns(files_, request_.out).empty();
            throw Error(ErrorCode::Interrupted,
                        "interrupted; what is finished is kept in " + request_.out,
                        fmt::format("continue with receiptbench train {}--project {}",
                                    begun ? "--resume " : "", request_.out));
        }
    }
    // fp32 first, whatever the order given: the others are judged against it.
    std::vector<Precision> orderedModes() const {
        std::vector<Precision> modes{Precision::Fp32};
        for (const auto mode : request_.modes) {
            if (std::find(modes.begin(), modes.end(), mode) == modes.end()) {
                modes.push_back(mode);
            }
        }
        return modes;
    }
    Project prepare();
    void freezeInto(Project& project, const DemoPlan& plan);
    void importData(Project& project);
    void trainMode(const Project& project, Precision precision);
    TrainRequest requestFor(Precision precision) const;
    TrainOutcome train(const Project& project, const TrainRequest& request,
                       const std::string& stage, std::int64_t updates);
    void sideRuns(const Project& project);
    void drills(const Project& project);
    void report(const Project& project);

    FileSystem& files_;
    const DemoRequest& request_;
    Progress& progress_;
    ProgressListener listener_;
    const CancelToken& cancel_;
    DemoResult result_;
    std::vector<Precision> trained_;
};

ImportOptions importOptions(const DemoRequest& request) {
    ImportOptions options;
    options.source = request.data;
    if (request.derive) {
        options.impliedLabel = "readable";
        options.declaredLabels = {"readable"};
    }
    return options;
}

void Demo::importData(Project& project) {
    auto catalogue = importInto(project, importOptions(request_), progress_);
    result_.rejects = std::move(catalogue.rejects);
}

// What was made before anything is frozen is of no use, and would refuse the corrected call. What
// others put beside it stays.
void discard(const Project& project, bool madeFolder) {
    auto& files = project.files();
    const auto& paths = project.paths();
    try {
        if (files.exists(paths.frozen())) {
            for (const auto& entry : files.list(paths.frozen())) {
                files.remove(joinPath(paths.frozen(), entry.name));
            }
        }
        for (const auto& path : {paths.frozen(), paths.catalogue(), paths.rejects(),
                                 joinPath(paths.root, "project.lock"), paths.project()}) {
            if (files.exists(path)) {
                files.remove(path);
            }
        }
        if (madeFolder) {
            files.remove(paths.root);
        }
    } catch (const Error&) {
        // What made it fail is the one to tell.
    }
}

Project Demo::prepare() {
    checkDemo(files_, request_);  // most refusals come before anything is written
    const auto plan = planDemo(request_);
    const bool makesFolder = !files_.exists(request_.out);
    auto project =
        Project::create(files_, request_.out, plan.example ? "embedded example" : request_.data);
    try {
        freezeInto(project, plan);
    } catch (...) {
        if (!project.isFrozen()) {
            discard(project, makesFolder);
        }
        throw;
    }
    return project;
}

void Demo::freezeInto(Project& project, const DemoPlan& plan) {
    if (!plan.example) {
        importData(project);
    }
    FreezeRequest freeze{plan.data, plan.contract, request_.memoryLimit, true};
    if (freeze.memoryLimit == 0) {
        progress_.stage("measuring memory", 0);
        auto tried = plan.contract;
        tried.height = plan.data.height;
        tried.width = plan.data.width;
        freeze.memoryLimit = suggestBudget(tried, 3, request_.threads);
    }
    result_.memoryLimit = freeze.memoryLimit;
    const auto frozen = freezeProject(project, freeze, progress_, &cancel_);
    listener_.onMessage(fmt::format("frozen: {} training and {} validation images, contract {}",
                                    frozen.contract.trainExamples,
                                    frozen.contract.validationExamples, frozen.hash.substr(0, 12)));
}

TrainRequest Demo::requestFor(Precision precision) const {
    TrainRequest request;
    request.precision = precision;
    request.threads = request_.threads;
    request.onOverBudget =
        OverBudgetPolicy::Replan;  // memory may fragment differently than in a probe
    return request;
}

TrainOutcome Demo::train(const Project& project, const TrainRequest& request,
                         const std::string& stage, std::int64_t updates) {
    progress_.stage(stage, updates);
    auto outcome = trainRun(project, request, listener_, cancel_);
    stopIfAsked();
    return outcome;
}

void Demo::trainMode(const Project& project, Precision precision) {
    PlanOptions options;
    options.precision = precision;
    options.memoryLimit = result_.memoryLimit;
    options.microbatch = request_.microbatch;
    options.threads = request_.threads;
    options.secondsPerProbe = request_.data.empty() ? 0.1 : 0.3;  // small pictures take less
    const auto plan = planProject(project, options, progress_, &cancel_);
    if (!plan.notSupported.empty()) {
        result_.notSupported.push_back(toString(precision) + ": " + plan.notSupported);
        listener_.onMessage(
            fmt::format("{}: not supported: {}", toString(precision), plan.notSupported));
        return;
    }
    stopIfAsked();
    train(project, requestFor(precision), "training " + toString(precision),
          project.contract().contract.updates);
    trained_.push_back(precision);
}

void Demo::sideRuns(const Project& project) {
    auto wrong = requestFor(Precision::Fp32);
    wrong.kind = "wrong";
    wrong.normalisation = Normalisation::MeanOfMeans;
    result_.wrong = train(project, wrong, "training the deliberately wrong run",
                          project.contract().contract.updates);
    if (std::find(trained_.begin(), trained_.end(), Precision::Fp16) != trained_.end()) {
        auto overflow = requestFor(Precision::Fp16);
        overflow.kind = "overflow";
        overflow.injectOverflowAt = {2, 4};
        overflow.stopAfter = std::min(kOverflowUpdates, project.contract().contract.updates);
        result_.overflow = train(project, overflow, "fp16 side run with an injected overflow",
                                 *overflow.stopAfter);
    }
}

// A drill trains some updates three times over: not where arithmetic is emulated.
void Demo::drills(const Project& project) {
    for (const auto precision : trained_) {
        if (!slowReason(precision).empty()) {
            listener_.onMessage(fmt::format("{} is not drilled here: {}", toString(precision),
                                            slowReason(precision)));
            continue;
        }
        DrillRequest request;
        request.run = toString(precision);
        request.program = request_.program;
        result_.drills.push_back(runDrill(project, request, progress_, &cancel_));
        stopIfAsked();
    }
}

void Demo::report(const Project& project) {
    progress_.stage("comparing and reporting", 2);
    result_.comparison = compareRuns(project);
    progress_.step(1);
    const auto paths = writeReport(project);
    result_.reportJson = paths.json;
    result_.reportMarkdown = paths.markdown;
    progress_.step(2);
}

}  // namespace

void validateSize(std::int64_t height, std::int64_t width) {
    for (const auto side : {height, width}) {
        if (side < 16 || side > 4096) {
            throw Error(ErrorCode::Usage,
                        fmt::format("image size {}x{} is outside 16 to 4096 a side", height, width),
                        "name HEIGHTxWIDTH, for example --size 256x192");
        }
    }
}

DemoPlan planDemo(const DemoRequest& request) {
    DemoPlan plan;
    plan.example = request.data.empty();
    plan.data.seed = plan.contract.seed = request.seed;
    plan.data.derive = request.derive || plan.example;
    plan.data.syntheticIdentities = plan.example ? request.identities : 0;
    plan.data.height = request.height.value_or(plan.example ? 128 : 256);
    plan.data.width = request.width.value_or(plan.example ? 96 : 192);
    if (plan.example) {
        plan.contract.model.width = 16;  // emulated fp16 must come through as well
        plan.contract.optimizer.learningRate =
            1e-3;                          // at 2e-3, rounding alone moves runs this short apart
        plan.data.validationShare = 0.45;  // a verdict needs images; to draw them costs little
    }
    plan.contract.height = plan.data.height;
    plan.contract.width = plan.data.width;
    plan.contract.updates = request.updates.value_or(plan.example ? 120 : 200);
    plan.contract.schedule.warmup =
        std::min<std::int64_t>(20, std::max<std::int64_t>(1, plan.contract.updates / 3));
    // Three checkpoints are kept: with this interval a drill finds one that enough recorded updates
    // follow.
    plan.contract.checkpointInterval = std::clamp<std::int64_t>(plan.contract.updates / 8, 1, 25);
    return plan;
}

void checkDemo(FileSystem& files, const DemoRequest& request) {
    const auto plan = planDemo(request);
    validateSize(plan.data.height, plan.data.width);
    if (plan.contract.updates < kLeastUpdates) {
        throw Error(ErrorCode::Usage,
                    fmt::format("{} update is too few: the crash drill compares an update after a "
                                "checkpoint",
                                plan.contract.updates),
                    fmt::format("name --updates {} or more", kLeastUpdates));
    }
    const auto most = plan.contract.examplesPerUpdate;
    if (request.microbatch && (*request.microbatch < 1 || *request.microbatch > most)) {
        throw Error(ErrorCode::Usage,
                    fmt::format("microbatch {} is not between 1 and {}", *request.microbatch, most),
                    "the contract's update has that many examples");
    }
    Project::checkNew(files, request.out);
    auto options = importOptions(request);
    options.decodeAll = false;
    const auto catalogue = plan.example ? Catalogue{} : importImages(options);
    checkFreeze(catalogue, {plan.data, plan.contract, request.memoryLimit, true});
}

DemoResult runDemo(FileSystem& files, const DemoRequest& request, Progress& progress,
                   TrainListener& listener, const CancelToken& cancel) {
    return Demo(files, request, progress, listener, cancel).run();
}

}  // namespace receiptbench
