#include "core/evaluate/json.h"

#include "core/base/error.h"
#include "core/evaluate/changes.h"
#include "core/evaluate/verdict.h"

namespace receiptbench {

void to_json(nlohmann::json& json, const Metrics& metrics) {
    json = {{"examples", metrics.examples},
            {"correct", metrics.correct},
            {"invalid", metrics.invalid},
            {"accuracy", optionalJson(metrics.accuracy)},
            {"accuracyInterval", metrics.accuracyInterval},
            {"balancedAccuracy", optionalJson(metrics.balancedAccuracy)},
            {"macroF1", optionalJson(metrics.macroF1)},
            {"nll", optionalJson(metrics.nll)},
            {"brier", optionalJson(metrics.brier)},
            {"ece", optionalJson(metrics.ece)},
            {"auroc", optionalJson(metrics.auroc)},
            {"averagePrecision", optionalJson(metrics.averagePrecision)},
            {"confusion", metrics.confusion}};
    json["classes"] = nlohmann::json::array();
    for (const auto& one : metrics.classes) {
        json["classes"].push_back({{"support", one.support},
                                   {"predicted", one.predicted},
                                   {"correct", one.correct},
                                   {"precision", optionalJson(one.precision)},
                                   {"recall", optionalJson(one.recall)},
                                   {"f1", optionalJson(one.f1)}});
    }
}

void from_json(const nlohmann::json& json, Metrics& metrics) {
    metrics = {};
    json.at("examples").get_to(metrics.examples);
    json.at("correct").get_to(metrics.correct);
    json.at("invalid").get_to(metrics.invalid);
    metrics.accuracy = optionalDouble(json.at("accuracy"));
    json.at("accuracyInterval").get_to(metrics.accuracyInterval);
    metrics.balancedAccuracy = optionalDouble(json.at("balancedAccuracy"));
    metrics.macroF1 = optionalDouble(json.at("macroF1"));
    metrics.nll = optionalDouble(json.at("nll"));
    metrics.brier = optionalDouble(json.at("brier"));
    metrics.ece = optionalDouble(json.at("ece"));
    metrics.auroc = optionalDouble(json.at("auroc"));
    metrics.averagePrecision = optionalDouble(json.at("averagePrecision"));
    json.at("confusion").get_to(metrics.confusion);
    for (const auto& one : json.at("classes")) {
        ClassMetrics read;
        one.at("support").get_to(read.support);
        one.at("predicted").get_to(read.predicted);
        one.at("correct").get_to(read.correct);
        read.precision = optionalDouble(one.at("precision"));
        read.recall = optionalDouble(one.at("recall"));
        read.f1 = optionalDouble(one.at("f1"));
        metrics.classes.push_back(read);
    }
}

void to_json(nlohmann::json& json, const ThresholdChange& change) {
    json = {{"label", change.label},
            {"examples", change.examples},
            {"acceptToReject", change.acceptToReject},
            {"rejectToAccept", change.rejectToAccept},
            {"nearThreshold", change.nearThreshold},
            {"nearThresholdOf", "baseline"},  // in each run's row
            {"argmaxChanges", change.argmaxChanges},
            {"invalid", change.invalid},
            {"largestChange", optionalJson(change.largestChange)},
            {"meanChange", optionalJson(change.meanChange)},
            {"changedShare",
             change.changedShare ? nlohmann::json(*change.changedShare) : nlohmann::json()},
            {"mcnemarP", optionalJson(change.mcnemarP)},
            {"holmP", optionalJson(change.holmP)},
            {"words", change.words},
            {"flipped", change.flipped}};
}

void from_json(const nlohmann::json& json, ThresholdChange& change) {
    change = {};
    json.at("label").get_to(change.label);
    json.at("examples").get_to(change.examples);
    json.at("acceptToReject").get_to(change.acceptToReject);
    json.at("rejectToAccept").get_to(change.rejectToAccept);
    json.at("nearThreshold").get_to(change.nearThreshold);
    json.at("argmaxChanges").get_to(change.argmaxChanges);
    json.at("invalid").get_to(change.invalid);
    change.largestChange = optionalDouble(json.at("largestChange"));
    change.meanChange = optionalDouble(json.at("meanChange"));
    if (!json.at("changedShare").is_null()) {
        change.changedShare = json.at("changedShare").get<Interval>();
    }
    change.mcnemarP = optionalDouble(json.at("mcnemarP"));
    change.holmP = optionalDouble(json.at("holmP"));
    json.at("words").get_to(change.words);
    json.at("flipped").get_to(change.flipped);
}

namespace {

const char* toText(Rule::State state) {
    switch (state) {
        case Rule::State::Passed:
            return "passed";
        case Rule::State::Failed:
            return "failed";
        case Rule::State::NotJudged:
            break;
    }
    return "not judged";
}

template <typename Value>
Value fromText(const std::string& text,
               std::initializer_list<std::pair<const char*, Value>> choices, const char* what) {
    for (const auto& [name, value] : choices) {
        if (text == name) {
            return value;
        }
    }
    throw Error(ErrorCode::Data, std::string(what) + " \"" + text + "\" is unknown");
}

}  // namespace

void to_json(nlohmann::json& json, const Verdict& verdict) {
    json = {{"outcome", toString(verdict.outcome)},
            {"words", verdict.words},
            {"rules", nlohmann::json::array()}};
    for (const auto& rule : verdict.rules) {
        json["rules"].push_back(
            {{"name", rule.name}, {"state", toText(rule.state)}, {"figures", rule.figures}});
    }
}

void from_json(const nlohmann::json& json, Verdict& verdict) {
    verdict = {};
    verdict.outcome = fromText<Outcome>(json.at("outcome").get<std::string>(),
                                        {{"preserved", Outcome::Preserved},
                                         {"not preserved", Outcome::NotPreserved},
                                         {"not comparable", Outcome::NotComparable}},
                                        "outcome");
    json.at("words").get_to(verdict.words);
    for (const auto& rule : json.at("rules")) {
        verdict.rules.push_back({rule.at("name").get<std::string>(),
                                 fromText<Rule::State>(rule.at("state").get<std::string>(),
                                                       {{"passed", Rule::State::Passed},
                                                        {"failed", Rule::State::Failed},
                                                        {"not judged", Rule::State::NotJudged}},
                                                       "rule state"),
                                 rule.at("figures").get<std::string>()});
    }
}

}  // namespace receiptbench
