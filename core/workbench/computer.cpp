// What this computer has.
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <openssl/opensslv.h>
#include <nlohmann/json.hpp>
#include <opencv2/core/version.hpp>

#include "core/base/text.h"
#include "core/train/trainer.h"
#include "core/workbench/demo.h"

namespace receiptbench {
namespace {

// "key : value" of /proc/cpuinfo and /proc/meminfo; empty when it is not there.
std::string procValue(const char* file, const std::string& key) {
    std::ifstream stream(file);
    std::string line;
    while (std::getline(stream, line)) {
        const auto colon = line.find(':');
        if (colon != std::string::npos && trim(line.substr(0, colon)) == key) {
            return trim(line.substr(colon + 1));
        }
    }
    return {};
}

std::int64_t memoryValue(const std::string& key) {
    const auto text = procValue("/proc/meminfo", key);
    return parseInt(text.substr(0, text.find(' '))).value_or(0) * 1024;
}

int usableCores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

std::string abilityOf(Precision precision) {
    if (const auto reason = unsupportedReason(precision); !reason.empty()) {
        return "not supported: " + reason;
    }
    const auto slow = slowReason(precision);
    return slow.empty() ? "supported" : "slow: " + slow;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> usedLibraries() {
    return {
        {"LibTorch", currentEnvironment(2).torchVersion},
        {"OpenCV", CV_VERSION},
        {"OpenSSL", OPENSSL_VERSION_TEXT},
        {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                      NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
        {"fmt",
         fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)}};
}

ComputerFacts examineComputer() {
    constexpr std::int64_t kMiB = 1 << 20;
    ComputerFacts facts;
    facts.cores = usableCores();
    const auto environment = currentEnvironment(std::min(2, facts.cores));
    facts.processor = procValue("/proc/cpuinfo", "model name");
    facts.cpuCapability = environment.cpuCapability;
    facts.torchVersion = environment.torchVersion;
    facts.device = environment.device;
    facts.memoryBytes = memoryValue("MemTotal");
    facts.freeMemoryBytes = memoryValue("MemAvailable");
    facts.suggestedBudget =
        facts.freeMemoryBytes / 2 / kMiB * kMiB;  // half for what else runs here
    facts.libraries = usedLibraries();
    for (const auto precision : {Precision::Fp32, Precision::Bf16, Precision::Fp16}) {
        facts.precisions.emplace_back(toString(precision), abilityOf(precision));
    }
    if (facts.cores < 2) {
        facts.problems.push_back(
            "one core only: training takes about twice as long as the stated times");
    }
    if (facts.freeMemoryBytes < 1024 * kMiB) {
        facts.problems.push_back(
            fmt::format("only {} of memory are free", formatBytes(facts.freeMemoryBytes)));
    }
    if (!environment.oneDnn) {
        facts.problems.push_back("oneDNN is off: convolutions are several times slower");
    }
    return facts;
}

}  // namespace receiptbench
