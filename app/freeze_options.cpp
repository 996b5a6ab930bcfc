#include "app/freeze_options.h"

#include "app/options.h"

namespace receiptbench {
namespace {

void addDataOptions(CLI::App& command, FreezeArguments& arguments) {
    auto& data = arguments.request.data;
    command.add_option("--size", arguments.size, "Image size HEIGHTxWIDTH")->capture_default_str();
    command.add_flag("--derive", data.derive, "One blurred and one cut-off image per photo");
    command.add_option("--example", data.syntheticIdentities,
                       "The embedded example with so many receipts");
    command
        .add_option("--validation-share", data.validationShare,
                    "Share of identities for validation")
        ->capture_default_str();
    command.add_option("--budget", arguments.budget, "Memory limit such as 64MiB, or none")
        ->capture_default_str();
    command
        .add_option("--seed", arguments.request.contract.seed,
                    "Of split, weights, order and augmentation")
        ->capture_default_str();
}

void addAcceptanceOptions(CLI::App& command, ExperimentContract& contract) {
    command.add_option("--accept", contract.acceptLabel, "Label that counts as accepted")
        ->capture_default_str();
    command
        .add_option("--threshold", contract.acceptanceThreshold,
                    "Accepted from this probability on")
        ->capture_default_str();
    command
        .add_option("--near-band", contract.nearThresholdBand,
                    "Near the threshold: within this distance")
        ->capture_default_str();
    command
        .add_option("--margin", contract.nonInferiorityMargin,
                    "Allowed loss of validation accuracy")
        ->capture_default_str();
}

void addUpdateOptions(CLI::App& command, FreezeArguments& arguments) {
    auto& contract = arguments.request.contract;
    command.add_option("--updates", contract.updates, "Attempted optimizer updates")
        ->capture_default_str();
    command
        .add_option("--examples-per-update", contract.examplesPerUpdate,
                    "Accepted examples in each update")
        ->capture_default_str();
    command
        .add_option("--last-update", arguments.lastUpdate,
                    "Epoch's last, partial update: carry, apply or drop")
        ->capture_default_str();
    command.add_option("--checkpoint-interval", contract.checkpointInterval, "Updates")
        ->capture_default_str();
    command.add_option("--clip-norm", contract.clipNorm, "Largest gradient norm, 0: no clipping")
        ->capture_default_str();
    command.add_option("--scaler-init", contract.scaler.initScale, "fp16: first loss scale")
        ->capture_default_str();
    command
        .add_option("--scaler-interval", contract.scaler.growthInterval,
                    "fp16: updates before the scale grows")
        ->capture_default_str();
}

void addModelOptions(CLI::App& command, FreezeArguments& arguments) {
    auto& contract = arguments.request.contract;
    command.add_option("--model", contract.model.name, "Architecture")->capture_default_str();
    command.add_option("--model-width", contract.model.width, "Channels of its first block")
        ->capture_default_str();
    command.add_option("--mean", contract.mean, "Of pixels / 255, R,G,B")->delimiter(',');
    command.add_option("--std", contract.standardDeviation, "Of pixels / 255, R,G,B")
        ->delimiter(',');
    command.add_flag("--no-horizontal-flip", arguments.noHorizontalFlip, "Augmentation without it");
    command.add_flag("--no-vertical-flip", arguments.noVerticalFlip, "Augmentation without it");
    command.add_option("--label-smoothing", contract.loss.labelSmoothing, "Of the cross-entropy")
        ->capture_default_str();
    command
        .add_option("--class-weights", contract.loss.classWeights,
                    "One for each class, in the label map's order")
        ->delimiter(',');
}

void addOptimizerOptions(CLI::App& command, OptimizerSpec& optimizer) {
    command.add_option("--optimizer", optimizer.name, "sgd, adam, adamw or rmsprop")
        ->capture_default_str();
    command.add_option("--lr", optimizer.learningRate, "Learning rate")->capture_default_str();
    command.add_option("--weight-decay", optimizer.weightDecay, "Weight decay")
        ->capture_default_str();
    command.add_option("--beta1", optimizer.beta1, "adam, adamw")->capture_default_str();
    command.add_option("--beta2", optimizer.beta2, "adam, adamw")->capture_default_str();
    command.add_option("--epsilon", optimizer.epsilon, "adam, adamw, rmsprop")
        ->capture_default_str();
    command.add_option("--momentum", optimizer.momentum, "sgd, rmsprop")->capture_default_str();
    command.add_option("--alpha", optimizer.alpha, "rmsprop")->capture_default_str();
    command.add_flag("--nesterov", optimizer.nesterov, "sgd");
}

void addScheduleOptions(CLI::App& command, ScheduleSpec& schedule) {
    command
        .add_option("--schedule", schedule.name,
                    "constant, step, warmup_cosine, onecycle or linear")
        ->capture_default_str();
    command.add_option("--warmup", schedule.warmup, "warmup_cosine: updates")
        ->capture_default_str();
    command
        .add_option("--schedule-floor", schedule.floor, "warmup_cosine, linear: factor at the end")
        ->capture_default_str();
    command.add_option("--step-every", schedule.every, "step: updates")->capture_default_str();
    command.add_option("--step-gamma", schedule.gamma, "step: factor")->capture_default_str();
    command.add_option("--max-lr", schedule.maxLearningRate, "onecycle: highest learning rate")
        ->capture_default_str();
}

}  // namespace

void addFreezeOptions(CLI::App& command, FreezeArguments& arguments) {
    auto& contract = arguments.request.contract;
    addDataOptions(command, arguments);
    addAcceptanceOptions(command, contract);
    addUpdateOptions(command, arguments);
    addModelOptions(command, arguments);
    addOptimizerOptions(command, contract.optimizer);
    addScheduleOptions(command, contract.schedule);
}

FreezeRequest freezeRequest(const FreezeArguments& arguments) {
    auto request = arguments.request;
    const auto [height, width] = parseSize(arguments.size);
    request.data.height = request.contract.height = height;
    request.data.width = request.contract.width = width;
    request.data.seed = request.contract.seed;
    request.data.derive = request.data.derive || request.data.syntheticIdentities > 0;
    request.memoryLimit = parseBudget(arguments.budget);
    request.contract.lastUpdate = parseLastUpdateRule(arguments.lastUpdate);
    request.contract.augmentation = {!arguments.noHorizontalFlip, !arguments.noVerticalFlip};
    return request;
}

}  // namespace receiptbench
