#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

#include "app/context.h"
#include "app/options.h"
#include "app/output.h"
#include "app/signals.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace receiptbench {
namespace {

void addGlobalOptions(CLI::App& app, Context& context) {
    app.set_version_flag("--version", RECEIPTBENCH_VERSION);
    app.add_option("-p,--project", context.project, "Project folder (default: the current one)");
    app.add_flag("--json", context.json, "Data as JSON with a schema version");
    app.add_flag("-q,--quiet", context.quiet, "No progress");
    app.add_flag("-v,--verbose", context.verbose, "Every update and message");
    app.add_flag("-y,--yes", context.yes, "Do not ask");
    app.add_flag("-n,--dry-run", context.dryRun,
                 "Say what would be done (import, freeze, train, demo)");
    app.require_subcommand(1);
    app.fallthrough();
    app.footer(
        "Exit codes: 0 ok, 1 failed, 2 usage, 3 data or contract mismatch, 4 over budget, 5 no "
        "valid checkpoint,\n"
        "6 no device, 10 verdict not preserved, 11 not comparable, 130/143 stopped by a signal.");
}

// A caller may have closed them: the next file would get their number, and the progress into it.
void openStandardStreams() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
            ::open("/dev/null", O_RDWR);  // takes the lowest free number: this one
        }
    }
}

int run(CLI::App& app, Context& context, int argc, char** argv) {
    try {
        app.parse(argc, argv);  // runs the chosen command's callback
        return context.exitCode;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
            return app.exit(error);  // --help, --version
        }
        // CLI11 says only that a command is missing when the word given is none.
        const auto unknown = app.remaining();
        complain(unknown.empty() ? error.what()
                                 : fmt::format("{}: {}", error.what(), printable(unknown.front())),
                 "see receiptbench --help, or receiptbench COMMAND --help");
        return static_cast<int>(ErrorCode::Usage);
    } catch (const Error& error) {
        complain(error.what(), error.hint());
        return error.code() == ErrorCode::Interrupted && signalExitCode() != 0
                   ? signalExitCode()
                   : static_cast<int>(error.code());
    } catch (const std::exception& error) {
        complain(printable(error.what()));
        return static_cast<int>(ErrorCode::Failed);
    }
}

}  // namespace
}  // namespace receiptbench

int main(int argc, char** argv) {
    receiptbench::openStandardStreams();
    receiptbench::Context context;
    std::error_code unknown;
    context.program = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
    CLI::App app(
        "Trains a receipt-quality classifier under a memory budget and proves that the result is "
        "preserved.",
        "receiptbench");
    receiptbench::addGlobalOptions(app, context);
    receiptbench::addDemoCommand(app, context);
    receiptbench::addDataCommands(app, context);
    receiptbench::addTrainCommands(app, context);
    receiptbench::addDrillCommand(app, context);
    receiptbench::addResultCommands(app, context);
    receiptbench::addPredictCommands(app, context);
    receiptbench::addContractCommand(app, context);
    receiptbench::readWholeNumbersStrictly(app);
    const int code = receiptbench::run(app, context, argc, argv);
    if (!receiptbench::outputArrived()) {
        receiptbench::complain("some of the output could not be written",
                               "make room where it goes, and ask again");
        return code == 0 ? static_cast<int>(receiptbench::ErrorCode::Failed) : code;
    }
    return code;
}
