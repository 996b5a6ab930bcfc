#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <sstream>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/train/accumulate_torch.h"
#include "core/train/environment_torch.h"
#include "core/train/input_torch.h"
#include "core/train/trainer.h"

namespace receiptbench {
namespace {

// Flags of the first processor in /proc/cpuinfo; empty where there is none.
std::vector<std::string> processorFlags() {
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        if (line.starts_with("flags") || line.starts_with("Features")) {
            std::istringstream words(line.substr(line.find(':') + 1));
            return {std::istream_iterator<std::string>(words), {}};
        }
    }
    return {};
}

bool hasAnyFlag(std::initializer_list<const char*> wanted) {
    const std::vector<std::string> flags = processorFlags();
    return std::any_of(wanted.begin(), wanted.end(), [&](const char* flag) {
        return std::find(flags.begin(), flags.end(), flag) != flags.end();
    });
}

// Convolution, norm and linear layer once forward and backward, as training would.
void tryTraining(Precision precision) {
    const KeepGenerator keep;
    torch::nn::Sequential model(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 3).padding(1).bias(false)),
        torch::nn::GroupNorm(torch::nn::GroupNormOptions(2, 8)), torch::nn::Flatten(),
        torch::nn::Linear(8 * 8 * 8, 3));
    const torch::Tensor images = torch::ones({2, 3, 8, 8}, inputType(precision));
    const torch::Tensor labels = torch::tensor({0, 2}, torch::kLong);
    MicrobatchJob job;
    job.precision = precision;
    job.denominator = 2;
    accumulate([&](const torch::Tensor& x) { return model->forward(x); }, images, labels,
               LossSpec{}, job);
    for (const torch::Tensor& parameter : model->parameters()) {
        if (!parameter.grad().defined() || !torch::isfinite(parameter.grad()).all().item<bool>()) {
            throw Error(ErrorCode::NoDevice, "a trial update gives no finite gradient");
        }
    }
}

}  // namespace

void prepareTorch(int threads) {
    static std::once_flag once;
    std::call_once(once, [] {
        try {
            at::set_num_interop_threads(1);
        } catch (const c10::Error&) {
            // Somebody ran an operation before us; inter-op threads take no part in our updates.
        }
    });
    if (at::get_num_threads() != threads) {
        at::set_num_threads(threads);
    }
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
    // Determinism would also fill every fresh tensor, which costs time and hides nothing we rely
    // on.
    at::globalContext().setDeterministicFillUninitializedMemory(false);
}

void seedTorch(std::uint64_t seed, std::int64_t update) {
    torch::manual_seed(
        RandomStream(seed, "torch-generator", static_cast<std::uint64_t>(update)).next64());
}

torch::Tensor torchGeneratorState() {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    std::lock_guard<std::mutex> lock(generator.mutex());
    return generator.get_state();
}

void setTorchGeneratorState(const torch::Tensor& state) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    std::lock_guard<std::mutex> lock(generator.mutex());
    try {
        generator.set_state(state);
    } catch (const c10::Error& error) {
        throw Error(ErrorCode::Data, fmt::format("rng/cpu is no state of this generator: {}",
                                                 error.what_without_backtrace()));
    }
}

EnvironmentFingerprint currentEnvironment(int threads) {
    prepareTorch(threads);
    EnvironmentFingerprint environment;
    environment.torchVersion = TORCH_VERSION;
    environment.cpuCapability = at::get_cpu_capability();
    environment.device = "cpu";
    environment.threads = at::get_num_threads();
    environment.oneDnn = at::hasMKLDNN() && at::globalContext().userEnabledMkldnn();
    environment.deterministic = at::globalContext().deterministicAlgorithms();
    return environment;
}

std::string unsupportedReason(Precision precision) {
    try {
        tryTraining(precision);
        return {};
    } catch (const c10::Error& error) {
        return fmt::format("{} on the CPU: {}", toString(precision),
                           error.what_without_backtrace());
    } catch (const std::exception& error) {
        return fmt::format("{} on the CPU: {}", toString(precision), error.what());
    }
}

std::string slowReason(Precision precision) {
    if (precision == Precision::Fp16 &&
        !hasAnyFlag({"avx512_fp16", "amx_fp16", "fphp", "asimdhp"})) {
        return "this processor has no fp16 arithmetic (avx512_fp16, amx_fp16): fp16 is emulated, "
               "about 20 times slower";
    }
    if (precision == Precision::Bf16 &&
        !hasAnyFlag({"avx512_bf16", "amx_bf16", "avx_ne_convert", "bf16"})) {
        return "this processor has no bf16 arithmetic (avx512_bf16, amx_bf16): bf16 is emulated";
    }
    return {};
}

}  // namespace receiptbench
