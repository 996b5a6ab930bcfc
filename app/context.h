// What every command gets from the command line, and how it answers.
#pragma once

#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/base/cancel.h"
#include "core/base/file_system.h"

namespace receiptbench {

struct Context {
    std::string program;  // path of this executable, for the drill's child
    std::string project = ".";
    bool json = false;     // data on stdout as JSON with a schema version
    bool quiet = false;    // no progress
    bool verbose = false;  // every update and message
    bool yes = false;      // answers questions
    bool dryRun = false;   // says what would be done
    int exitCode = 0;
    CancelToken* cancel = nullptr;

    FileSystem& files() const { return posixFileSystem(); }
};

// Exit codes beside those of ErrorCode.
inline constexpr int kNotPreserved = 10, kNotComparable = 11;

void addDataCommands(CLI::App& app, Context& context);    // import, freeze
void addTrainCommands(CLI::App& app, Context& context);   // plan, check, train, evaluate
void addDrillCommand(CLI::App& app, Context& context);    // drill
void addResultCommands(CLI::App& app, Context& context);  // compare, select, report, runs, doctor
void addContractCommand(CLI::App& app, Context& context);  // contract show, diff, verify
void addPredictCommands(CLI::App& app, Context& context);  // export, predict
void addDemoCommand(CLI::App& app, Context& context);     // demo

}  // namespace receiptbench
