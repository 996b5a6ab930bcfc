#include "core/workbench/verification.h"

#include <functional>

#include "core/base/text.h"
#include "core/workbench/run_checkpoint.h"

namespace receiptbench {
namespace {

Verified verify(const std::string& what, const std::function<void()>& look) {
    Verified verified{what, {}, {}};
    try {
        look();
    } catch (const Error& error) {
        verified.problem = printable(error.what());
        verified.remedy = printable(error.hint());
    } catch (const std::exception& error) {
        verified.problem = printable(error.what());
    }
    return verified;
}

void verifyRun(const Project& project, const RunOverview& run) {
    if (!run.problem.empty()) {
        throw Error(ErrorCode::Data, run.problem, "restore the run's files, or remove its folder");
    }
    auto& files = project.files();
    const auto loaded = project.contract();
    demandContract(run.description, loaded);
    const auto own = joinPath(run.folder, "contract.json");
    if (files.exists(own) && loadContract(files, own).hash != loaded.hash) {
        throw Error(ErrorCode::Data, own + " is not the project's contract",
                    "restore it, or remove the run's folder");
    }
    if (!listCheckpoints(files, joinPath(run.folder, "checkpoints")).empty()) {
        resultCheckpoint(files, run.folder, run.description);
    }
}

}  // namespace

std::vector<Verified> verifyProject(const Project& project) {
    std::vector<Verified> all;
    all.push_back(verify("contract", [&] { validateContract(project.contract().contract); }));
    all.push_back(verify("split and pictures", [&] { project.frozen(true); }));
    all.push_back(verify("initial weights", [&] { project.initialWeights(); }));
    for (const auto& run : listRuns(project.files(), project.paths().root)) {
        all.push_back(verify("run " + run.description.name, [&] { verifyRun(project, run); }));
    }
    return all;
}

}  // namespace receiptbench
