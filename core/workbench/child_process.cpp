#include "core/workbench/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "core/base/error.h"

extern char** environ;

namespace receiptbench {
namespace {

class FileActions {
 public:
    explicit FileActions(const std::string& logFile) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, logFile.c_str(),
                                           O_WRONLY | O_CREAT | O_TRUNC, 0644);
        ::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    }
    ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
    posix_spawn_file_actions_t actions_;
};

pid_t start(const std::vector<std::string>& command, const std::string& logFile) {
    std::vector<char*> arguments;
    for (const auto& part : command) {
        arguments.push_back(const_cast<char*>(part.c_str()));
    }
    arguments.push_back(nullptr);
    const FileActions actions(logFile);
    pid_t child = 0;
    const int problem =
        ::posix_spawn(&child, arguments[0], actions.get(), nullptr, arguments.data(), environ);
    if (problem != 0) {
        throw Error(ErrorCode::Failed,
                    command.front() + " cannot be started: " + ::strerrordesc_np(problem),
                    "the drill needs the receiptbench program itself");
    }
    return child;
}

int waitFor(pid_t child, const CancelToken* cancel) {
    int status = 0;
    bool killed = false;
    for (;;) {
        const pid_t ended = ::waitpid(child, &status, killed ? 0 : WNOHANG);
        if (ended == child) {
            break;
        }
        if (ended < 0 && errno != EINTR) {
            throw Error(ErrorCode::Failed,
                        std::string("waiting for the child failed: ") + ::strerrordesc_np(errno));
        }
        if (!killed && cancel != nullptr && cancel->finishRequested()) {
            ::kill(child, SIGKILL);
            killed = true;
        } else if (!killed) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
    if (killed) {
        throw Error(ErrorCode::Interrupted, "the drill was interrupted");
    }
    return status;
}

}  // namespace

ChildEnd runChild(const std::vector<std::string>& command, const std::string& logFile,
                  const CancelToken* cancel) {
    const int status = waitFor(start(command, logFile), cancel);
    ChildEnd end;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return end;
}

}  // namespace receiptbench
