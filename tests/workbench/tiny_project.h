// A project that trains in well under a second: 16 drawn receipts, 32x32, the narrowest model.
#pragma once

#include <map>
#include <string>

#include "core/workbench/comparison.h"
#include "core/workbench/project.h"
#include "core/workbench/training.h"

namespace receiptbench {

inline FreezeRequest tinyRequest() {
    FreezeRequest request;
    request.data.syntheticIdentities = 16;
    request.data.derive = true;
    request.data.height = request.data.width = request.contract.height = request.contract.width =
        32;
    request.contract.model.width = 8;
    request.contract.examplesPerUpdate = 10;
    request.contract.updates = 6;
    request.contract.checkpointInterval = 2;
    request.contract.schedule.warmup = 2;
    return request;
}

inline Project tinyProject(const std::string& folder,
                           const FreezeRequest& request = tinyRequest()) {
    auto project = Project::create(posixFileSystem(), folder, "embedded example");
    freezeProject(project, request);
    return project;
}

// A fixed plan: probing is tested elsewhere.
inline TrainRequest tinyRun(Precision precision = Precision::Fp32) {
    TrainRequest request;
    request.precision = precision;
    request.microbatch = 4;
    request.memoryFormat = MemoryFormat::Contiguous;
    return request;
}

inline TrainOutcome train(const Project& project, const TrainRequest& request) {
    TrainListener nobody;
    const CancelToken never;
    return trainRun(project, request, nobody, never);
}

inline TrainOutcome resume(const Project& project, const ResumeRequest& request) {
    TrainListener nobody;
    const CancelToken never;
    return resumeRun(project, request, nobody, never);
}

inline std::map<std::int64_t, std::string> receipts(const Project& project,
                                                    const std::string& run) {
    std::map<std::int64_t, std::string> chain;
    for (const auto& update : readHistory(project.files(), project.paths().run(run)).updates) {
        chain[update.update] = update.receipt;
    }
    return chain;
}

// The code of the Error that the action throws, or -1; its text in message.
template <typename Action>
int errorCodeOf(Action action, std::string* message = nullptr) {
    try {
        action();
    } catch (const Error& error) {
        if (message != nullptr) {
            *message = std::string(error.what()) + " | " + error.hint();
        }
        return static_cast<int>(error.code());
    }
    return -1;
}

}  // namespace receiptbench
