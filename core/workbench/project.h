// A project on disk and the use cases that prepare it: open, import, freeze, check, plan. Screen
// and command line share them.
//
//   project.json                 {"format":1,"created":UTC,"source":...}
//   catalogue.json, rejects.csv  what was imported
//   frozen/                      contract.json, split.csv, train.pixels, val.pixels,
//   initial.safetensors plans/<precision>.json       PlanResult runs/<name>/                 see
//   core/runs/run_directory.h; contract.json and check.json (GradientCheckResult) beside
//   comparison.json              what `compare` found
//   drills/<name>/               drill.json (DrillResult), run/ (the copy that died and went on),
//   control/, child.log bundle/                      what `select` wrote report/ report.json,
//   report.md
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file_system.h"
#include "core/base/progress.h"
#include "core/contract/contract.h"
#include "core/data/freeze.h"
#include "core/data/import.h"
#include "core/data/pixel_cache.h"
#include "core/train/gradient_check.h"
#include "core/train/planner.h"

namespace receiptbench {

struct ProjectPaths {
    std::string root;
    std::string frozen() const { return joinPath(root, "frozen"); }
    std::string contract() const { return joinPath(frozen(), "contract.json"); }
    std::string weights() const { return joinPath(frozen(), "initial.safetensors"); }
    std::string plan(const std::string& precision) const {
        return joinPath(joinPath(root, "plans"), precision + ".json");
    }
    std::string project() const { return joinPath(root, "project.json"); }
    std::string catalogue() const { return joinPath(root, "catalogue.json"); }
    std::string rejects() const { return joinPath(root, "rejects.csv"); }
    std::string drills() const { return joinPath(root, "drills"); }
    std::string comparison() const { return joinPath(root, "comparison.json"); }
    std::string bundle() const { return joinPath(root, "bundle"); }
    std::string runs() const { return joinPath(root, "runs"); }
    // A name below runs/, or the path of a run folder (it contains a slash): a drill's copy,
    // another project's run.
    std::string run(const std::string& name) const {
        return name.find('/') == std::string::npos ? joinPath(runs(), name) : name;
    }
    std::string report() const { return joinPath(root, "report"); }
};

class Project {
 public:
    // A new folder, or an empty one: Error(Failed) when it holds something else or cannot be
    // written.
    static Project create(FileSystem& files, const std::string& folder, const std::string& source);
    // What create would refuse of a folder that is there; nothing is written.
    static void checkNew(FileSystem& files, const std::string& folder);
    static Project open(FileSystem& files,
                        const std::string& folder);  // Error(Data) when it is no project
    static Project openOrCreate(FileSystem& files, const std::string& folder,
                                const std::string& source);

    FileSystem& files() const { return *files_; }
    const ProjectPaths& paths() const { return paths_; }
    bool isFrozen() const;
    LoadedContract contract() const;  // Error(Data) "not frozen yet: receiptbench freeze ..."
    std::vector<HostTensor> initialWeights() const;
    // Checked against the contract's digests: Error(Data). full: every pixel is hashed.
    FrozenSet frozen(bool full = false) const;
    std::string validationDigest() const;  // of the frozen validation population: split and pixels
    std::unique_ptr<BatchSource> trainSource() const;  // with the contract's augmentation
    std::unique_ptr<BatchSource> validationSource() const;

 private:
    Project(FileSystem& files, std::string root);
    std::unique_ptr<BatchSource> source(bool training) const;
    FileSystem* files_;
    ProjectPaths paths_;
};

// Error(Failed) once the project is frozen. An implied label (--derive) is remembered: freeze then
// derives.
Catalogue importInto(Project& project, const ImportOptions& options,
                     Progress& progress = Progress::none());
Catalogue loadCatalogue(const Project& project);      // Error(Data) "nothing imported yet"
bool cataloguesReadableOnly(const Project& project);  // imported with an implied label

// contract's digests, sizes, labels and model revision are filled in here. When fp32 fits at no
// microbatch within memoryLimit, Error(OverBudget) proposes a smaller image or model that does.
struct FreezeRequest {
    FreezeOptions data;
    ExperimentContract contract;
    std::int64_t memoryLimit = 0;
    bool checkBudget = true;
};
// Everything that freezing can refuse without decoding an image; nothing is written. project: null
// for one that does not exist yet (the embedded example).
void checkFreeze(const Project* project, const FreezeRequest& request);
// The same of what would be imported; request.data.derive as it will be.
void checkFreeze(const Catalogue& catalogue, const FreezeRequest& request);
LoadedContract freezeProject(Project& project, const FreezeRequest& request,
                             Progress& progress = Progress::none(),
                             const CancelToken* cancel = nullptr);

// The peak that microbatch 16 needs in fp32, and a quarter more: the full update does not fit, so
// the budget bites.
std::int64_t suggestBudget(const ExperimentContract& contract, std::int64_t classes,
                           int threads = 2);

PlanResult planProject(const Project& project, const PlanOptions& options,
                       Progress& progress = Progress::none(),
                       const CancelToken* cancel = nullptr);  // stored below plans/
std::optional<PlanResult> storedPlan(const Project& project, Precision precision);
GradientCheckResult checkProject(const Project& project, const RunPlan& plan,
                                 std::int64_t memoryLimit);

}  // namespace receiptbench
