// The budget's arena against Torch's own allocator, in turn within one process: ReceiptNet 32 at
// 256x192, 47 examples per update, AdamW and clipping.
//   allocator_bench [fp32|bf16] [MICROBATCH] [contiguous|channels-last] [BUDGET] [ROUNDS] [UPDATES]
//   [THREADS]
// Prints one line per round and the medians; with peak, reserved (fragmentation) and the growth of
// process memory.
#include <ATen/autocast_mode.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/contract/run_plan.h"
#include "core/memory/budget.h"
#include "core/model/model_torch.h"

using namespace receiptbench;

namespace {

constexpr std::int64_t kEffective = 47, kHeight = 256, kWidth = 192;

struct Job {
    Precision precision = Precision::Fp32;
    std::int64_t microbatch = 16;
    MemoryFormat format = MemoryFormat::ChannelsLast;
    std::int64_t budget = 0;
    int rounds = 3, updates = 5, threads = 2;
};

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

torch::Tensor forward(Classifier& model, const torch::Tensor& images, Precision precision) {
    if (precision == Precision::Fp32) {
        return model.forward(images);
    }
    at::autocast::set_autocast_dtype(
        at::kCPU, precision == Precision::Bf16 ? torch::kBFloat16 : torch::kHalf);
    at::autocast::set_autocast_enabled(at::kCPU, true);
    torch::Tensor logits = model.forward(images);
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
    return logits;
}

void update(Classifier& model, torch::optim::Optimizer& optimizer, const Job& job) {
    const auto layout = job.format == MemoryFormat::ChannelsLast ? torch::MemoryFormat::ChannelsLast
                                                                 : torch::MemoryFormat::Contiguous;
    for (std::int64_t start = 0; start < kEffective; start += job.microbatch) {
        const std::int64_t count = std::min(job.microbatch, kEffective - start);
        torch::Tensor images, labels;
        {
            CategoryScope scope(MemoryCategory::Inputs);
            images = torch::full({count, 3, kHeight, kWidth}, 0.3f).contiguous(layout);
            labels = torch::zeros({count}, torch::kLong);
        }
        CategoryScope scope(MemoryCategory::Activations);
        const torch::Tensor logits = forward(model, images, job.precision).to(torch::kFloat);
        (torch::nn::functional::cross_entropy(
             logits, labels,
             torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum)) /
         static_cast<double>(kEffective))
            .backward();
    }
    torch::nn::utils::clip_grad_norm_(model.parameters(), 1.0);
    optimizer.step();
    optimizer.zero_grad(false);
}

// Median examples/s of one round.
double round(const Job& job, bool underBudget, std::string* memory) {
    const std::int64_t residentBefore = processResidentBytes();
    std::optional<BudgetScope> budget;
    if (underBudget) {
        budget.emplace(job.budget);
    }
    std::optional<CategoryScope> scope(MemoryCategory::Parameters);
    ModelSpec spec;
    auto model = makeClassifier(spec, 3, 83);
    setMemoryFormat(*model, job.format);
    scope.reset();
    torch::optim::AdamW optimizer(model->parameters(),
                                  torch::optim::AdamWOptions(1e-3).weight_decay(0.01));
    std::vector<double> rates;
    for (int i = 0; i < job.updates + 1; ++i) {
        const double start = now();
        update(*model, optimizer, job);
        if (i > 0) {
            rates.push_back(static_cast<double>(kEffective) / (now() - start));
        }
    }
    const MemoryPeaks peaks = memoryPeaks();
    if (underBudget) {
        *memory = fmt::format(
            "peak {} reserved {} ({:.3f} times) process +{}", formatBytes(peaks.total),
            formatBytes(peaks.reserved),
            static_cast<double>(peaks.reserved) / static_cast<double>(peaks.total),
            formatBytes(std::max<std::int64_t>(0, processResidentBytes() - residentBefore)));
    }
    return median(rates);
}

Job parse(int count, char** words) {
    Job job;
    const auto number = [&](int i, std::int64_t otherwise) {
        return i < count ? parseBytes(words[i]).value_or(otherwise) : otherwise;
    };
    if (count > 1)
        job.precision = parsePrecision(words[1]);
    job.microbatch = std::max<std::int64_t>(1, number(2, job.microbatch));
    if (count > 3)
        job.format = parseMemoryFormat(words[3]);
    job.budget = number(4, 0);
    job.rounds = static_cast<int>(std::max<std::int64_t>(1, number(5, job.rounds)));
    job.updates = static_cast<int>(std::max<std::int64_t>(1, number(6, job.updates)));
    job.threads = static_cast<int>(std::max<std::int64_t>(1, number(7, job.threads)));
    return job;
}

}  // namespace

int main(int count, char** words) try {
    const Job job = parse(count, words);
    torch::set_num_threads(job.threads);
    std::vector<double> own, stock;
    for (int i = 0; i < job.rounds; ++i) {
        std::string memory;
        own.push_back(round(job, true, &memory));
        stock.push_back(round(job, false, nullptr));
        fmt::print("arena {:.1f} examples/s, stock {:.1f}; {}\n", own.back(), stock.back(), memory);
    }
    fmt::print("{} {} microbatch {}: arena {:.1f}, stock {:.1f} examples/s\n",
               toString(job.precision), toString(job.format), job.microbatch, median(own),
               median(stock));
    return 0;
} catch (const Error& error) {
    fmt::print(stderr, "{}\n{}\n", error.what(), error.hint());
    return static_cast<int>(error.code());
}
