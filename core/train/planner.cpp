#include "core/train/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/train/environment_torch.h"
#include "core/train/probe_torch.h"
#include "core/train/trainer.h"

namespace receiptbench {
namespace {

constexpr std::int64_t kCandidates[] = {4, 8, 12, 16, 24, 32, 47};
constexpr std::int64_t kFallbacks[] = {2,
                                       1};  // only where no larger one fits: they are never faster
constexpr double kExploreShare = 1.0 / 6;   // of secondsPerProbe, for a first look
constexpr double kTotalProbes = 10;         // whole planning: about so many times secondsPerProbe
constexpr double kExploreUntil = 0.6;       // share of it after which no new candidate is begun
constexpr double kDominated = 0.75, kContender = 0.9, kNearTie = 0.97;  // of the best speed
constexpr double kGain = 1.03;  // a larger microbatch that brings less has stopped to grow
constexpr std::int64_t kWithoutGain = 2;  // candidates in a row
constexpr std::size_t kMostContenders = 4;
// Blocks lie elsewhere in a run than in a trial, so that its holes differ: a plan leaves them room.
constexpr std::int64_t kReserveShare = 64;
constexpr std::int64_t kPage = 4096;

// What is known about one memory format.
struct Format {
    MemoryFormat format = MemoryFormat::Contiguous;
    bool open = true;  // larger ones are worth trying
    std::int64_t largestFits = 0;
    std::int64_t smallestFails = 0;  // 0: none
    double best = 0;                 // examples/s
    std::int64_t withoutGain = 0;
};

class Planner {
 public:
    Planner(const ExperimentContract& contract, const std::vector<HostTensor>& weights,
            const BatchSource& train, const PlanOptions& options, Progress& progress,
            const CancelToken* cancel)
        : contract_(contract),
          options_(options),
          progress_(progress),
          cancel_(cancel),
          prober_(contract, weights, train) {
        for (const MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
            if (!options.memoryFormat || *options.memoryFormat == format) {
                formats_.push_back({});
                formats_.back().format = format;
            }
        }
        result_.memoryLimit = options.memoryLimit;
        begun_ = Clock::system().seconds();
    }

    PlanResult run() {
        explore();
        fallBack();
        bisect();
        refine();
        choose();
        if (!result_.chosen) {
            result_.bytesForOneExample = bytesForOne();
        }
        return result_;
    }

 private:
    RunPlan planFor(const Format& format, std::int64_t microbatch) const {
        return {options_.precision, microbatch, format.format, options_.threads};
    }
    std::int64_t trialLimit() const {
        return options_.memoryLimit - options_.memoryLimit / kReserveShare;
    }
    double elapsed() const { return Clock::system().seconds() - begun_; }
    double allowed() const { return kTotalProbes * options_.secondsPerProbe; }
    double best() const {
        double speed = 0;
        for (const Probe& probe : result_.probes) {
            speed = std::max(speed, probe.examplesPerSecond);
        }
        return speed;
    }

    void checkCancelled() const {
        if (cancel_ != nullptr && cancel_->finishRequested()) {
            throw Error(ErrorCode::Interrupted, "planning was stopped");
        }
    }

    // Tries one and files what it says.
    bool tryOne(Format& format, std::int64_t microbatch, double seconds) {
        checkCancelled();
        Probe probe = prober_.run(planFor(format, microbatch), trialLimit(), seconds);
        progress_.note(fmt::format(
            "{} {} microbatch {}: {}", toString(options_.precision), toString(format.format),
            microbatch,
            probe.fits ? fmt::format("{:.1f} examples/s, peak {}", probe.examplesPerSecond,
                                     formatBytes(probe.peak.total))
                       : probe.reason));
        progress_.step(static_cast<std::int64_t>(result_.probes.size()) + 1);
        if (probe.fits) {
            format.largestFits = std::max(format.largestFits, microbatch);
            format.withoutGain =
                probe.examplesPerSecond < kGain * format.best ? format.withoutGain + 1 : 0;
            format.best = std::max(format.best, probe.examplesPerSecond);
        } else if (format.smallestFails == 0 || microbatch < format.smallestFails) {
            format.smallestFails = microbatch;
        }
        result_.probes.push_back(std::move(probe));
        return result_.probes.back().fits;
    }

    std::vector<std::int64_t> candidates() const {
        const std::int64_t cap = contract_.examplesPerUpdate;
        if (options_.microbatch) {
            return {std::min(*options_.microbatch, cap)};
        }
        std::vector<std::int64_t> sizes;
        for (const std::int64_t size : kCandidates) {
            if (size < cap) {
                sizes.push_back(size);
            }
        }
        sizes.push_back(cap);
        return sizes;
    }

    // Would a look at this one overrun the time for exploring? Never before something fits.
    bool tooSlow(const Format& format, std::int64_t microbatch) const {
        const double speed = std::max(format.best, 1e-9);
        const double expected =
            2 * static_cast<double>(microbatch) / speed;  // warm-up and at least one measured
        return best() > 0 && format.best > 0 && elapsed() + expected > kExploreUntil * allowed();
    }

    void explore() {
        for (const std::int64_t microbatch : candidates()) {
            for (Format& format : formats_) {
                if (format.open && !tooSlow(format, microbatch)) {
                    format.open =
                        tryOne(format, microbatch, kExploreShare * options_.secondsPerProbe);
                }
            }
            for (Format& format : formats_) {
                const bool dominated =
                    format.best < kDominated * best() && format.largestFits > kCandidates[0];
                format.open = format.open && !dominated && format.withoutGain < kWithoutGain;
            }
        }
    }

    void fallBack() {
        for (const std::int64_t microbatch : kFallbacks) {
            for (Format& format : formats_) {
                if (!options_.microbatch && format.largestFits == 0 &&
                    microbatch < format.smallestFails) {
                    tryOne(format, microbatch, kExploreShare * options_.secondsPerProbe);
                }
            }
        }
    }

    // Memory was the limit of the faster format: the largest between what fits and what does not.
    void bisect() {
        const auto faster =
            std::max_element(formats_.begin(), formats_.end(),
                             [](const Format& a, const Format& b) { return a.best < b.best; });
        if (faster->largestFits == 0 || faster->smallestFails == 0) {
            return;
        }
        const std::int64_t fits = faster->largestFits;
        largestThatFits(faster->smallestFails - fits - 1, [&](std::int64_t more) {
            return tryOne(*faster, fits + more, kExploreShare * options_.secondsPerProbe);
        });
    }

    // The best of the first look again and longer: a short look is noisy.
    void refine() {
        std::vector<Probe*> contenders;
        const double fastest = best();
        for (Probe& probe : result_.probes) {
            if (probe.fits && probe.examplesPerSecond >= kContender * fastest) {
                contenders.push_back(&probe);
            }
        }
        std::stable_sort(contenders.begin(), contenders.end(), [](const Probe* a, const Probe* b) {
            return a->examplesPerSecond > b->examplesPerSecond;
        });
        if (contenders.size() < 2) {
            return;
        }
        contenders.resize(std::min(contenders.size(), kMostContenders));
        for (Probe* contender : contenders) {
            checkCancelled();
            const double expected =
                2 * static_cast<double>(contender->plan.microbatch) / contender->examplesPerSecond;
            if (elapsed() + std::max(expected, options_.secondsPerProbe) > allowed()) {
                return;
            }
            Probe longer = prober_.run(contender->plan, trialLimit(), options_.secondsPerProbe);
            // One that no longer fits was too close to the limit to be relied on.
            *contender = std::move(longer);
        }
    }

    void choose() {
        const double fastest = best();
        const Probe* chosen = nullptr;
        for (const Probe& probe : result_.probes) {
            const bool near = probe.fits && probe.examplesPerSecond >= kNearTie * fastest;
            if (near && (chosen == nullptr || probe.peak.total < chosen->peak.total)) {
                chosen = &probe;
            }
        }
        if (chosen != nullptr) {
            result_.chosen = chosen->plan;
        }
    }

    // The smallest budget, to about 5 %, in which an update by single examples was seen to run, and
    // the reserve.
    std::int64_t bytesForOne() {
        std::int64_t smallest = 0;
        for (const Format& format : formats_) {
            const RunPlan plan = planFor(format, 1);
            std::int64_t bytes = prober_.run(plan, 0, 0).peak.total;
            while (smallest == 0 || bytes < smallest) {
                checkCancelled();
                if (prober_.run(plan, bytes, 0).fits) {
                    smallest = bytes;
                    break;
                }
                bytes += std::max(kPage, bytes / 20);
            }
        }
        const auto withReserve = smallest + smallest / (kReserveShare - 1) + 1;
        return (withReserve + kPage - 1) / kPage * kPage;
    }

    const ExperimentContract& contract_;
    PlanOptions options_;
    Progress& progress_;
    const CancelToken* cancel_;
    Prober prober_;
    std::vector<Format> formats_;
    PlanResult result_;
    double begun_ = 0;
};

void checkPlanOptions(const PlanOptions& options) {
    if (options.microbatch && *options.microbatch < 1) {
        throw Error(ErrorCode::Usage,
                    fmt::format("microbatch is {}, it must be 1 or more", *options.microbatch));
    }
    if (options.threads < 1) {
        throw Error(ErrorCode::Usage,
                    fmt::format("threads is {}, it must be 1 or more", options.threads));
    }
    if (options.memoryLimit < 0) {
        throw Error(ErrorCode::Usage,
                    fmt::format("memory limit is {} bytes, it must be 0 (none) or more",
                                options.memoryLimit));
    }
}

}  // namespace

PlanResult planRun(const ExperimentContract& contract, const std::vector<HostTensor>& weights,
                   const BatchSource& train, const PlanOptions& options, Progress& progress,
                   const CancelToken* cancel) {
    checkPlanOptions(options);
    checkSource(contract, train);
    prepareTorch(options.threads);
    if (const std::string reason = unsupportedReason(options.precision); !reason.empty()) {
        PlanResult result;
        result.memoryLimit = options.memoryLimit;
        result.notSupported = reason;
        return result;
    }
    const KeepGenerator keep;
    progress.stage(fmt::format("finding the microbatch for {}", toString(options.precision)), 0);
    return Planner(contract, weights, train, options, progress, cancel).run();
}

Error nothingFits(const PlanResult& result, Precision precision) {
    const auto within = formatBytes(result.memoryLimit);
    const auto one = fmt::format("one example needs {} ({} bytes)",
                                 formatBytes(result.bytesForOneExample), result.bytesForOneExample);
    const auto tried = result.probes.empty() ? 1 : result.probes.front().plan.microbatch;
    const bool onlyOne =
        std::all_of(result.probes.begin(), result.probes.end(),
                    [tried](const Probe& probe) { return probe.plan.microbatch == tried; });
    if (onlyOne && tried > 1) {
        return {ErrorCode::OverBudget,
                fmt::format("{} does not fit within {} at microbatch {}; {}", toString(precision),
                            within, tried, one),
                "use a smaller --microbatch, leave it out to have one found, or raise --budget"};
    }
    return {ErrorCode::OverBudget,
            fmt::format("{} fits at no microbatch within {}: {}", toString(precision), within, one),
            "raise --budget to that or more, or freeze a smaller image or model"};
}

std::int64_t largestThatFits(std::int64_t cap, const std::function<bool(std::int64_t)>& fits) {
    std::int64_t good = 0, bad = cap + 1;
    while (bad - good > 1) {
        // The cap itself first: it is the likeliest wish.
        const std::int64_t next = bad == cap + 1 && good == 0 ? cap : good + (bad - good) / 2;
        (fits(next) ? good : bad) = next;
    }
    return good;
}

}  // namespace receiptbench
