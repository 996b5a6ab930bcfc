// Data goes to stdout, the rest to stderr.
#pragma once

#include <string>
#include <vector>

#include "app/context.h"
#include "core/base/progress.h"
#include "core/evaluate/verdict.h"
#include "core/workbench/training.h"

namespace receiptbench {

void printLine(const std::string& text);  // stdout
bool outputArrived();                     // false when some of it could not be written
void printJson(const std::string& command,
               nlohmann::json content);  // stdout, with schema and version
void printTable(const std::vector<std::vector<std::string>>& rows,
                bool head = true);  // stdout; the first row is the head
void complain(const std::string& message, const std::string& remedy = {});  // stderr
std::string bold(const std::string& text);  // on a terminal without NO_COLOR
std::string percent(const std::optional<double>& share);
std::string yesNo(bool value);

// Progress of long jobs: one line with the time left that is written anew on a terminal, plain
// lines elsewhere.
class TerminalProgress : public Progress, public TrainListener {
 public:
    explicit TerminalProgress(const Context& context);
    ~TerminalProgress() override;
    void end();  // the line makes room for what is printed next
    // Progress
    void stage(const std::string& name, std::int64_t steps) override;
    void step(std::int64_t done) override;
    void note(const std::string& line) override;  // only when verbose: every probe is one
    // TrainListener
    void onStart(const std::string& run, const RunPlan& plan) override;
    void onCheck(const GradientCheckResult& check) override;
    void onUpdate(const UpdateRecord& record) override;
    void onCheckpoint(const std::string& file, double seconds) override;
    void onMessage(const std::string& text) override;

 private:
    void say(const std::string& line);  // unless quiet
    void draw(const std::string& suffix, bool force);
    void clearLine();

    const Context& context_;
    bool terminal_;
    std::string name_;
    std::int64_t steps_ = 0, done_ = 0, first_ = 0;
    double start_ = 0, drawn_ = 0, firstAt_ = 0;
    bool lineOpen_ = false;
};

}  // namespace receiptbench
