#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <map>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/train/environment_torch.h"
#include "core/train/schedule.h"
#include "core/train/trainer_torch.h"

namespace receiptbench {
namespace {

constexpr const char* kGeneratorName = "rng/cpu";

std::uint64_t bitsOf(double value) {
    return std::bit_cast<std::uint64_t>(value);
}

// The chain's digest, fed tensor by tensor. Lengths precede everything of variable length, so that
// no two states can be the same bytes.
class ReceiptHash {
 public:
    ReceiptHash(const std::string& previous, std::int64_t update, double loss) {
        addText(previous);
        addNumber(update);
        hash_.update(bitsOf(loss));
    }
    void addTensor(std::string_view name, std::span<const std::byte> bytes) {
        addText(name);
        addNumber(static_cast<std::int64_t>(bytes.size()));
        hash_.update(bytes);
    }
    std::string finish(std::int64_t position, double learningRate, const ScalerState& scaler) {
        addNumber(position);
        for (const double value :
             {learningRate, scaler.scale, scaler.growthFactor, scaler.backoffFactor}) {
            hash_.update(bitsOf(value));
        }
        addNumber(scaler.growthCounter);
        addNumber(scaler.growthInterval);
        return hash_.finishHex();
    }

 private:
    void addNumber(std::int64_t number) { hash_.update(static_cast<std::uint64_t>(number)); }
    void addText(std::string_view text) {
        addNumber(static_cast<std::int64_t>(text.size()));
        hash_.update(text);
    }
    Sha256 hash_;
};

// Row-major bytes of a tensor: where it lies, or through a host buffer that is reused (the budget
// is for training).
class RowMajorBytes {
 public:
    std::span<const std::byte> of(const torch::Tensor& tensor) {
        if (tensor.is_contiguous()) {
            return {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()};
        }
        buffer_.resize(tensor.nbytes());
        torch::from_blob(buffer_.data(), tensor.sizes(), tensor.options().requires_grad(false))
            .copy_(tensor);
        return {buffer_.data(), tensor.nbytes()};
    }

 private:
    std::vector<std::byte> buffer_;
};

std::vector<HostTensor> withPrefix(const std::vector<HostTensor>& tensors,
                                   const std::string& prefix) {
    std::vector<HostTensor> result;
    for (const HostTensor& tensor : tensors) {
        if (tensor.name.starts_with(prefix)) {
            result.push_back(tensor);
        }
    }
    return result;
}

void checkNames(const std::vector<HostTensor>& tensors) {
    for (const HostTensor& tensor : tensors) {
        const bool known = tensor.name.starts_with("model/") ||
                           tensor.name.starts_with("buffer/") ||
                           tensor.name.starts_with("optimizer/") || tensor.name == kGeneratorName;
        if (!known) {
            throw Error(ErrorCode::Data,
                        fmt::format("state: tensor {} is of no known kind", tensor.name));
        }
    }
}

// Parameters and buffers without their prefixes, each kind checked against the model's own.
std::vector<HostTensor> modelTensors(const TrainingState& saved, const Classifier& model) {
    std::vector<HostTensor> result;
    for (const std::string prefix : {"model/", "buffer/"}) {
        for (HostTensor& tensor : withPrefix(saved.tensors, prefix)) {
            tensor.name.erase(0, prefix.size());
            const bool isBuffer = model.named_buffers().contains(tensor.name);
            if (isBuffer != (prefix == "buffer/")) {
                throw Error(ErrorCode::Data, fmt::format("state: {}{} is not part of the model",
                                                         prefix, tensor.name));
            }
            result.push_back(std::move(tensor));
        }
    }
    return result;
}

torch::Tensor generatorTensor(const TrainingState& saved) {
    const std::vector<HostTensor> found = withPrefix(saved.tensors, kGeneratorName);
    if (found.size() != 1 || found[0].dtype != "U8" || found[0].shape.size() != 1) {
        throw Error(ErrorCode::Data,
                    fmt::format("state: {} must be there once, as a vector of U8", kGeneratorName));
    }
    return toTorch(found[0]);
}

void checkCounts(const StateValues& values) {
    const bool counts = values.attempted >= 0 && values.applied >= 0 && values.skipped >= 0 &&
                        values.attempted == values.applied + values.skipped;
    if (!counts || values.scheduleSteps != values.applied) {
        throw Error(ErrorCode::Data, fmt::format("state: {} updates attempted, {} applied, {} "
                                                 "skipped, {} schedule steps do not add up",
                                                 values.attempted, values.applied, values.skipped,
                                                 values.scheduleSteps));
    }
    if (values.consecutiveSkips < 0 || values.consecutiveSkips > values.skipped ||
        values.acceptedExamples < 0) {
        throw Error(ErrorCode::Data,
                    fmt::format("state: {} skips in a row and {} accepted examples cannot be",
                                values.consecutiveSkips, values.acceptedExamples));
    }
}

}  // namespace

std::string chainReceipt(const std::string& previous, const TrainingState& state, double loss) {
    ReceiptHash hash(previous, state.values.attempted, loss);
    for (const HostTensor& tensor : state.tensors) {
        hash.addTensor(tensor.name, tensor.bytes);
    }
    return hash.finish(state.values.position, state.values.learningRate, state.values.scaler);
}

double Trainer::State::learningRate() const {
    return learningRateAt(contract.schedule, contract.optimizer, contract.updates,
                          counters.applied);
}

std::string Trainer::State::nextReceipt(double loss) const {
    ReceiptHash hash(receipt, counters.attempted, loss);
    RowMajorBytes bytes;
    for (const auto& item : workspace->model().named_parameters()) {
        hash.addTensor("model/" + item.key(), bytes.of(item.value().detach()));
    }
    for (const auto& item : workspace->model().named_buffers()) {
        hash.addTensor("buffer/" + item.key(), bytes.of(item.value()));
    }
    for (const HostTensor& tensor : workspace->optimizer().exportState()) {
        hash.addTensor(tensor.name, tensor.bytes);
    }
    hash.addTensor(kGeneratorName, bytes.of(boundaryGenerator));
    return hash.finish(boundaryPosition, learningRate(), scaler.state());
}

void Trainer::State::rememberBoundary() {
    boundaryPosition = sampler.position();
    boundaryGenerator = torchGeneratorState();
    boundaryBuffers.clear();
    for (const torch::Tensor& buffer : workspace->model().buffers()) {
        boundaryBuffers.push_back(buffer.clone());
    }
}

void Trainer::State::returnToBoundary() {
    workspace->zeroGradients();
    sampler.seek(boundaryPosition);
    setTorchGeneratorState(boundaryGenerator);
    torch::NoGradGuard noGrad;
    const std::vector<torch::Tensor> buffers = workspace->model().buffers();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        torch::Tensor buffer = buffers[i];
        buffer.copy_(boundaryBuffers.at(i));
    }
}

TrainingState Trainer::State::capture() const {
    TrainingState state;
    StateValues& values = state.values;
    values.attempted = counters.attempted;
    values.applied = counters.applied;
    values.skipped = counters.skipped;
    values.consecutiveSkips = counters.consecutiveSkips;
    values.scheduleSteps = counters.scheduleSteps;
    values.learningRate = learningRate();
    values.acceptedExamples = counters.acceptedExamples;
    values.position = boundaryPosition;
    values.epoch = boundaryPosition / train.size();
    values.scaler = scaler.state();
    values.plan = plan;
    values.normalisation = options.normalisation;
    values.receipt = receipt;
    values.bestMetric = bestMetric;
    values.environment = currentEnvironment(plan.threads);
    for (const auto& item : workspace->model().named_parameters()) {
        state.tensors.push_back(toHost("model/" + item.key(), item.value()));
    }
    for (const auto& item : workspace->model().named_buffers()) {
        state.tensors.push_back(toHost("buffer/" + item.key(), item.value()));
    }
    for (HostTensor& tensor : workspace->optimizer().exportState()) {
        state.tensors.push_back(std::move(tensor));
    }
    state.tensors.push_back(toHost(kGeneratorName, boundaryGenerator));
    return state;
}

void Trainer::State::restore(const TrainingState& saved) {
    const StateValues& values = saved.values;
    if (values.plan.precision != plan.precision || values.normalisation != options.normalisation) {
        throw Error(
            ErrorCode::Data,
            fmt::format(
                "state: it is from a {} run{}, this one is {}{}", toString(values.plan.precision),
                values.normalisation == Normalisation::MeanOfMeans ? " with mean of means" : "",
                toString(plan.precision),
                options.normalisation == Normalisation::MeanOfMeans ? " with mean of means" : ""),
            "Microbatch, memory format and threads may change on resume; precision and "
            "normalisation may not.");
    }
    checkCounts(values);
    checkNames(saved.tensors);
    const std::vector<HostTensor> model = modelTensors(saved, workspace->model());
    const torch::Tensor generator = generatorTensor(saved);
    setTorchGeneratorState(generator);
    importParameters(workspace->model(), model);
    workspace->optimizer().importState(withPrefix(saved.tensors, "optimizer/"));
    workspace->zeroGradients();
    scaler.restore(values.scaler);
    sampler.seek(values.position);
    counters = {values.attempted,
                values.applied,
                values.skipped,
                values.consecutiveSkips,
                values.scheduleSteps,
                values.acceptedExamples,
                0};
    receipt = values.receipt;
    bestMetric = values.bestMetric;
    firstBad.reset();
    lastCheckpoint = values.attempted;
    rememberBoundary();
}

}  // namespace receiptbench
