#include "core/train/accumulate_torch.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace receiptbench {

namespace {

// Elements per partial sum. Fixed, so that the norm has the same bits on any number of threads.
constexpr std::int64_t kChunk = 16384;

struct Tally {
    double squares = 0;
    std::int64_t nonFinite = 0;
};

template <typename T>
Tally unscaleChunk(T* values, std::int64_t count, T inverse) {
    // Independent lanes let the compiler vectorise without reordering a sum.
    constexpr std::int64_t kLanes = 8;
    std::array<double, kLanes> squares{};
    std::array<std::int64_t, kLanes> nonFinite{};
    for (std::int64_t first = 0; first < count; first += kLanes) {
        const std::int64_t lanes = std::min(kLanes, count - first);
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const T value = values[first + lane] * inverse;
            values[first + lane] = value;
            const auto at = static_cast<std::size_t>(lane);
            nonFinite[at] += std::isfinite(value) ? 0 : 1;
            squares[at] += static_cast<double>(value) * static_cast<double>(value);
        }
    }
    return {std::accumulate(squares.begin(), squares.end(), 0.0),
            std::accumulate(nonFinite.begin(), nonFinite.end(), std::int64_t{0})};
}

template <typename T>
Tally unscaleDense(T* values, std::int64_t count, double inverse) {
    const std::int64_t chunks = (count + kChunk - 1) / kChunk;
    std::vector<Tally> tallies(static_cast<std::size_t>(chunks));
    at::parallel_for(0, chunks, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t chunk = begin; chunk < end; ++chunk) {
            const std::int64_t first = chunk * kChunk;
            tallies[static_cast<std::size_t>(chunk)] = unscaleChunk(
                values + first, std::min(kChunk, count - first), static_cast<T>(inverse));
        }
    });
    Tally total;
    for (const Tally& tally : tallies) {
        total.squares += tally.squares;
        total.nonFinite += tally.nonFinite;
    }
    return total;
}

Tally unscaleTensor(at::Tensor gradient, double inverse) {
    const bool direct = gradient.is_cpu() && gradient.is_non_overlapping_and_dense();
    if (direct && gradient.scalar_type() == at::kFloat) {
        return unscaleDense(gradient.mutable_data_ptr<float>(), gradient.numel(), inverse);
    }
    if (direct && gradient.scalar_type() == at::kDouble) {
        return unscaleDense(gradient.mutable_data_ptr<double>(), gradient.numel(), inverse);
    }
    gradient.mul_(inverse);
    return {gradient.to(at::kDouble).square().sum().item<double>(),
            gradient.numel() - at::isfinite(gradient).sum().item<std::int64_t>()};
}

[[noreturn]] void refuseGradient(const std::string& name, const std::string& what) {
    throw Error(ErrorCode::Failed, fmt::format("parameter {} {} in backward", name, what),
                "The model's forward must use every trainable parameter, under one autocast scope "
                "per forward.");
}

// Looks at one parameter's gradient; undefined for one that is not trained.
at::Tensor gradientOf(const std::string& name, const at::Tensor& parameter) {
    if (!parameter.requires_grad()) {
        return {};
    }
    const at::Tensor& gradient = parameter.grad();
    if (!gradient.defined()) {
        refuseGradient(name, "has no gradient");
    }
    if (gradient.scalar_type() != at::kFloat && gradient.scalar_type() != at::kDouble) {
        refuseGradient(name, fmt::format("has a gradient of type {}, not fp32,",
                                         c10::toString(gradient.scalar_type())));
    }
    return gradient;
}

// Which gradients a backward wrote to: adding in place raises a tensor's version, a new tensor has
// another identity.
class Reach {
 public:
    explicit Reach(const torch::nn::Module* module) : module_(module) {
        if (module_ != nullptr) {
            for (const torch::Tensor& parameter : module_->parameters()) {
                before_.push_back(mark(parameter));
            }
        }
    }
    void requireAll() const {
        if (module_ == nullptr) {
            return;
        }
        std::size_t index = 0;
        for (const auto& item : module_->named_parameters()) {
            if (item.value().requires_grad() && mark(item.value()) == before_.at(index)) {
                refuseGradient(item.key(), "received no gradient");
            }
            ++index;
        }
    }

 private:
    using Mark = std::pair<const void*, std::int64_t>;
    static Mark mark(const torch::Tensor& parameter) {
        const at::Tensor& gradient = parameter.grad();
        return gradient.defined() ? Mark{gradient.unsafeGetTensorImpl(), gradient._version()}
                                  : Mark{nullptr, -1};
    }
    const torch::nn::Module* module_;
    std::vector<Mark> before_;
};

void checkLabels(const at::Tensor& labels, std::int64_t classes) {
    if (labels.scalar_type() != at::kLong || labels.dim() != 1) {
        throw Error(ErrorCode::Data,
                    fmt::format("labels are {} of rank {}, not int64 of rank 1",
                                c10::toString(labels.scalar_type()), labels.dim()));
    }
    const at::Tensor host = labels.cpu().contiguous();
    const auto* values = host.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < host.numel(); ++i) {
        if (values[i] < 0 || values[i] >= classes) {
            throw Error(ErrorCode::Data,
                        fmt::format("label {} is outside 0..{}", values[i], classes - 1),
                        "The label map and the frozen set do not belong together: freeze again.");
        }
    }
}

void checkLoss(const LossSpec& loss) {
    if (loss.name != "cross_entropy") {
        throw Error(ErrorCode::Usage, fmt::format("loss.name is '{}'", printable(loss.name)),
                    "Choose cross_entropy.");
    }
    if (!(loss.labelSmoothing >= 0.0 && loss.labelSmoothing < 1.0)) {
        throw Error(ErrorCode::Usage,
                    fmt::format("loss.labelSmoothing is {}", formatDouble(loss.labelSmoothing)),
                    "It must be at least 0 and below 1.");
    }
}

}  // namespace

AutocastScope::AutocastScope(c10::DeviceType device, Precision precision)
    : device_(device),
      wasEnabled_(at::autocast::is_autocast_enabled(device)),
      previousType_(at::autocast::get_autocast_dtype(device)) {
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device, precision != Precision::Fp32);
    if (precision != Precision::Fp32) {
        at::autocast::set_autocast_dtype(device,
                                         precision == Precision::Fp16 ? at::kHalf : at::kBFloat16);
    }
}

AutocastScope::~AutocastScope() {
    at::autocast::clear_cache();
    at::autocast::set_autocast_dtype(device_, previousType_);
    at::autocast::set_autocast_enabled(device_, wasEnabled_);
}

torch::Tensor lossSum(const torch::Tensor& logits, const torch::Tensor& labels,
                      const LossSpec& loss) {
    checkLoss(loss);
    if (logits.dim() != 2 || logits.size(0) != labels.numel() || logits.size(1) < 1) {
        throw Error(ErrorCode::Data, fmt::format("logits of shape [{}] do not fit {} labels",
                                                 fmt::join(logits.sizes(), ","), labels.numel()));
    }
    const std::int64_t classes = logits.size(1);
    checkLabels(labels, classes);
    // In half precision 47 losses of 1,500 already overflow.
    const torch::Tensor wide = logits.scalar_type() == at::kDouble ? logits : logits.to(at::kFloat);
    auto options = torch::nn::functional::CrossEntropyFuncOptions()
                       .reduction(torch::kSum)
                       .label_smoothing(loss.labelSmoothing);
    if (!loss.classWeights.empty()) {
        if (static_cast<std::int64_t>(loss.classWeights.size()) != classes) {
            throw Error(ErrorCode::Data,
                        fmt::format("there are {} class weights for {} classes",
                                    loss.classWeights.size(), classes),
                        "Give one weight per class, in the order of the label map.");
        }
        options.weight(torch::tensor(loss.classWeights, wide.options().requires_grad(false)));
    }
    return torch::nn::functional::cross_entropy(wide, labels, options);
}

double lossDenominator(const torch::Tensor& labels, const LossSpec& loss) {
    if (loss.classWeights.empty()) {
        return static_cast<double>(labels.numel());
    }
    checkLabels(labels, static_cast<std::int64_t>(loss.classWeights.size()));
    const at::Tensor host = labels.cpu().contiguous();
    const auto* values = host.const_data_ptr<std::int64_t>();
    double sum = 0;
    for (std::int64_t i = 0; i < host.numel(); ++i) {
        sum += loss.classWeights[static_cast<std::size_t>(values[i])];
    }
    return sum;
}

void contribute(const torch::Tensor& lossSum, double ownDenominator, const MicrobatchJob& job) {
    const double factor = job.scale * job.lossFactor;
    double divisor = job.denominator;
    if (job.normalisation == Normalisation::MeanOfMeans) {
        divisor = ownDenominator * static_cast<double>(job.microbatches);
    }
    if (!(divisor > 0.0) || !std::isfinite(divisor)) {
        throw Error(ErrorCode::Data,
                    fmt::format("the update's denominator is {}", formatDouble(divisor)),
                    "An update needs accepted examples with positive class weights.");
    }
    const Reach reach(job.mustReach);
    (lossSum * (factor / divisor)).backward();
    reach.requireAll();
}

MicrobatchResult accumulate(const ForwardFunction& forward, const torch::Tensor& images,
                            const torch::Tensor& labels, const LossSpec& loss,
                            const MicrobatchJob& job,
                            const std::function<void(const char* phase)>& atPhase) {
    const auto announce = [&atPhase](const char* phase) {
        if (atPhase) {
            atPhase(phase);
        }
    };
    announce("forward");
    const torch::Tensor logits = [&] {
        const AutocastScope scope(images.device().type(), job.precision);
        return forward(images);
    }();
    const AutocastScope plain(images.device().type(),
                              Precision::Fp32);  // an outer scope must not reach the loss
    const torch::Tensor sum = lossSum(logits, labels, loss);
    MicrobatchResult result;
    result.lossSum = sum.item<double>();
    const bool own = job.normalisation == Normalisation::MeanOfMeans;
    announce("backward");
    contribute(sum, own ? lossDenominator(labels, loss) : 0.0, job);
    return result;
}

void requireGradients(const torch::nn::Module& module) {
    for (const auto& item : module.named_parameters()) {
        gradientOf(item.key(), item.value());
    }
}

GradientStatus unscaleAndCheck(torch::nn::Module& module, double scale) {
    if (!(scale > 0.0) || !std::isfinite(scale)) {
        throw Error(ErrorCode::Failed, fmt::format("the loss scale is {}", formatDouble(scale)));
    }
    requireGradients(module);  // before anything is unscaled
    const torch::NoGradGuard noGrad;
    GradientStatus status;
    double squares = 0;
    for (const auto& item : module.named_parameters()) {
        const at::Tensor gradient = gradientOf(item.key(), item.value());
        if (!gradient.defined()) {
            continue;
        }
        const Tally tally = unscaleTensor(gradient, 1.0 / scale);
        squares += tally.squares;
        if (tally.nonFinite > 0) {
            status.nonFiniteElements += tally.nonFinite;
            status.nonFiniteParameters.push_back(item.key());
        }
    }
    status.norm = std::sqrt(squares);
    return status;
}

double clipGradients(torch::nn::Module& module, double norm, double maxNorm) {
    if (!(maxNorm > 0.0) || std::isnan(norm)) {
        throw Error(ErrorCode::Failed, fmt::format("gradients of norm {} cannot be clipped to {}",
                                                   formatDouble(norm), formatDouble(maxNorm)));
    }
    const double factor = std::min(1.0, maxNorm / (norm + 1e-6));
    if (factor == 1.0) {
        return factor;
    }
    const torch::NoGradGuard noGrad;
    for (const torch::Tensor& parameter : module.parameters()) {
        if (parameter.grad().defined()) {
            parameter.mutable_grad().mul_(factor);
        }
    }
    return factor;
}

}  // namespace receiptbench
