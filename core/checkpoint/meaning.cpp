#include "core/checkpoint/meaning.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string_view>

#include "core/base/text.h"

namespace receiptbench {
namespace {

constexpr std::string_view kModel = "model/", kBuffer = "buffer/", kOptimizer = "optimizer/",
                           kRng = "rng/";
constexpr std::string_view kStepSlot = "step";
constexpr const char* kGenerator = "rng/cpu";

using Shapes = std::map<std::string, const TensorShape*, std::less<>>;

[[noreturn]] void refuse(const std::string& reason) {
    throw Error(ErrorCode::Data, "state: " + reason);
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t side : shape) {
        text += (text.empty() ? "" : ",") + std::to_string(side);
    }
    return "[" + text + "]";
}

// optimizer/<slot>/<weight>: the weight may contain slashes, the slot may not.
void checkOptimizerTensor(const TensorShape& tensor, const Shapes& byName) {
    const std::string_view rest = std::string_view(tensor.name).substr(kOptimizer.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos || slash == 0) {
        refuse(fmt::format("tensor \"{}\" names no slot and weight", printable(tensor.name)));
    }
    const auto weight = byName.find(std::string(kModel).append(rest.substr(slash + 1)));
    if (weight == byName.end()) {
        refuse(fmt::format("tensor \"{}\" belongs to no weight", printable(tensor.name)));
    }
    const bool isStep = rest.substr(0, slash) == kStepSlot;
    if (isStep ? elementCount(tensor.shape) != 1 : tensor.shape != weight->second->shape) {
        refuse(fmt::format("tensor \"{}\" has the shape {}, its weight {}", printable(tensor.name),
                           shapeText(tensor.shape), shapeText(weight->second->shape)));
    }
}

void checkTensors(const std::vector<TensorShape>& tensors) {
    Shapes byName;
    bool weights = false;
    for (const TensorShape& tensor : tensors) {
        if (!byName.emplace(tensor.name, &tensor).second) {
            refuse(fmt::format("tensor \"{}\" is there twice", printable(tensor.name)));
        }
        weights = weights || tensor.name.starts_with(kModel);
    }
    if (!weights) {
        refuse("it holds no weights (model/...)");
    }
    const auto generator = byName.find(kGenerator);
    if (generator == byName.end() || generator->second->dtype != "U8") {
        refuse(fmt::format("{} is missing or not bytes", kGenerator));
    }
    for (const TensorShape& tensor : tensors) {
        if (tensor.name.starts_with(kOptimizer)) {
            checkOptimizerTensor(tensor, byName);
        } else if (!tensor.name.starts_with(kModel) && !tensor.name.starts_with(kBuffer) &&
                   !tensor.name.starts_with(kRng)) {
            refuse(fmt::format("tensor \"{}\" is of no known kind", printable(tensor.name)));
        }
    }
}

void checkValues(const StateValues& values) {
    // Compared by subtraction: the sum of two numbers from a file may overflow.
    if (values.attempted < 0 || values.applied < 0 || values.skipped < 0 ||
        values.attempted - values.applied != values.skipped) {
        refuse(fmt::format("{} updates attempted, but {} applied and {} skipped", values.attempted,
                           values.applied, values.skipped));
    }
    if (values.scheduleSteps != values.applied) {
        refuse(fmt::format("{} schedule steps, but {} updates applied", values.scheduleSteps,
                           values.applied));
    }
    if (values.consecutiveSkips < 0 || values.consecutiveSkips > values.skipped) {
        refuse(fmt::format("{} skips in a row of {} skipped updates", values.consecutiveSkips,
                           values.skipped));
    }
    if (values.acceptedExamples < 0 || values.epoch < 0 || values.position < 0) {
        refuse(fmt::format("{} accepted examples, epoch {}, position {}: none may be negative",
                           values.acceptedExamples, values.epoch, values.position));
    }
    if (!std::isfinite(values.learningRate) || values.learningRate < 0) {
        refuse(fmt::format("the learning rate is {}", formatDouble(values.learningRate)));
    }
    if (!std::isfinite(values.scaler.scale) || values.scaler.scale <= 0) {
        refuse(fmt::format("the loss scale is {}", formatDouble(values.scaler.scale)));
    }
    if (values.plan.microbatch < 1) {
        refuse(fmt::format("the microbatch is {}", values.plan.microbatch));
    }
}

}  // namespace

void checkMeaning(const StateValues& values, const std::vector<TensorShape>& tensors) {
    checkValues(values);
    checkTensors(tensors);
}

}  // namespace receiptbench
