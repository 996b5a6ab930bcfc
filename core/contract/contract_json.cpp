#include "core/contract/contract_json.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/contract/json_fields.h"

namespace receiptbench {
namespace {

using nlohmann::json;

json modelToJson(const ModelSpec& model) {
    return {{"name", model.name}, {"width", model.width}, {"revision", model.revision}};
}

json optimizerToJson(const OptimizerSpec& optimizer) {
    return {{"name", optimizer.name},
            {"learningRate", optimizer.learningRate},
            {"weightDecay", optimizer.weightDecay},
            {"beta1", optimizer.beta1},
            {"beta2", optimizer.beta2},
            {"epsilon", optimizer.epsilon},
            {"momentum", optimizer.momentum},
            {"nesterov", optimizer.nesterov},
            {"alpha", optimizer.alpha},
            {"decayNormsAndBiases", optimizer.decayNormsAndBiases}};
}

json scheduleToJson(const ScheduleSpec& schedule) {
    return {{"name", schedule.name},
            {"warmup", schedule.warmup},
            {"total", schedule.total},
            {"floor", schedule.floor},
            {"every", schedule.every},
            {"gamma", schedule.gamma},
            {"maxLearningRate", schedule.maxLearningRate}};
}

json lossToJson(const LossSpec& loss) {
    return {{"name", loss.name},
            {"reduction", loss.reduction},
            {"labelSmoothing", loss.labelSmoothing},
            {"classWeights", loss.classWeights}};
}

json scalerToJson(const ScalerSpec& scaler) {
    return {{"initScale", scaler.initScale},
            {"growthFactor", scaler.growthFactor},
            {"backoffFactor", scaler.backoffFactor},
            {"growthInterval", scaler.growthInterval},
            {"floor", scaler.floor}};
}

void readAugmentation(JsonFields fields, AugmentationSpec& augmentation) {
    fields.read("horizontalFlip", augmentation.horizontalFlip);
    fields.read("verticalFlip", augmentation.verticalFlip);
    fields.refuseUnknown();
}

void readModel(JsonFields fields, ModelSpec& model) {
    fields.read("name", model.name);
    fields.read("width", model.width);
    fields.read("revision", model.revision);
    fields.refuseUnknown();
}

void readOptimizer(JsonFields fields, OptimizerSpec& optimizer) {
    fields.read("name", optimizer.name);
    fields.read("learningRate", optimizer.learningRate);
    fields.read("weightDecay", optimizer.weightDecay);
    fields.read("beta1", optimizer.beta1);
    fields.read("beta2", optimizer.beta2);
    fields.read("epsilon", optimizer.epsilon);
    fields.read("momentum", optimizer.momentum);
    fields.read("nesterov", optimizer.nesterov);
    fields.read("alpha", optimizer.alpha);
    fields.read("decayNormsAndBiases", optimizer.decayNormsAndBiases);
    fields.refuseUnknown();
}

void readSchedule(JsonFields fields, ScheduleSpec& schedule) {
    fields.read("name", schedule.name);
    fields.read("warmup", schedule.warmup);
    fields.read("total", schedule.total);
    fields.read("floor", schedule.floor);
    fields.read("every", schedule.every);
    fields.read("gamma", schedule.gamma);
    fields.read("maxLearningRate", schedule.maxLearningRate);
    fields.refuseUnknown();
}

void readLoss(JsonFields fields, LossSpec& loss) {
    fields.read("name", loss.name);
    fields.read("reduction", loss.reduction);
    fields.read("labelSmoothing", loss.labelSmoothing);
    fields.read("classWeights", loss.classWeights);
    fields.refuseUnknown();
}

void readScaler(JsonFields fields, ScalerSpec& scaler) {
    fields.read("initScale", scaler.initScale);
    fields.read("growthFactor", scaler.growthFactor);
    fields.read("backoffFactor", scaler.backoffFactor);
    fields.read("growthInterval", scaler.growthInterval);
    fields.read("floor", scaler.floor);
    fields.refuseUnknown();
}

std::array<double, 3> readTriple(JsonFields& fields, const char* name) {
    std::vector<double> values;
    fields.read(name, values);
    if (values.size() != 3) {
        throw Error(ErrorCode::Data,
                    fmt::format("field \"{}\": {} numbers, 3 expected (red, green, blue)",
                                fields.pathOf(name), values.size()));
    }
    return {values[0], values[1], values[2]};
}

void readData(JsonFields& fields, ExperimentContract& contract) {
    std::vector<std::string> labels;
    fields.read("labels", labels);
    contract.labels = LabelMap(labels);
    fields.read("acceptLabel", contract.acceptLabel);
    fields.read("acceptanceThreshold", contract.acceptanceThreshold);
    fields.read("nearThresholdBand", contract.nearThresholdBand);
    fields.read("nonInferiorityMargin", contract.nonInferiorityMargin);
    fields.read("splitDigest", contract.splitDigest);
    fields.read("datasetDigest", contract.datasetDigest);
    fields.read("trainExamples", contract.trainExamples);
    fields.read("validationExamples", contract.validationExamples);
    fields.read("height", contract.height);
    fields.read("width", contract.width);
    fields.read("resizeRule", contract.resizeRule);
    contract.mean = readTriple(fields, "mean");
    contract.standardDeviation = readTriple(fields, "standardDeviation");
}

}  // namespace

json contractToJson(const ExperimentContract& contract) {
    return {{"labels", contract.labels.names()},
            {"acceptLabel", contract.acceptLabel},
            {"acceptanceThreshold", contract.acceptanceThreshold},
            {"nearThresholdBand", contract.nearThresholdBand},
            {"nonInferiorityMargin", contract.nonInferiorityMargin},
            {"splitDigest", contract.splitDigest},
            {"datasetDigest", contract.datasetDigest},
            {"trainExamples", contract.trainExamples},
            {"validationExamples", contract.validationExamples},
            {"height", contract.height},
            {"width", contract.width},
            {"resizeRule", contract.resizeRule},
            {"mean", contract.mean},
            {"standardDeviation", contract.standardDeviation},
            {"augmentation",
             {{"horizontalFlip", contract.augmentation.horizontalFlip},
              {"verticalFlip", contract.augmentation.verticalFlip}}},
            {"model", modelToJson(contract.model)},
            {"optimizer", optimizerToJson(contract.optimizer)},
            {"schedule", scheduleToJson(contract.schedule)},
            {"loss", lossToJson(contract.loss)},
            {"scaler", scalerToJson(contract.scaler)},
            {"examplesPerUpdate", contract.examplesPerUpdate},
            {"lastUpdate", toString(contract.lastUpdate)},
            {"clipNorm", contract.clipNorm},
            {"updates", contract.updates},
            {"checkpointInterval", contract.checkpointInterval},
            {"seed", contract.seed}};
}

ExperimentContract contractFromJson(const json& in) {
    ExperimentContract contract;
    JsonFields fields(in, "contract");
    readData(fields, contract);
    const auto nested = [&](const char* name) {
        return JsonFields(fields.at(name), fields.pathOf(name));
    };
    readAugmentation(nested("augmentation"), contract.augmentation);
    readModel(nested("model"), contract.model);
    readOptimizer(nested("optimizer"), contract.optimizer);
    readSchedule(nested("schedule"), contract.schedule);
    readLoss(nested("loss"), contract.loss);
    readScaler(nested("scaler"), contract.scaler);
    fields.read("examplesPerUpdate", contract.examplesPerUpdate);
    std::string lastUpdate;
    fields.read("lastUpdate", lastUpdate);
    contract.lastUpdate = parseLastUpdateRule(lastUpdate);
    fields.read("clipNorm", contract.clipNorm);
    fields.read("updates", contract.updates);
    fields.read("checkpointInterval", contract.checkpointInterval);
    fields.read("seed", contract.seed);
    fields.refuseUnknown();
    return contract;
}

json environmentToJson(const ContractEnvironment& environment) {
    json libraries = json::array();
    for (const auto& [name, version] : environment.libraries) {
        libraries.push_back({{"name", name}, {"version", version}});
    }
    return {{"device", environment.device},
            {"memoryLimit", environment.memoryLimit},
            {"libraries", libraries}};
}

ContractEnvironment environmentFromJson(const json& in) {
    ContractEnvironment environment;
    JsonFields fields(in, "environment");
    fields.read("device", environment.device);
    fields.read("memoryLimit", environment.memoryLimit);
    for (const json& entry : fields.at("libraries")) {
        JsonFields library(entry, "environment.libraries");
        auto& [name, version] = environment.libraries.emplace_back();
        library.read("name", name);
        library.read("version", version);
    }
    fields.refuseUnknown();
    return environment;
}

}  // namespace receiptbench
