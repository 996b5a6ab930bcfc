#include "core/train/optimizer_torch.h"

#include <cmath>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/memory/budget.h"
#include "core/model/model_torch.h"

namespace receiptbench {

namespace {

constexpr const char* kPrefix = "optimizer/";

// Parameters that share one weight decay, with the tensors an update rule works on, in one order.
struct Group {
    double weightDecay = 0;
    std::vector<std::size_t> members;
    std::vector<at::Tensor> parameters, gradients, steps;
    std::vector<std::vector<at::Tensor>> slots;  // [slot][member]
};

// What all rules share: which tensors there are, their state in and out. A rule adds the arithmetic
// of one step.
class StatefulOptimizer : public Optimizer {
 public:
    StatefulOptimizer(const OptimizerSpec& spec, torch::nn::Module& module,
                      std::vector<std::string> slotNames);

    void step(double learningRate, std::optional<double> momentum) override;
    std::vector<HostTensor> exportState() const override;
    void importState(const std::vector<HostTensor>& tensors) override;

 protected:
    // Moves the group's parameters; steps are already counted.
    virtual void apply(const Group& group, double learningRate, std::optional<double> momentum) = 0;
    const OptimizerSpec spec_;

 private:
    std::string slotName(std::size_t slot, std::size_t member) const {
        return kPrefix + slotNames_[slot] + "/" + names_[member];
    }
    std::string stepName(std::size_t member) const {
        return std::string(kPrefix) + "step/" + names_[member];
    }
    void collectGradients();

    std::vector<std::string> slotNames_, names_;
    std::vector<at::Tensor> parameters_, stepTensors_;
    std::vector<std::vector<at::Tensor>> slots_;  // [slot][member]
    std::vector<std::int64_t> steps_;
    std::vector<Group> groups_;
};

StatefulOptimizer::StatefulOptimizer(const OptimizerSpec& spec, torch::nn::Module& module,
                                     std::vector<std::string> slotNames)
    : spec_(spec), slotNames_(std::move(slotNames)), slots_(slotNames_.size()) {
    const CategoryScope category(MemoryCategory::Optimizer);
    Group decayed, plain;
    decayed.weightDecay = spec.weightDecay;
    decayed.slots.resize(slots_.size());
    plain.slots.resize(slots_.size());
    for (const auto& item : module.named_parameters()) {
        const at::Tensor& parameter = item.value();
        if (!parameter.requires_grad()) {
            continue;
        }
        Group& group = spec.decayNormsAndBiases || parameter.dim() > 1 ? decayed : plain;
        group.members.push_back(names_.size());
        names_.push_back(item.key());
        parameters_.push_back(parameter);
        group.parameters.push_back(parameter);
        // The fused rules read one float per parameter, on its device.
        stepTensors_.push_back(
            at::zeros({}, parameter.options().dtype(at::kFloat).requires_grad(false)));
        group.steps.push_back(stepTensors_.back());
        for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
            slots_[slot].push_back(at::zeros_like(parameter.detach()));
            group.slots[slot].push_back(slots_[slot].back());
        }
    }
    steps_.assign(names_.size(), 0);
    for (Group* group : {&decayed, &plain}) {
        if (!group->members.empty()) {
            groups_.push_back(std::move(*group));
        }
    }
}

// The fused rules walk parameter, gradient and slots through memory side by side: all must lie
// alike.
void StatefulOptimizer::collectGradients() {
    std::vector<at::Tensor> gradients;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const at::Tensor& gradient = parameters_[i].grad();
        if (!gradient.defined()) {
            throw Error(
                ErrorCode::Failed,
                fmt::format("parameter {} has no gradient at the optimizer's step", names_[i]),
                "Every trainable parameter must take part in the forward.");
        }
        gradients.push_back(gradient.strides() == parameters_[i].strides()
                                ? gradient
                                : at::empty_like(parameters_[i]).copy_(gradient));
    }
    for (Group& group : groups_) {
        group.gradients.clear();
        for (const std::size_t member : group.members) {
            group.gradients.push_back(gradients[member]);
        }
    }
}

void StatefulOptimizer::step(double learningRate, std::optional<double> momentum) {
    if (!std::isfinite(learningRate) || learningRate < 0.0) {
        throw Error(ErrorCode::Failed,
                    fmt::format("the learning rate is {}", formatDouble(learningRate)),
                    "It must be finite and not negative: look at the schedule.");
    }
    const torch::NoGradGuard noGrad;
    collectGradients();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        stepTensors_[i].fill_(static_cast<double>(++steps_[i]));
    }
    for (Group& group : groups_) {
        apply(group, learningRate, momentum);
        group.gradients.clear();  // keeps no gradient alive
    }
}

std::vector<HostTensor> StatefulOptimizer::exportState() const {
    std::vector<HostTensor> state;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        for (std::size_t i = 0; i < names_.size(); ++i) {
            state.push_back(toHost(slotName(slot, i), slots_[slot][i]));
        }
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
        HostTensor count{stepName(i), "I64", {}, std::vector<std::byte>(sizeof(std::int64_t))};
        std::memcpy(count.bytes.data(), &steps_[i], sizeof(std::int64_t));
        state.push_back(std::move(count));
    }
    return state;
}

// Takes tensors by name; what is left in the end was not expected.
class StateReader {
 public:
    explicit StateReader(const std::vector<HostTensor>& tensors) {
        for (const HostTensor& tensor : tensors) {
            if (tensor.name.starts_with(kPrefix) &&
                !tensors_.emplace(tensor.name, &tensor).second) {
                refuse(tensor.name, "is there twice");
            }
        }
    }
    const HostTensor& take(const std::string& name, const std::string& dtype,
                           at::IntArrayRef shape) {
        const auto found = tensors_.find(name);
        if (found == tensors_.end()) {
            refuse(name, "is missing");
        }
        const HostTensor& tensor = *found->second;
        tensors_.erase(found);
        if (tensor.dtype != dtype || at::IntArrayRef(tensor.shape) != shape) {
            refuse(name, fmt::format("is {} [{}], not {} [{}]", tensor.dtype,
                                     fmt::join(tensor.shape, ","), dtype, fmt::join(shape, ",")));
        }
        if (tensor.bytes.size() !=
            static_cast<std::size_t>(elementCount(tensor.shape)) * dtypeSize(dtype)) {
            refuse(name, fmt::format("has {} bytes", tensor.bytes.size()));
        }
        return tensor;
    }
    void finish() const {
        if (!tensors_.empty()) {
            refuse(tensors_.begin()->first, "belongs to no parameter of this model and optimizer");
        }
    }

 private:
    [[noreturn]] static void refuse(const std::string& name, const std::string& what) {
        throw Error(
            ErrorCode::Data, fmt::format("optimizer state {} {}", printable(name), what),
            "The state was written by another model or optimizer: resume with its own contract.");
    }
    std::map<std::string, const HostTensor*> tensors_;
};

void StatefulOptimizer::importState(const std::vector<HostTensor>& tensors) {
    StateReader reader(tensors);
    std::vector<std::pair<at::Tensor, const HostTensor*>>
        slots;  // everything is checked before anything is written
    std::vector<std::int64_t> steps(steps_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
        for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
            const at::Tensor& target = slots_[slot][i];
            const char* dtype = target.scalar_type() == at::kDouble ? "F64" : "F32";
            slots.emplace_back(target, &reader.take(slotName(slot, i), dtype, target.sizes()));
        }
        std::memcpy(&steps[i], reader.take(stepName(i), "I64", {}).bytes.data(),
                    sizeof(std::int64_t));
        if (steps[i] < 0) {
            throw Error(ErrorCode::Data,
                        fmt::format("optimizer state {} is {}", stepName(i), steps[i]));
        }
    }
    reader.finish();
    const torch::NoGradGuard noGrad;
    for (auto& [target, source] : slots) {
        // Read in place: a copy would count against the budget.
        target.copy_(at::from_blob(const_cast<std::byte*>(source->bytes.data()), source->shape,
                                   at::TensorOptions().dtype(target.scalar_type())));
    }
    steps_ = steps;
}

class Sgd : public StatefulOptimizer {
 public:
    Sgd(const OptimizerSpec& spec, torch::nn::Module& module, bool buffered)
        : StatefulOptimizer(spec, module,
                            buffered ? std::vector<std::string>{"momentum_buffer"}
                                     : std::vector<std::string>{}) {}

 private:
    // A zero buffer takes the gradient itself in its first step, as PyTorch's does with dampening
    // 0.
    void apply(const Group& group, double learningRate, std::optional<double> momentum) override {
        const bool buffered = !group.slots.empty();
        at::_fused_sgd_(
            group.parameters, group.gradients,
            buffered ? at::TensorList(group.slots[0]) : at::TensorList{}, group.weightDecay,
            buffered ? momentum.value_or(spec_.momentum) : 0.0, learningRate,
            /*dampening=*/0.0, spec_.nesterov, /*maximize=*/false, /*is_first_step=*/false);
    }
};

// Adam (weight decay joins the gradient) and AdamW (decoupled: Loshchilov and Hutter,
// arXiv:1711.05101).
class Adam : public StatefulOptimizer {
 public:
    Adam(const OptimizerSpec& spec, torch::nn::Module& module)
        : StatefulOptimizer(spec, module, {"exp_avg", "exp_avg_sq"}) {}

 private:
    void apply(const Group& group, double learningRate, std::optional<double> momentum) override {
        const auto rule = [&](auto&& fused) {
            fused(group.parameters, group.gradients, group.slots[0], group.slots[1],
                  at::TensorList{}, group.steps, learningRate, momentum.value_or(spec_.beta1),
                  spec_.beta2, group.weightDecay, spec_.epsilon,
                  /*amsgrad=*/false, /*maximize=*/false);
        };
        if (spec_.name == "adamw") {
            rule([](auto&&... values) { at::_fused_adamw_(values...); });
        } else {
            rule([](auto&&... values) { at::_fused_adam_(values...); });
        }
    }
};

class RmsProp : public StatefulOptimizer {
 public:
    RmsProp(const OptimizerSpec& spec, torch::nn::Module& module, bool buffered)
        : StatefulOptimizer(spec, module,
                            buffered ? std::vector<std::string>{"square_avg", "momentum_buffer"}
                                     : std::vector<std::string>{"square_avg"}) {}

 private:
    // LibTorch has no fused rule here; one parameter at a time keeps the workspace at two of the
    // largest one.
    void apply(const Group& group, double learningRate, std::optional<double> momentum) override {
        for (std::size_t i = 0; i < group.parameters.size(); ++i) {
            const at::Tensor& parameter = group.parameters[i];
            const at::Tensor gradient = group.weightDecay == 0.0
                                            ? group.gradients[i]
                                            : group.gradients[i].add(parameter, group.weightDecay);
            const at::Tensor& square = group.slots[0][i];
            square.mul_(spec_.alpha).addcmul_(gradient, gradient, 1.0 - spec_.alpha);
            const at::Tensor root = square.sqrt().add_(spec_.epsilon);
            if (group.slots.size() == 1) {
                parameter.addcdiv_(gradient, root, -learningRate);
                continue;
            }
            const at::Tensor& buffer = group.slots[1][i];
            buffer.mul_(momentum.value_or(spec_.momentum)).addcdiv_(gradient, root);
            parameter.add_(buffer, -learningRate);
        }
    }
};

void checkRange(const char* field, double value, bool allowed, const char* hint) {
    if (!allowed || !std::isfinite(value)) {
        throw Error(ErrorCode::Usage, fmt::format("optimizer.{} is {}", field, formatDouble(value)),
                    hint);
    }
}

void checkSpec(const OptimizerSpec& spec, bool cycled) {
    checkRange("weightDecay", spec.weightDecay, spec.weightDecay >= 0.0, "It must be 0 or more.");
    checkRange("beta1", spec.beta1, spec.beta1 >= 0.0 && spec.beta1 < 1.0,
               "It must be at least 0 and below 1.");
    checkRange("beta2", spec.beta2, spec.beta2 >= 0.0 && spec.beta2 < 1.0,
               "It must be at least 0 and below 1.");
    checkRange("epsilon", spec.epsilon, spec.epsilon >= 0.0, "It must be 0 or more.");
    checkRange("momentum", spec.momentum, spec.momentum >= 0.0, "It must be 0 or more.");
    checkRange("alpha", spec.alpha, spec.alpha >= 0.0 && spec.alpha <= 1.0,
               "It must lie between 0 and 1.");
    checkRange("momentum", spec.momentum, !spec.nesterov || cycled || spec.momentum > 0.0,
               "Nesterov's rule needs a positive momentum.");
}

}  // namespace

std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSpec& spec, torch::nn::Module& module,
                                         const ScheduleSpec& schedule) {
    const bool cycled = schedule.name == "onecycle";
    const bool buffered = cycled || spec.momentum > 0.0;
    checkSpec(spec, cycled);
    if (spec.name == "sgd") {
        return std::make_unique<Sgd>(spec, module, buffered);
    }
    if (spec.name == "adam" || spec.name == "adamw") {
        return std::make_unique<Adam>(spec, module);
    }
    if (spec.name == "rmsprop") {
        return std::make_unique<RmsProp>(spec, module, buffered);
    }
    throw Error(ErrorCode::Usage, fmt::format("optimizer.name is '{}'", printable(spec.name)),
                "Choose sgd, adam, adamw or rmsprop.");
}

}  // namespace receiptbench
