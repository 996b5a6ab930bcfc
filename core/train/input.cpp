#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/memory/budget.h"
#include "core/train/input_torch.h"

namespace receiptbench {
namespace {

constexpr std::int64_t kChannels = 3;

std::array<std::array<float, 256>, 3> normalisationTable(const ExperimentContract& contract) {
    std::array<std::array<float, 256>, 3> table;
    for (std::size_t channel = 0; channel < table.size(); ++channel) {
        for (std::size_t level = 0; level < table[channel].size(); ++level) {
            const double share = static_cast<double>(level) / 255.0;
            table[channel][level] = static_cast<float>((share - contract.mean[channel]) /
                                                       contract.standardDeviation[channel]);
        }
    }
    return table;
}

// NHWC pixels to NHWC values.
template <typename Element>
void convertInterleaved(const std::uint8_t* in, Element* out, std::int64_t pixels,
                        const std::array<std::array<Element, 256>, 3>& table) {
    for (std::int64_t i = 0; i < pixels; ++i) {
        out[3 * i] = table[0][in[3 * i]];
        out[3 * i + 1] = table[1][in[3 * i + 1]];
        out[3 * i + 2] = table[2][in[3 * i + 2]];
    }
}

// NHWC pixels of one image to three planes.
template <typename Element>
void convertPlanar(const std::uint8_t* in, Element* out, std::int64_t pixels,
                   const std::array<std::array<Element, 256>, 3>& table) {
    Element* planes[3] = {out, out + pixels, out + 2 * pixels};
    for (std::int64_t i = 0; i < pixels; ++i) {
        planes[0][i] = table[0][in[3 * i]];
        planes[1][i] = table[1][in[3 * i + 1]];
        planes[2][i] = table[2][in[3 * i + 2]];
    }
}

}  // namespace

torch::ScalarType inputType(Precision precision) {
    switch (precision) {
        case Precision::Fp16:
            return torch::kHalf;
        case Precision::Bf16:
            return torch::kBFloat16;
        case Precision::Fp32:
            break;
    }
    return torch::kFloat;
}

InputBuffer::InputBuffer(const ExperimentContract& contract, std::int64_t capacity,
                         Precision precision, MemoryFormat format)
    : height_(contract.height),
      width_(contract.width),
      capacity_(capacity),
      format_(format),
      table_(normalisationTable(contract)) {
    const CategoryScope category(MemoryCategory::Inputs);
    const auto layout = format == MemoryFormat::ChannelsLast ? torch::MemoryFormat::ChannelsLast
                                                             : torch::MemoryFormat::Contiguous;
    pixels_ = torch::empty({capacity, height_, width_, kChannels}, torch::kByte);
    values_ = torch::empty({capacity, kChannels, height_, width_},
                           torch::dtype(inputType(precision)).memory_format(layout));
}

template <typename Element>
void InputBuffer::convert(std::int64_t images) {
    std::array<std::array<Element, 256>, 3> table;
    for (std::size_t channel = 0; channel < table.size(); ++channel) {
        for (std::size_t level = 0; level < table[channel].size(); ++level) {
            table[channel][level] = static_cast<Element>(table_[channel][level]);
        }
    }
    const std::int64_t pixels = height_ * width_;
    const std::uint8_t* in = pixels_.const_data_ptr<std::uint8_t>();
    Element* out = values_.mutable_data_ptr<Element>();
    at::parallel_for(0, images, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t image = begin; image < end; ++image) {
            const std::int64_t offset = image * pixels * kChannels;
            if (format_ == MemoryFormat::ChannelsLast) {
                convertInterleaved(in + offset, out + offset, pixels, table);
            } else {
                convertPlanar(in + offset, out + offset, pixels, table);
            }
        }
    });
}

torch::Tensor InputBuffer::fill(const BatchSource& source, std::span<const ExampleUse> uses) {
    const auto images = static_cast<std::int64_t>(uses.size());
    if (images > capacity_ || source.height() != height_ || source.width() != width_) {
        throw Error(ErrorCode::Data,
                    fmt::format("{} images of {}x{} do not fit a buffer for {} of {}x{}", images,
                                source.height(), source.width(), capacity_, height_, width_));
    }
    const auto bytes = static_cast<std::size_t>(images * height_ * width_ * kChannels);
    source.read(uses, {pixels_.mutable_data_ptr<std::uint8_t>(), bytes});
    switch (values_.scalar_type()) {
        case torch::kHalf:
            convert<c10::Half>(images);
            break;
        case torch::kBFloat16:
            convert<c10::BFloat16>(images);
            break;
        default:
            convert<float>(images);
    }
    return values_.narrow(0, 0, images);
}

torch::Tensor labelsOf(const BatchSource& source, std::span<const ExampleUse> uses) {
    const CategoryScope category(MemoryCategory::Inputs);
    torch::Tensor labels = torch::empty({static_cast<std::int64_t>(uses.size())}, torch::kLong);
    auto* out = labels.mutable_data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < uses.size(); ++i) {
        out[i] = source.label(uses[i].id);
    }
    return labels;
}

void checkSource(const ExperimentContract& contract, const BatchSource& source) {
    if (source.size() < 1) {
        throw Error(ErrorCode::Data, "the set has no example",
                    "Freeze a set with at least one accepted image.");
    }
    if (source.height() != contract.height || source.width() != contract.width) {
        throw Error(ErrorCode::Data,
                    fmt::format("images are {}x{}, the contract says {}x{} (height x width)",
                                source.height(), source.width(), contract.height, contract.width),
                    "Use the set that was frozen with this contract.");
    }
    for (std::int64_t id = 0; id < source.size(); ++id) {
        const std::int64_t label = source.label(id);
        if (label < 0 || label >= contract.labels.size()) {
            throw Error(ErrorCode::Data,
                        fmt::format("example {} has class {}, the contract knows 0 to {}", id,
                                    label, contract.labels.size() - 1),
                        "Use the set that was frozen with this contract.");
        }
    }
}

}  // namespace receiptbench
