// A report object as core/report gathers it, with plausible figures, without training anything.
#pragma once

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

namespace receiptbench {

inline nlohmann::json exampleUpdate(int number, int updates, bool scaled, bool skipped, int mode) {
    const double progress = static_cast<double>(number) / updates;
    const double wave = 0.08 * std::sin(0.9 * number + mode) + 0.05 * std::cos(2.3 * number);
    const double scale = scaled ? (number > updates / 2 ? 32768.0 : 65536.0) : 1.0;
    return {{"update", number},
            {"accepted", 47},
            {"classMix", {16, 16, 15}},
            {"loss", 1.1 * std::exp(-2.2 * progress) + wave + 0.15},
            {"gradientNorm",
             skipped ? nlohmann::json() : nlohmann::json(2.5 * std::exp(-progress) + wave)},
            {"nonFiniteElements", skipped ? 3 : 0},
            {"scaleBefore", scale},
            {"scaleAfter", skipped ? scale / 2 : scale},
            {"wasApplied", !skipped},
            {"skipReason", skipped ? "non-finite gradients" : ""},
            {"overflowInjected", skipped ? "one gradient element set to inf on purpose" : ""},
            {"memory", {{"total", 48 << 20}}}};
}

inline nlohmann::json exampleCategories(double activations) {
    return {{"parameters", 4 << 20},
            {"gradients", 4 << 20},
            {"optimizer", 8 << 20},
            {"inputs", 3 << 20},
            {"activations", static_cast<std::int64_t>(activations)},
            {"other", 400000}};
}

inline nlohmann::json exampleTrace(int updates) {
    nlohmann::json trace = nlohmann::json::array();
    const double levels[] = {0.2, 9, 27, 14, 2};
    double seconds = 0;
    for (int update = 1; update <= updates; ++update) {
        for (int microbatch = 1; microbatch <= 3; ++microbatch) {
            for (const double level : levels) {
                seconds += 0.03;
                const double activations = level * (microbatch == 3 ? 0.93 : 1.0) * (1 << 20);
                trace.push_back(
                    {{"seconds", seconds},
                     {"update", update},
                     {"microbatch", microbatch},
                     {"phase", "forward"},
                     {"total", static_cast<std::int64_t>(activations) + (19 << 20) + 400000},
                     {"byCategory", exampleCategories(activations)}});
            }
        }
    }
    return trace;
}

inline nlohmann::json exampleCheck() {
    nlohmann::json layers = nlohmann::json::array();
    for (int i = 0; i < 24; ++i) {
        layers.push_back({{"parameter", "stages." + std::to_string(i / 6) + ".block." +
                                            std::to_string(i % 6) + ".weight"},
                          {"fullNorm", 0.02 + 0.01 * i},
                          {"relativeL2", 2e-7 + 1e-8 * i},
                          {"wrongRelativeL2", 0.02 + 0.001 * (i % 7)},
                          {"largestAbsolute", 3e-8}});
    }
    return {{"examples", 47},       {"microbatches", {16, 16, 15}},
            {"height", 96},         {"width", 128},
            {"reducedSize", false}, {"reason", ""},
            {"relativeL2", 3.1e-7}, {"wrongRelativeL2", 0.021},
            {"worstLayer", "stages.3.block.5.weight"}, {"worstRelativeL2", 4.3e-7},
            {"tolerance", 5e-6},    {"passed", true},
            {"layers", layers}};
}

inline nlohmann::json exampleMetrics(int wrong) {
    const int right = 112 - wrong;
    return {{"examples", 120},
            {"correct", right},
            {"invalid", 0},
            {"accuracy", right / 120.0},
            {"accuracyInterval", {right / 120.0 - 0.06, right / 120.0 + 0.035}},
            {"balancedAccuracy", right / 120.0},
            {"macroF1", right / 120.0 - 0.004},
            {"nll", 0.21 + 0.01 * wrong},
            {"brier", 0.11},
            {"ece", 0.03},
            {"auroc", 0.981},
            {"averagePrecision", 0.962},
            {"confusion", {{38, 1, 1}, {2, 37 - wrong, 1 + wrong}, {1, 2, 37}}},
            {"classes",
             {{{"support", 40},
               {"predicted", 41},
               {"correct", 38},
               {"precision", 0.927},
               {"recall", 0.95},
               {"f1", 0.938}},
              {{"support", 40},
               {"predicted", 40},
               {"correct", 37 - wrong},
               {"precision", 0.925},
               {"recall", 0.925},
               {"f1", 0.925}},
              {{"support", 40},
               {"predicted", 39},
               {"correct", 37},
               {"precision", 0.949},
               {"recall", 0.925},
               {"f1", nullptr}}}}};
}

inline nlohmann::json exampleRun(const std::string& name, const std::string& kind,
                                 const std::string& precision, int mode) {
    const int updates = 60;
    const bool scaled = precision == "fp16", overflow = kind == "overflow";
    nlohmann::json list = nlohmann::json::array();
    for (int i = 1; i <= updates; ++i) {
        list.push_back(exampleUpdate(i, updates, scaled, overflow && i == 30, mode));
    }
    return {{"name", name},
            {"kind", kind},
            {"state", "finished"},
            {"precision", precision},
            {"microbatch", 16},
            {"memoryFormat", "channels-last"},
            {"threads", 2},
            {"memoryLimit", 64 << 20},
            {"normalisation", kind == "wrong" ? "mean-of-means" : "accepted-count"},
            {"environment",
             {{"torchVersion", "2.13.0"},
              {"cpuCapability", "AVX512"},
              {"device", "cpu"},
              {"threads", 2},
              {"oneDnn", true},
              {"deterministic", true}}},
            {"created", "2026-03-04T05:06:0" + std::to_string(mode) + ".123Z"},
            {"gradientCheck", exampleCheck()},
            {"ledger",
             {{"attempted", updates},
              {"applied", updates - overflow},
              {"skipped", overflow ? 1 : 0},
              {"updatesWithNonFiniteGradients", overflow ? 1 : 0},
              {"acceptedExamples", 47 * updates},
              {"fewestAcceptedInAnUpdate", 47},
              {"mostAcceptedInAnUpdate", 47},
              {"classMix", {960, 960, 900}},
              {"replans", 0},
              {"examplesPerSecond", 118.4 - 20 * mode},
              {"peak",
               {{"total", (46 << 20) + 400000},
                {"atPeak", exampleCategories(27 << 20)},
                {"reserved", 52 << 20}}},
              {"peakAtUpdate", 2}}},
            {"timeBreakdown",
             {{"data", 1.2},
              {"forward", 9.5},
              {"backward", 17.25},
              {"optimizer", 1.1},
              {"checkpoint", 0.9},
              {"other", 0.3}}},
            {"updates", list},
            {"memoryTrace", exampleTrace(updates)},
            {"checkpoints", {{{"file", "a"}}, {{"file", "b"}}}},
            {"resumes", nlohmann::json::array()},
            {"messages", nlohmann::json::array()},
            {"damagedLines", 0},
            {"metrics", exampleMetrics(mode)},
            {"end", {{"state", "finished"}, {"time", "2026-03-04T05:16:07.000Z"}}}};
}

inline nlohmann::json exampleChanges() {
    nlohmann::json changes = nlohmann::json::array();
    int id = 4;
    for (const char* label : {"readable", "blurred", "cut-off"}) {
        changes.push_back({{"label", label},
                           {"examples", 40},
                           {"acceptToReject", 1},
                           {"rejectToAccept", 1},
                           {"nearThreshold", 3},
                           {"largestChange", 0.0713},
                           {"meanChange", 0.0042},
                           {"changedShare", {0.014, 0.165}},
                           {"mcnemarP", 1.0},
                           {"holmP", 1.0},
                           {"words", "no clear change"},
                           {"flipped", {id, id + 1}}});
        id += 17;
    }
    changes.push_back({{"label", "all"},
                       {"examples", 120},
                       {"acceptToReject", 3},
                       {"rejectToAccept", 3},
                       {"nearThreshold", 9},
                       {"largestChange", 0.0713},
                       {"meanChange", 0.0042},
                       {"changedShare", {0.02, 0.1}},
                       {"mcnemarP", 1.0},
                       {"holmP", nullptr},
                       {"words", "no clear change"},
                       {"flipped", {4, 5, 21, 22, 38, 39}}});
    return changes;
}

inline nlohmann::json exampleVerdict(const std::string& name, bool wrong) {
    return {
        {"facts",
         {{"name", name}, {"precision", wrong ? "fp32" : name}, {"wrongNormalisation", wrong}}},
        {"kind", wrong ? "wrong" : "run"},
        {"expected", wrong ? "not preserved" : "preserved"},
        {"changes", exampleChanges()},
        {"accuracyDifference", {-0.017, 0.009}},
        {"verdict",
         {{"outcome", wrong ? "not preserved" : "preserved"},
          {"words",
           wrong ? name +
                       " does not preserve the result of fp32: loss normalised by accepted examples"
                 : name + " preserves the result of fp32 (111/120 against 112/120 correct)"},
          {"rules",
           {{{"name", "same contract"},
             {"state", "passed"},
             {"figures", "3f9a0c11d2e4 and 3f9a0c11d2e4"}},
            {{"name", "accepted examples per update"},
             {"state", "passed"},
             {"figures", "47 in 60 of 60 updates, total 2820 (baseline 2820)"}},
            {{"name", "loss normalised by accepted examples"},
             {"state", wrong ? "failed" : "passed"},
             {"figures", "sum of losses / accepted examples"}},
            {{"name", "memory within the budget"},
             {"state", "passed"},
             {"figures", "peak 46.4 MiB of 64.0 MiB"}},
            {{"name", "acceptance near the threshold"},
             {"state", "passed"},
             {"figures",
              "readable: -1 +1 (no clear change); blurred: -1 +1 (no clear change); cut-off: -1 +1 "
              "(no clear change); all: -3 +3 (no clear change)"}},
            {{"name", "recovery proven"},
             {"state", "not judged"},
             {"figures", "crash drill of this run"}}}}}}};
}

inline nlohmann::json exampleDrill() {
    nlohmann::json tape = nlohmann::json::array();
    const char* operations[] = {"create", "write", "write",  "write",
                                "sync",   "close", "rename", "sync-directory"};
    for (int i = 0; i < 8; ++i) {
        tape.push_back({{"index", i + 1},
                        {"operation", operations[i]},
                        {"bytes", i >= 1 && i <= 3 ? 1 << 20 : 0},
                        {"path", i == 6 ? "/data/run/checkpoints/.tmp-000050 -> "
                                          "/data/run/checkpoints/000050-1.safetensors"
                                        : "/data/run/checkpoints/.tmp-000050"}});
    }
    const nlohmann::json old{{"name", "000025-1.safetensors"}, {"kind", "file"}, {"size", 3300000}};
    const nlohmann::json half{{"name", ".tmp-000050"}, {"kind", "file"}, {"size", 1500000}};
    return {{"run", "fp32"},
            {"folder", "/data/drills/fp32-1"},
            {"tape", tape},
            {"crashedAtCall", 3},
            {"crashedAtUpdate", 50},
            {"when", "inside"},
            {"childSignal", 9},
            {"childExit", -1},
            {"before", {old}},
            {"afterCrash", {half, old}},
            {"afterRecovery", {old}},
            {"chosen", "000025-1.safetensors"},
            {"rejected", nlohmann::json::array()},
            {"removedTemporaries", {".tmp-000050"}},
            {"resumedAtUpdate", 25},
            {"comparedUpdates", 35},
            {"equalUpdates", 35},
            {"firstUpdateEqual", true},
            {"proven", true},
            {"notBitExact", ""},
            {"tolerance", 0.0},
            {"measuredDifference", 0.0},
            {"negativeControl", "sampler position moved by one"},
            {"negativeControlDiffers", true}};
}

inline nlohmann::json exampleContract() {
    return {{"labels", {"readable", "blurred", "cut-off"}},
            {"acceptLabel", "readable"},
            {"acceptanceThreshold", 0.5},
            {"nearThresholdBand", 0.05},
            {"nonInferiorityMargin", 0.02},
            {"splitDigest", std::string(64, 'a')},
            {"datasetDigest", std::string(64, 'b')},
            {"trainExamples", 480},
            {"validationExamples", 120},
            {"height", 128},
            {"width", 96},
            {"resizeRule", "letterbox-128"},
            {"mean", {0.5, 0.5, 0.5}},
            {"standardDeviation", {0.25, 0.25, 0.25}},
            {"augmentation", {{"horizontalFlip", true}, {"verticalFlip", true}}},
            {"model", {{"name", "receiptnet"}, {"width", 32}, {"revision", std::string(64, 'c')}}},
            {"optimizer", {{"name", "adamw"}, {"learningRate", 0.002}, {"weightDecay", 0.05}}},
            {"schedule", {{"name", "warmup_cosine"}, {"warmup", 20}}},
            {"loss",
             {{"name", "cross_entropy"},
              {"reduction", "sum/accepted"},
              {"labelSmoothing", 0.0},
              {"classWeights", nlohmann::json::array()}}},
            {"examplesPerUpdate", 47},
            {"lastUpdate", "carry"},
            {"clipNorm", 1.0},
            {"updates", 60},
            {"checkpointInterval", 25},
            {"seed", 83}};
}

inline nlohmann::json exampleReport() {
    const auto probe = [](int microbatch, bool fits) {
        return nlohmann::json{{"plan",
                               {{"precision", "fp32"},
                                {"microbatch", microbatch},
                                {"memoryFormat", "channels-last"},
                                {"threads", 2}}},
                              {"fits", fits},
                              {"peak", {{"total", microbatch * (3 << 20)}}},
                              {"examplesPerSecond", 90.0 + microbatch},
                              {"reason", fits ? "" : "activations 70.1 MiB of 64.0 MiB"}};
    };
    nlohmann::json report{
        {"schema", "receiptbench-report"},
        {"version", 1},
        {"contract", exampleContract()},
        {"contractHash", "3f9a0c11d2e4" + std::string(52, '7')},
        {"environment",
         {{"device", "cpu"},
          {"memoryLimit", 64 << 20},
          {"libraries",
           {{{"name", "LibTorch"}, {"version", "2.13.0"}},
            {{"name", "OpenCV"}, {"version", "4.6.0"}}}}}},
        {"data",
         {{"train", 480},
          {"validation", 120},
          {"splitDigest", std::string(64, 'a')},
          {"imported", 200},
          {"rejects",
           {{{"path", "shop/IMG_0001.jpg"},
             {"reason", "damaged"},
             {"message", "the file ends after 1203 bytes"}}}},
          {"warnings", nlohmann::json::array()}}},
        {"plans",
         {{"fp32",
           {{"chosen", probe(16, true)["plan"]},
            {"probes", {probe(8, true), probe(16, true), probe(24, false)}},
            {"memoryLimit", 64 << 20},
            {"bytesForOneExample", 20 << 20},
            {"notSupported", ""}}}}},
        {"runs",
         {exampleRun("fp32", "run", "fp32", 0), exampleRun("bf16", "run", "bf16", 1),
          exampleRun("fp16", "run", "fp16", 2), exampleRun("wrong", "wrong", "fp32", 3),
          exampleRun("overflow", "overflow", "fp16", 4)}},
        {"recovery", {exampleDrill()}},
        {"howToRecompute",
         {"receiptbench compare --project PROJECT recomputes metrics",
          "every figure of a ledger row is in runs/RUN/events.jsonl"}}};
    report["comparison"] = {{"baseline", {{"name", "fp32"}}},
                            {"runs",
                             {exampleVerdict("bf16", false), exampleVerdict("fp16", false),
                              exampleVerdict("wrong", true)}},
                            {"notSupported", nlohmann::json::array()}};
    return report;
}

}  // namespace receiptbench
